import { spawn as nodeSpawn, type StdioOptions } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import { pid as ownPid } from 'node:process'
import { cancelTimer, startTimer, wallNow, type WallTimer } from '../base/clock/wall.js'
import { createOwnFolder } from '../emulator/adapters/own-folder.js'
import { background } from './background.js'
import { killOrphans, MARK } from './kill-orphans.js'
import { OutputTail } from './output-tail.js'

/** Milliseconds between the last request to end and the kill. */
const PATIENCE = 2000
/** The same for a command that nobody watches. */
const SHORT_PATIENCE = 500

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const

export interface ChildOptions {
  env: Readonly<Record<string, string | undefined>>
  /** Whether a terminal is attached. It sends its signals to the child as well as to this process. */
  interactive: boolean
  /** The longest time that it may run, in milliseconds. Default: no limit. */
  timeout?: number | undefined
  /** Called when the time is over, before the command is stopped. */
  onTimeout?: () => void
  /** Whether to keep the end of its stderr, and to pass it on. The command sees no terminal there then. */
  keepsErrors?: boolean
}

/** How a command ended. */
export interface ChildEnd {
  /** As in a shell: 128 plus the number of the signal that ended the command, 127 if there is no such command. */
  code: number
  /** Why the command could not be started. */
  failure?: string
  /** The end of what it printed to stderr, at most 64 kB, if that was kept. */
  stderr?: string
}

/** The exit code of a command that ran too long, as `timeout` has it. */
export const TIMED_OUT = 124

/**
 * Runs a command to its end and passes signals on to it. Then it kills the processes that the command left
 * running. On systems other than Linux, it kills only those in the command's process group, and in a
 * terminal none, because there the group belongs to the shell.
 */
export async function runChild(
  command: readonly string[],
  { env, interactive, timeout, onTimeout, keepsErrors }: ChildOptions,
): Promise<ChildEnd> {
  // A separate process group can be killed as a whole, but cannot use the terminal.
  const child = new Child(await ownSpawn(), { grouped: !interactive })
  let timer: WallTimer | undefined
  let limit: WallTimer | undefined
  let received = 0
  const late = { is: false }
  const passOn = background.callback('pass a signal on', (name: NodeJS.Signals) => {
    received++
    const terminalSentIt = interactive && (name === 'SIGINT' || name === 'SIGQUIT')
    if (!terminalSentIt) child.signal(name)
    if (received === 2) timer = startTimer(PATIENCE, () => child.signal('SIGKILL'))
  })
  // Before the command starts: a signal can arrive as soon as the command prints something.
  for (const name of PASSED_ON) process.on(name, passOn)
  if (timeout !== undefined) {
    const stop = background.callback('stop the command', () => {
      late.is = true
      if (onTimeout) background.run('report before the command is stopped', onTimeout)
      child.stop()
    })
    limit = startTimer(timeout, stop)
  }
  try {
    const stderr = keepsErrors
      ? new OutputTail((bytes) => void process.stderr.write(bytes))
      : undefined
    const stdio: StdioOptions = ['inherit', 'inherit', stderr ? 'pipe' : 'inherit']
    const ended = await child.run(command, { env, stdio, ...(stderr && { stderr }) })
    return { ...(late.is ? { code: TIMED_OUT } : ended), ...(stderr && { stderr: stderr.text }) }
  } finally {
    cancelTimer(limit)
    cancelTimer(timer)
    for (const name of PASSED_ON) process.off(name, passOn)
  }
}

/** How a command ended whose output was captured. */
export interface CapturedEnd extends ChildEnd {
  /** The end of what it printed, at most 64 kB of each. */
  stdout: string
  stderr: string
}

/** Where a copy of a program runs, and the files that it prints to. */
export interface CopyPlace {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly stdout: string
  readonly stderr: string
}

/** A program that has started. Copies of it can run. */
export interface CopySource {
  /** Starts a copy, in a process group of its own. Undefined if there can be none. */
  copy(place: CopyPlace): Promise<{ pid: number; ended: Promise<ChildEnd> } | undefined>
}

export interface CaptureOptions {
  env: Readonly<Record<string, string | undefined>>
  /** Stops the command. */
  signal: AbortSignal
  /** Kills it at once, with all that it started. Default: never. */
  kill?: AbortSignal | undefined
  /** Its working folder. Default: that of this process. */
  cwd?: string | undefined
  /** The command, started already. It is copied. Default: the command is started. */
  template?: CopySource | undefined
}

/**
 * Runs a command to its end without a terminal, and captures what it prints. Stdin is empty. Then it kills
 * the processes that the command left running, as `runChild` does.
 */
export async function captureChild(
  command: readonly string[],
  { env, signal, kill, cwd, template }: CaptureOptions,
): Promise<CapturedEnd> {
  const child = new Child(await ownSpawn(), { grouped: true })
  const stdout = new OutputTail()
  const stderr = new OutputTail()
  const stop = background.callback('stop the command', () => child.stop(SHORT_PATIENCE))
  const killNow = background.callback('kill the command', () => child.kill())
  signal.addEventListener('abort', stop)
  kill?.addEventListener('abort', killNow)
  try {
    if (signal.aborted) return { code: TIMED_OUT, stdout: '', stderr: '' }
    const options = { env, cwd, stdout, stderr }
    const copied = template && (await child.runCopy(template, options))
    const stdio: StdioOptions = ['ignore', 'pipe', 'pipe']
    const ended = copied ?? (await child.run(command, { ...options, stdio }))
    return { ...ended, stdout: stdout.text, stderr: stderr.text }
  } finally {
    signal.removeEventListener('abort', stop)
    kill?.removeEventListener('abort', killNow)
  }
}

