import { spawn, type ChildProcess } from 'node:child_process'
import { onTestFinished, vi } from 'vitest'

/** How often a test looks for output and for the exit, in milliseconds. */
const INTERVAL = 5

export interface ProcessOptions {
  cwd: string
  env: NodeJS.ProcessEnv
  /** How long a test waits for output or for the exit, in milliseconds. By default 60,000. */
  patience?: number
  /**
   * Whether signals also reach the children of the process, as in a terminal. Then it has no stdin.
   */
  group?: boolean
}

/** A process that a test started. It is killed at the end of the test. */
export class RunningProcess {
  stdout = ''
  stderr = ''
  /** The exit code after the exit, or null if a signal ended the process. */
  code: number | null | undefined
  readonly process: ChildProcess
  readonly #group: boolean
  readonly #patience: number
  #failure: Error | undefined

  constructor(
    program: string,
    args: readonly string[],
    { cwd, env, group = false, patience = 60_000 }: ProcessOptions,
  ) {
    this.#group = group
    this.#patience = patience
    const stdio = [group ? 'ignore' : 'pipe', 'pipe', 'pipe'] as const
    this.process = spawn(program, args, { cwd, env, detached: group, stdio: [...stdio] })
    const { stdout, stderr } = this.process
    stdout!.setEncoding('utf8').on('data', (text: string) => (this.stdout += text))
    stderr!.setEncoding('utf8').on('data', (text: string) => (this.stderr += text))
    this.process.on('error', (error) => (this.#failure = error))
    this.process.on('close', (code) => (this.code = code))
    onTestFinished(() => this.kill())
  }

  /** The output on stdout, followed by the output on stderr. */
  get output(): string {
    return this.stdout + this.stderr
  }

  /** Waits until the output matches, and returns the match. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    await this.#wait(`print ${pattern}`, () => pattern.test(this.output))
    return pattern.exec(this.output)!
  }

  /** Waits for the exit, and returns the exit code. */
  async ended(): Promise<number | null> {
    await this.#wait('end', () => this.code !== undefined)
    return this.code!
  }

  /** Sends a signal. Does nothing after the exit. */
  signal(name: NodeJS.Signals): void {
    const { pid } = this.process
    if (pid === undefined) return
    if (!this.#group) return void this.process.kill(name)
    try {
      process.kill(-pid, name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }

  /** Kills the process and its group. */
  async kill(): Promise<void> {
    // Its children may still be running.
    if (this.#group || this.code === undefined) this.signal('SIGKILL')
    if (this.code === undefined && !this.#failure) await this.ended()
  }

  async #wait(what: string, isDone: () => boolean): Promise<void> {
    const isOver = (): boolean => this.code !== undefined || this.#failure !== undefined
    const limit = { timeout: this.#patience, interval: INTERVAL }
    await vi.waitUntil(() => isDone() || isOver(), limit).catch(() => {})
    if (isDone()) return
    const end = this.#failure?.message ?? `ended with ${this.code}`
    const how = isOver() ? end : `ran for ${this.#patience} ms`
    throw new Error(`It ${how} and did not ${what}. It printed:\n${this.output}`)
  }
}
