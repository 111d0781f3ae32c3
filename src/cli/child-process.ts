import { spawn as nodeSpawn, type StdioOptions } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import { pid as ownPid } from 'node:process'
import { cancelTimer, startTimer, wallNow, withLimit, type WallTimer } from '../base/clock/wall.js'
import { createOwnFolder } from '../emulator/adapters/own-folder.js'
import { background } from './background.js'
import { killOrphans, MARK } from './kill-orphans.js'
import type { OutputTail } from './output-tail.js'

/** Milliseconds between the last request to end and the kill. */
export const PATIENCE = 2000

/** How a command ended. */
export interface ChildEnd {
  /** As in a shell: 128 plus the number of the signal that ended the command, 127 if there is no such command. */
  code: number
  /** Why the command could not be started. */
  failure?: string
  /** The end of what it printed to stderr, at most 64 kB, if that was kept. */
  stderr?: string
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

interface RunOptions {
  env: Readonly<Record<string, string | undefined>>
  stdio: StdioOptions
  cwd?: string | undefined
  stdout?: OutputTail
  stderr?: OutputTail
}

/** Why a program does not start, by the code of the system. */
const FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such command. Check the name and the PATH.',
  EACCES:
    'it is not an executable file. Make it one with chmod +x, or name its interpreter, as in: python file.py',
}

/** How a command ends that does not start. */
function notStarted({ code = '', message }: NodeJS.ErrnoException): ChildEnd {
  return { code: code === 'ENOENT' ? 127 : 126, failure: FAILURES[code] ?? `${message}.` }
}

/** Milliseconds that output may take after the exit. A process that left the group may keep the pipes open. */
const REST_OF_OUTPUT = 1000

let children = 0

/** A command in a process of its own. */
export class Child {
  readonly #spawn: typeof nodeSpawn
  readonly #grouped: boolean
  readonly #mark = `${ownPid}-${wallNow()}-${++children}`
  #pid: number | undefined
  #isKilled = false
  #kill: WallTimer | undefined

  private constructor(spawn: typeof nodeSpawn, grouped: boolean) {
    this.#spawn = spawn
    this.#grouped = grouped && process.platform !== 'win32'
  }

  /** @param options `grouped`: whether it has a process group of its own, which can be killed as a whole. */
  static async create({ grouped }: { grouped: boolean }): Promise<Child> {
    return new Child(await ownSpawn(), grouped)
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
    const outcome = await new Promise<ChildEnd | Error>((resolve) => {
      child.once('error', resolve)
      child.once('exit', (code, name) => {
        // One of the two is always there.
        resolve({ code: code ?? 128 + constants.signals[name!] })
      })
    })
    const ended = outcome instanceof Error ? notStarted(outcome) : outcome
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

/**
 * On Windows, Node starts programs only by their full name. `npx` and `npm` are `.cmd` files there, which
 * need the command interpreter and its quoting rules.
 */
async function ownSpawn(): Promise<typeof nodeSpawn> {
  if (process.platform !== 'win32') return nodeSpawn
  const { default: crossSpawn } = await import('cross-spawn')
  return crossSpawn as typeof nodeSpawn
}
