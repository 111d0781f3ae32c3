import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Bundle } from './bundle.js'
import type { WorldAddress } from './world.js'

/** What it is asked, and what it answers. */
interface Answers {
  listen: Pick<WorldAddress, 'trainingUrl' | 'inferenceUrl'>[]
  state: State
  reset: void
  /** The used memory in bytes, after a garbage collection. */
  memory: number
  close: void
}

export interface Asked {
  id: number
  ask: keyof Answers
}
export interface Answered {
  id: number
  value: unknown
}
/** Something that must not happen. */
export interface Notice {
  notice: string
}

export interface State {
  /** The number of resources that keep the process alive, by kind. */
  resources: Record<string, number>
  inFlight: number
  deliveries: number
  /** The number of scheduled tasks of all clocks. */
  due: number
}

/** The file of the process under test, in `test/soak`. */
export const SERVED = 'served.ts'

/** The process under test. */
export class ServedProcess {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, (value: unknown) => void>()
  #asked = 0

  constructor(bundle: Bundle, noticed: (text: string) => void) {
    this.#child = fork(bundle.fileOf(SERVED), {
      execArgv: ['--expose-gc', '--enable-source-maps', '--disable-warning=SVTRAIN_IDLE_WEBHOOKS'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#child.stderr!.setEncoding('utf8').on('data', noticed)
    this.#child.on('message', (message: Answered | Notice) => {
      if ('notice' in message) return noticed(message.notice)
      this.#waiting.get(message.id)?.(message.value)
      this.#waiting.delete(message.id)
    })
  }

  /**
   * Closes the emulators. Returns the exit code, or undefined if the process does not exit within
   * `ms`.
   */
  async close(ms: number): Promise<number | null | undefined> {
    const exited = once(this.#child, 'exit') as Promise<[number | null]>
    const late = pause(ms, undefined, { ref: false })
    void this.ask('close')
    const outcome = await Promise.race([exited, late])
    if (outcome === undefined) this.#child.kill('SIGKILL')
    return outcome?.[0]
  }

  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  ask<Name extends keyof Answers>(ask: Name): Promise<Answers[Name]> {
    const id = ++this.#asked
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, resolve as (value: unknown) => void)
      this.#child.send({ id, ask } satisfies Asked, (error) => error && reject(error))
    })
  }
}