interface RunOptions {
  env: Readonly<Record<string, string | undefined>>
  stdio: StdioOptions
  cwd?: string | undefined
  stdout?: OutputTail
  stderr?: OutputTail
}

/** Milliseconds that output may take after the exit. A process that left the group may keep the pipes open. */
const REST_OF_OUTPUT = 1000

let children = 0

/** A command in a process of its own. */
class Child {
  readonly #spawn: typeof nodeSpawn
  readonly #grouped: boolean
  readonly #mark = `${ownPid}-${wallNow()}-${++children}`
  #pid: number | undefined
  #isKilled = false
  #kill: WallTimer | undefined

  constructor(spawn: typeof nodeSpawn, { grouped }: { grouped: boolean }) {
    this.#spawn = spawn
    this.#grouped = grouped && process.platform !== 'win32'
  }

  async run(
    [command = '', ...args]: readonly string[],
    { env, stdio, cwd, ...output }: RunOptions,
  ): Promise<ChildEnd> {
    const child = this.#spawn(command, args, {
      env: { ...env, [MARK]: this.#mark },
      stdio,
      cwd,
      detached: this.#grouped,
    })
    this.#pid = child.pid
    for (const name of ['stdout', 'stderr'] as const) {
      const keep = (bytes: Buffer): void => output[name]?.add(bytes)
      child[name]?.on('data', background.callback('keep what the command prints', keep))
    }
    const closed = new Promise<void>((resolve) => void child.once('close', () => resolve()))
    const ended = await new Promise<ChildEnd>((resolve) => {
      child.once('error', (error: NodeJS.ErrnoException) => {
        resolve(
          error.code === 'ENOENT'
            ? { code: 127, failure: 'there is no such command. Check the name and the PATH.' }
            : { code: 126, failure: `${error.message}.` },
        )
      })
      child.once('exit', (code, name) => {
        // One of the two is always there.
        resolve({ code: code ?? 128 + constants.signals[name!] })
      })
    })
    this.#killRest()
    if (ended.failure === undefined && output.stderr) await withLimit(closed, REST_OF_OUTPUT)
    return ended
  }

  /** Runs a copy of a program that has started already. Undefined if there can be none. */
  async runCopy(
    template: CopySource,
    { env, cwd = process.cwd(), stdout, stderr }: Omit<RunOptions, 'stdio'>,
  ): Promise<ChildEnd | undefined> {
    const folder = createOwnFolder('output')
    try {
      const files = { stdout: join(folder.path, 'stdout'), stderr: join(folder.path, 'stderr') }
      // So that they exist, however soon it is killed.
      for (const file of Object.values(files)) await writeFile(file, '')
      const copy = await template.copy({ env: { ...env, [MARK]: this.#mark }, cwd, ...files })
      if (!copy) return undefined
      this.#pid = copy.pid
      // A copy can make a call before it is known here.
      if (this.#isKilled) this.kill()
      const ended = await copy.ended
      this.#killRest()
      stdout?.add(await readFile(files.stdout))
      stderr?.add(await readFile(files.stderr))
      return ended
    } finally {
      folder.remove()
    }
  }

  #killRest(): void {
    cancelTimer(this.#kill)
    if (this.#grouped) this.signal('SIGKILL')
    killOrphans(this.#mark)
  }

  /** Sends a signal to the process, or to its group. It never throws. */
  signal(name: NodeJS.Signals): void {
    const pid = this.#pid
    if (pid === undefined) return
    try {
      process.kill(this.#grouped ? -pid : pid, name)
    } catch {
      // It has ended already.
    }
  }

  /** Kills the process with all that it started, without a word before. */
  kill(): void {
    this.#isKilled = true
    this.signal('SIGKILL')
    killOrphans(this.#mark)
  }

  /** Asks the process to end, and kills it if it does not. */
  stop(patience = PATIENCE): void {
    if (this.#kill !== undefined) return
    this.signal('SIGTERM')
    this.#kill = startTimer(patience, () => this.signal('SIGKILL'))
  }
}

async function withLimit(done: Promise<void>, ms: number): Promise<void> {
  let timer: WallTimer | undefined
  const late = new Promise<void>((resolve) => void (timer = startTimer(ms, resolve)))
  await Promise.race([done, late])
  cancelTimer(timer)
}

/**
 * On Windows, Node starts programs only by their full name. `npx` and `npm` are `.cmd` files there, which
 * need the command interpreter and its quoting rules.
 */
async function ownSpawn(): Promise<typeof nodeSpawn> {
  if (process.platform !== 'win32') return nodeSpawn
  const { default: crossSpawn } = await import('cross-spawn')
  return crossSpawn as typeof nodeSpawn
}
