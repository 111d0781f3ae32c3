import { spawn, type ChildProcess } from 'node:child_process'
import { onTestFinished } from 'vitest'

/** The longest time to wait for output or for the exit, in milliseconds. */
const PATIENCE = 60_000

export interface ProcessOptions {
  cwd: string
  env: NodeJS.ProcessEnv
  /**
   * Whether signals also reach the children of the process, as in a terminal. Then it has no stdin.
   */
  group?: boolean
}

/** Checks whether a wait is over, and ends it if so. */
type Look = () => boolean

/** A process that a test started. It is killed at the end of the test. */
export class RunningProcess {
  stdout = ''
  stderr = ''
  /** The exit code after the exit, or null if a signal ended the process. */
  code: number | null | undefined
  readonly process: ChildProcess
  readonly #group: boolean
  readonly #waiting = new Set<Look>()
  #failure: Error | undefined

  constructor(
    program: string,
    args: readonly string[],
    { cwd, env, group = false }: ProcessOptions,
  ) {
    this.#group = group
    const stdin = group ? 'ignore' : 'pipe'
    const stdio = [stdin, 'pipe', 'pipe'] as const
    this.process = spawn(program, args, { cwd, env, detached: group, stdio: [...stdio] })
    this.process.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text
      this.#look()
    })
    this.process.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
      this.#look()
    })
    this.process.on('error', (error) => {
      this.#failure = error
      this.#look()
    })
    this.process.on('close', (code) => {
      this.code = code
      this.#look()
    })
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

  #wait(what: string, until: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (how: string): void =>
        reject(new Error(`It ${how} and did not ${what}. It printed:\n${this.output}`))
      const late = setTimeout(() => fail(`ran for ${PATIENCE} ms`), PATIENCE).unref()
      this.#waiting.add(() => {
        const isOver = this.code !== undefined || this.#failure !== undefined
        if (until()) resolve()
        else if (isOver) fail(this.#failure?.message ?? `ended with ${this.code}`)
        else return false
        clearTimeout(late)
        return true
      })
      this.#look()
    })
  }

  #look(): void {
    for (const look of this.#waiting) if (look()) this.#waiting.delete(look)
  }
}
