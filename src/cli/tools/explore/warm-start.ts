import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { constants } from 'node:os'
import { background } from '../../background.js'
import type { ChildEnd, CopyPlace, CopySource } from '../../child-process.js'

type Variables = Readonly<Record<string, string | undefined>>

interface OpenOptions {
  readonly env: Variables
  readonly cwd: string
  /** Stops it before it is ready. */
  readonly signal: AbortSignal
  /** Seconds of processor time that its imports must take. */
  readonly worthIt?: number
}

/** A line of the process. `python-start/svtrain_copies.py` writes it. */
type Said =
  /** The seconds that the imports took. */
  | { readonly ready: number }
  /** Why it cannot be copied. */
  | { readonly refused: string }
  /** The process of a copy. 0: there can be none. */
  | { readonly started: number }
  /** A copy that ended. Python has negative numbers for signals. */
  | { readonly pid: number; readonly code: number }

/** With less processor time for its imports, in seconds, a program gains nothing. */
const WORTH_IT = 0.3

/**
 * A Python program that has run the imports at its top, and waits. Each run of an exploration is a copy of it, so the
 * imports run once. `python-start/svtrain_copies.py` is what runs in the process.
 */
export class Template implements CopySource {
  readonly #process: ChildProcess
  readonly #env: Variables
  readonly #cwd: string
  readonly #starting: ((pid: number) => void)[] = []
  readonly #running = new Map<number, (end: ChildEnd) => void>()
  #isOver = false

  private constructor(process: ChildProcess, env: Variables, cwd: string) {
    this.#process = process
    this.#env = env
    this.#cwd = cwd
  }

  /** Whether a command is a program in Python whose start can be shortened. */
  static canCopy([program = '', ...args]: readonly string[]): boolean {
    if (process.platform !== 'linux' || !/^python(?:3(?:\.\d+)?)?$/.test(basename(program)))
      return false
    const script = args.find((arg) => !/^-[uOBb]+$/.test(arg))
    return script !== undefined && script.endsWith('.py') && existsSync(script)
  }

  /**
   * Starts the program and runs its imports. Undefined if they take no time, or if the process cannot be copied: then
   * each run starts the program.
   */
  static async open(
    [program = '', ...args]: readonly string[],
    { env, cwd, signal, worthIt = WORTH_IT }: OpenOptions,
  ): Promise<Template | undefined> {
    const child = spawn(program, args, {
      env: { ...env, SVTRAIN_TEMPLATE: '1' },
      cwd,
      stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
      detached: true,
    })
    const template = new Template(child, env, cwd)
    const stop = background.callback('stop a program that waits', () => template.end())
    signal.addEventListener('abort', stop)
    const seconds = await template.#ready()
    signal.removeEventListener('abort', stop)
    if (seconds !== undefined && seconds >= worthIt) return template
    template.end()
    return undefined
  }

  /** Whether a run would have started with these variables in this folder. A module may have read any of them. */
  fits(env: Variables, cwd: string): boolean {
    return !this.#isOver && cwd === this.#cwd && comparable(env) === comparable(this.#env)
  }

  async copy(place: CopyPlace): ReturnType<CopySource['copy']> {
    if (this.#isOver) return undefined
    const started = new Promise<Awaited<ReturnType<CopySource['copy']>>>((resolve) => {
      this.#starting.push((pid) => {
        if (pid === 0) return resolve(undefined)
        // At once: that it ended may be the next line of what was read.
        resolve({ pid, ended: new Promise((end) => void this.#running.set(pid, end)) })
      })
    })
    this.#process.stdin!.write(`${JSON.stringify(place)}\n`)
    return started
  }

  end(): void {
    this.#close()
    this.#process.kill('SIGKILL')
  }

  /** Resolves to the seconds that the imports took. Undefined if the process cannot be copied. */
  #ready(): Promise<number | undefined> {
    return new Promise((resolve) => {
      const over = background.callback('leave a program that waits', () => {
        resolve(undefined)
        this.#close()
      })
      this.#process.once('error', over).once('exit', over)
      this.#process.stdin!.on('error', over)
      const lines = createInterface({ input: this.#process.stdio[3] as Readable })
      const read = background.callback('read what a program that waits says', (line: string) => {
        const said = JSON.parse(line) as Said
        if ('started' in said) this.#starting.shift()?.(said.started)
        else if ('pid' in said) this.#ended(said.pid, said.code)
        else resolve('ready' in said ? said.ready : undefined)
      })
      lines.on('line', read)
    })
  }

  #ended(pid: number, status: number): void {
    this.#running.get(pid)?.({ code: status < 0 ? 128 - status : status })
    this.#running.delete(pid)
  }

  #close(): void {
    this.#isOver = true
    for (const start of this.#starting.splice(0)) start(0)
    for (const [pid] of this.#running) this.#ended(pid, -constants.signals.SIGKILL)
  }
}

/** The variables that are set, as a text that is equal for equal ones. */
function comparable(env: Variables): string {
  const set = Object.entries(env).filter(([, value]) => value !== undefined)
  return JSON.stringify(set.sort(([one], [other]) => (one < other ? -1 : 1)))
}
