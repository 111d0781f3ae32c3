import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** One process, from its start to its exit. */
export class KeptProcess {
  /** The output on stderr. */
  stderr = ''
  readonly #child: ChildProcess
  #stdout = ''

  constructor(file: string, args: readonly string[]) {
    // The webhooks of some scenarios have no receiver here.
    const options = ['--disable-warning=SVTRAIN_IDLE_WEBHOOKS']
    this.#child = spawn(process.execPath, [...options, file, ...args])
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => (this.#stdout += text))
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.stderr += text))
  }

  /** Resolves with the JSON that it prints first, or with undefined if it exits before. */
  async printed<T>(): Promise<T | undefined> {
    const ended = once(this.#child, 'close').then(() => false)
    while (!this.#stdout.includes('\n')) {
      const more = once(this.#child.stdout!, 'data').then(() => true)
      if (!(await Promise.race([more, ended]))) return undefined
    }
    return JSON.parse(this.#stdout) as T
  }

  /** Kills it with SIGKILL. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'close')
    this.#child.kill('SIGKILL')
    await ended
  }
}
