import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { createWebhookSink } from '../../src/index.js'
import { Command, type CommandOptions } from '../cli/command.js'
import { endedInProcess, serveInProcess } from '../cli/in-process.js'
import { root, type Block } from '../support/pages.js'

/** A command of a page that runs until it is stopped: the emulator, or only the webhook sink. */
export interface Start {
  kind: 'emulator' | 'sink'
  /** The words after `npx svtrain-emulator`. */
  args: string[]
  /** The variables before the command. */
  env: Record<string, string>
  /** The file that gets its output. */
  output: string | undefined
}

/** Splits a script into commands. A command continues after a backslash, and inside quotes. */
export function commandsOf(script: string): string[] {
  const commands: string[] = []
  let open = ''
  for (const line of script.split('\n')) {
    if (open === '' && /^\s*(?:#.*)?$/.test(line)) continue
    open += open === '' ? line.trim() : `\n${line}`
    if (isOpen(open)) continue
    commands.push(...partsOf(open))
    open = ''
  }
  if (open !== '') throw new Error(`A quote is missing in: ${open}`)
  return commands
}

function isOpen(text: string): boolean {
  const rest = text.replaceAll(/'[^']*'|"(?:\\[^]|[^"\\])*"/g, '')
  return /['"]|\\$/.test(rest)
}

/** Separates a start from the commands before it in the same line. */
function partsOf(command: string): string[] {
  const at = command.lastIndexOf(' && ')
  const last = command.slice(at + 4)
  return at !== -1 && startOf(last) ? [command.slice(0, at), last] : [command]
}

/** Returns undefined if the command ends on its own. */
export function startOf(command: string): Start | undefined {
  const pattern =
    /^((?:\w+=\S* )*)(?:npx svtrain-emulator|node bin\/svtrain-emulator\.js)((?:\s[^>&|]*)?)(?:> *(\S+))? ?&?$/
  const [, variables = '', rest = '', output] = pattern.exec(command) ?? []
  if (!pattern.test(command)) return undefined
  const args = wordsOf(rest)
  const [first = '--'] = args
  const isSink = startsSink(args)
  if (!isSink && first !== 'record' && !first.startsWith('--')) return undefined
  // It ends with its own command.
  if (args.includes('--')) return undefined
  if (args.includes('--help') || args.includes('--version')) return undefined
  const env = Object.fromEntries(variables.split(' ').flatMap(assignmentOf))
  return { kind: isSink ? 'sink' : 'emulator', args, env, output }
}

/** Whether the words of a command start a sink, and no command below it. */
export function startsSink([first, second = '--']: readonly string[]): boolean {
  return first === 'sink' && second.startsWith('--')
}

function assignmentOf(text: string): [string, string][] {
  const at = text.indexOf('=')
  return at === -1 ? [] : [[text.slice(0, at), text.slice(at + 1)]]
}

function wordsOf(text: string): string[] {
  const words = text.match(/(?:'[^']*'|"[^"]*"|[^\s'"\\])+/g) ?? []
  return words.map((word) => word.replaceAll(/['"]/g, ''))
}

/** Returns the commands of the page above a block, and those of the block itself. */
function commandsUpTo(block: Block, blocks: readonly Block[]): string[] {
  return blocks
    .slice(0, blocks.findIndex(({ place }) => place === block.place) + 1)
    .filter(({ file, language }) => file === block.file && language === 'sh')
    .flatMap(({ code }) => commandsOf(code))
}

/**
 * Returns the nearest command above a block that starts the emulator, or one in the block itself: this
 * is how a page says which emulator its example needs. Without one, it is an emulator without options.
 */
export function startAbove(block: Block, blocks: readonly Block[], kind: Start['kind']): Start {
  const none: Start = { kind, args: kind === 'sink' ? ['sink'] : [], env: {}, output: undefined }
  const starts = commandsUpTo(block, blocks).map(startOf)
  return starts.findLast((start) => start?.kind === kind) ?? none
}

/** Returns the variables that a page sets with `export`, up to a block. */
export function exportsAbove(block: Block, blocks: readonly Block[]): Record<string, string> {
  const exported = commandsUpTo(block, blocks).flatMap(
    (command) => /^export (.*)$/.exec(command)?.[1]?.split(' ') ?? [],
  )
  return Object.fromEntries(exported.flatMap(assignmentOf))
}

/** Commands that start programs, that use the output of the process itself, or that wait for a signal. */
const NEED_PROCESS = ['completion', 'exec', 'explore', 'mcp', 'record']

/**
 * Returns the words of each command if a script has only calls of the program, and nothing that a shell
 * evaluates. Then the script needs no shell and no process. Otherwise, it returns undefined.
 */
function callsOf(script: string): string[][] | undefined {
  const calls = commandsOf(script).map((command) => {
    const [, rest] = /^npx svtrain-emulator (.+)$/s.exec(command) ?? []
    if (rest === undefined || needsShell(rest)) return undefined
    const words = wordsOf(rest)
    const isOwn = NEED_PROCESS.includes(words[0]!) || startsSink(words)
    return isOwn || words.includes('--watch') || words.includes('-') ? undefined : words
  })
  return calls.every((words) => words !== undefined) ? calls : undefined
}

function needsShell(text: string): boolean {
  const plain = text.replaceAll(/'[^'"]*'/g, '').replaceAll('\\\n', ' ')
  return /[!#$&()*;<>?[\\\]`{|}~\n]|"[^"]*'/.test(plain)
}

/** Programs that a page calls but that a test of commands does not run. Each call is recorded. */
const STAND_INS = [
  'docker',
  'npm',
  'pip',
  'python',
  'python3',
  'pytest',
  'bash',
  'svtrain-emulator',
]

/** What a session has started. */
interface Running {
  output: () => string
  says: (pattern: RegExp) => Promise<RegExpExecArray>
  /** Throws if it does not end well. */
  stop: () => Promise<void>
}

/** Files that an emulator uses while it runs, and its log, stay with a process. */
function usesProcess(arg: string): boolean {
  return /^--(?:data|watch|ready-file|import|log|host)\b/.test(arg) || arg === 'record'
}

function ownProcess(words: readonly string[], options: CommandOptions): Running {
  const command = new Command(words, options)
  const stop = async (): Promise<void> => {
    command.signal('SIGINT')
    const code = await command.ended()
    if (code !== 0) throw new Error(`It ended with ${code}:\n${command.output}`)
  }
  return { output: () => command.output, says: (pattern) => command.says(pattern), stop }
}

async function servedHere(
  words: readonly string[],
  options: CommandOptions & { cwd: string },
): Promise<Running> {
  const { said, stop } = await serveInProcess(words, options)
  let isOver = false
  const stopOnce = async (): Promise<void> => {
    if (!isOver) await stop()
    isOver = true
  }
  onTestFinished(stopOnce)
  const output = (): string => said.stdout + said.stderr
  const says = async (pattern: RegExp): Promise<RegExpExecArray> => {
    const found = pattern.exec(output())
    if (!found) throw new Error(`It did not print ${pattern}. It printed:\n${output()}`)
    return found
  }
  return { output, says, stop: stopOnce }
}

/** A user's terminal, in a folder of their own. The ports that a page names are replaced by free ones. */
export class Session {
  readonly folder: string
  /** The calls of stand-ins, such as `npm ci`. */
  get standIns(): string[] {
    return this.#recorded('.stand-ins')
  }
  /** Directories in front of the path. */
  readonly #programs: string
  /** The real address for each address on the page. */
  readonly #addresses = new Map<string, string>()
  readonly #env: Record<string, string> = {}
  #running: { start: Start; command: Running }[] = []
  readonly #servesHere: boolean

  /**
   * @param folder An empty folder.
   * @param programs A folder with programs that take precedence, such as those of a virtual environment.
   * @param servesHere Whether emulators run in the process of the test, if nothing needs their own.
   */
  constructor(folder: string, programs?: string, servesHere = false) {
    this.folder = folder
    this.#servesHere = servesHere
    const shims = join(folder, '.programs')
    if (!existsSync(shims)) writeShims(folder, shims)
    this.#programs = [...(programs === undefined ? [] : [programs]), shims].join(delimiter)
  }

  /** The variables that `exec` and the banner set. */
  get variables(): Readonly<Record<string, string>> {
    return this.#env
  }

  /** What the command that runs has printed, with the addresses of the page. */
  get printed(): string {
    return this.onPage(this.#running.map(({ command }) => command.output()).join(''))
  }

  /** Starts the emulator or a sink, as a page says, and waits until it is ready. */
  async start(start: Start, also: readonly string[] = []): Promise<void> {
    await this.stop()
    const args = onFreePorts(start)
    if (args.some((arg) => arg.includes('127.0.0.1:8080'))) await this.startReceiver()
    const words = [...args.map((arg) => this.here(arg)), ...also]
    const options = { cwd: this.folder, env: { ...start.env, HOME: this.folder } }
    const isHere = this.#servesHere && start.kind === 'emulator' && !start.args.some(usesProcess)
    const command = isHere ? await servedHere(words, options) : ownProcess(words, options)
    this.#running.push({ start, command })
    if (start.kind === 'sink') {
      const [url] = await command.says(/http:\/\/127\.0\.0\.1:\d+(?= |,|$)/m)
      this.#name(portIn(start, '--port', '4610'), url)
    } else await this.#readAddresses(start, command)
    if (start.output !== undefined) {
      writeFileSync(join(this.folder, start.output), this.printed)
    }
  }

  async #readAddresses(start: Start, command: Running): Promise<void> {
    await command.says(/^Ready\.|"kind":"ready"/m)
    const url = (name: string, key: string): string | undefined =>
      new RegExp(`export ${name}=(\\S+)|"${key}":"([^"]+)"`)
        .exec(command.output())
        ?.slice(1)
        .find(Boolean)
    const training = url('SVTRAIN_BASE_URL', 'trainingUrl')!
    const inference = url('SVTRAIN_INFERENCE_URL', 'inferenceUrl')!
    const sink = url('SVTRAIN_SINK_URL', 'sinkUrl')
    this.#name(portIn(start, '--port', '4600'), training)
    this.#name(portIn(start, '--inference-port', '4601'), inference)
    if (sink !== undefined) this.#name(portIn(start, '--sink-port', '4610'), sink)
    Object.assign(this.#env, {
      SVTRAIN_BASE_URL: training,
      SVTRAIN_INFERENCE_URL: inference,
      SVTRAIN_API_KEY: url('SVTRAIN_API_KEY', 'apiKey') ?? 'any-key',
      SVTRAIN_CONTROL_URL: `${new URL(training).origin}/_emulator`,
      ...(sink !== undefined && { SVTRAIN_SINK_URL: sink }),
    })
  }

  #name(port: string, url: string): void {
    this.#addresses.set(port, new URL(url).port)
  }

  /** Starts the receiver of webhooks at the port 8080 of a page. It verifies signatures if it knows the secret. */
  async startReceiver(secret?: string): Promise<void> {
    const sink = createWebhookSink(secret === undefined ? {} : { secrets: secret, strict: true })
    onTestFinished(() => sink.close())
    await sink.listen()
    this.#name('8080', sink.url)
  }

  /** Replaces the addresses of a page by the real ones. */
  here(text: string): string {
    return text.replaceAll(
      /\b(127\.0\.0\.1|localhost):(\d+)\b/g,
      (whole, host: string, port: string) => {
        const real = this.#addresses.get(port)
        return real === undefined ? whole : `${host}:${real}`
      },
    )
  }

  /** Replaces the real addresses by those of a page. */
  onPage(text: string): string {
    let replaced = text
    for (const [port, real] of this.#addresses) {
      replaced = replaced.replaceAll(`127.0.0.1:${real}`, `127.0.0.1:${port}`)
    }
    return replaced
  }

  /** Interrupts what runs, as Ctrl-C does. Throws if it does not end well. */
  async stop(): Promise<void> {
    const running = this.#running
    this.#running = []
    for (const { command } of running) await command.stop()
  }

  get isRunning(): boolean {
    return this.#running.length > 0
  }

  runs(kind: Start['kind']): boolean {
    return this.#running.some(({ start }) => {
      return start.kind === kind || (kind === 'sink' && start.args.includes('--sink'))
    })
  }

  /** Runs a script in the process of the test if it needs no shell, otherwise in a shell. */
  async runHere(script: string): ReturnType<Session['run']> {
    const calls = callsOf(this.here(script))
    if (!calls) return this.run(script)
    const ran = { code: 0, stdout: '', stderr: '' }
    for (const words of calls) {
      const env = { HOME: this.folder, ...this.#env }
      const { code, stdout, stderr } = await endedInProcess(words, { cwd: this.folder, env })
      ran.stdout += stdout
      ran.stderr += stderr
      ran.code = code
      // A shell with -e stops here, too.
      if (code !== 0) break
    }
    return ran
  }

  /** Runs a script in a shell. A command that fails inside of a pipe is a failure, too. */
  async run(
    script: string,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<{ code: number; stdout: string; stderr: string }> {
    const { PATH = '' } = process.env
    const path = [this.#programs, dirname(process.execPath), PATH].join(delimiter)
    const env = { PATH: path, HOME: this.folder, ...this.#env, ...variables }
    const options = { cwd: this.folder, env, maxBuffer: 2 ** 26 }
    const shell = promisify(execFile)('sh', ['-euc', this.here(script)], options)
    const ran = await shell.then(
      (outputs) => ({ ...outputs, code: 0 }),
      (error: unknown) => {
        const { code, stdout = '', stderr = '' } = error as Failure
        if (typeof code !== 'number') throw error
        return { code, stdout, stderr }
      },
    )
    const failures = this.#recorded('.failures')
    rmSync(join(this.folder, '.failures'), { force: true })
    if (ran.code !== 0 || failures.length === 0) return ran
    return { ...ran, code: 1, stderr: [ran.stderr, ...failures].join('\n') }
  }

  #recorded(name: string): string[] {
    const file = join(this.folder, name)
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  }
}

interface Failure {
  code?: number | string
  stdout?: string
  stderr?: string
}

function writeShims(folder: string, shims: string): void {
  mkdirSync(shims, { recursive: true })
  const script = join(root, 'bin', 'svtrain-emulator.js')
  const record = `echo "$(basename "$0") $*" >> "${join(folder, '.stand-ins')}"`
  const failed = `{ code=$?; echo "$(basename "$0") $* failed" >> "${join(folder, '.failures')}"; exit $code; }`
  const texts: Record<string, string> = {
    npx: `if [ "$1" != svtrain-emulator ]; then ${record}; exit; fi
shift
"${process.execPath}" "${script}" "$@" || ${failed}`,
    // A refusal is a failure, unless the page wants to see it.
    curl: `PATH=\${PATH#*"${shims}":}
case " $* " in *" -f"*|*" -sf"*|*" -i"*|*" --fail"*) flag=-m30;; *) flag=--fail-with-body;; esac
curl -m 30 $flag "$@" || ${failed}`,
    ...Object.fromEntries(STAND_INS.map((name) => [name, record])),
  }
  for (const [name, text] of Object.entries(texts)) {
    writeFileSync(join(shims, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(shims, name), 0o755)
  }
}

function portIn({ args }: Start, option: string, otherwise: string): string {
  const at = args.indexOf(option)
  const port = at === -1 ? otherwise : args[at + 1]!
  return port === '0' ? otherwise : port
}

function onFreePorts({ kind, args }: Start): string[] {
  const ports = kind === 'sink' ? ['--port'] : ['--port', '--inference-port']
  if (args.includes('--sink')) ports.push('--sink-port')
  const free = [...args]
  for (const option of ports) {
    const at = free.indexOf(option)
    if (at === -1) free.push(option, '0')
    else free[at + 1] = '0'
  }
  return free
}
