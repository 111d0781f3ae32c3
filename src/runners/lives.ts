import { EmulatorError } from '../base/text/emulator-error.js'
import type { NodeEmulator } from '../compose/node-emulator.js'

/** Code cannot be explored with `crash` on a port. Code `SVTRAIN_CRASH_NEEDS_FETCH`. */
export class CrashNeedsFetchError extends EmulatorError {
  override readonly name = 'CrashNeedsFetchError'
  readonly code = 'SVTRAIN_CRASH_NEEDS_FETCH'
  constructor() {
    super(
      'Failed to listen: explore with crash needs calls through emulator.fetch, because nobody can tell the calls over a port before a kill from those after it. Pass emulator.fetch to your client, or explore a command: svtrain-emulator explore --crash -- node loop.mjs',
    )
  }
}

/** One start of code in this process, from its beginning to a kill. */
export class Life {
  /** The emulator for the code. After the kill, the calls that it makes never end. */
  readonly emulator: NodeEmulator
  /** Resolves when the code is killed. */
  readonly killed: Promise<void>
  readonly #die: () => void
  #isDead = false

  constructor(emulator: NodeEmulator) {
    let die = (): void => {}
    this.killed = new Promise((resolve) => (die = resolve))
    this.#die = die
    this.emulator = this.#mortal(emulator)
  }

  /**
   * Wraps what makes calls of the service. A new method that makes some belongs here, or its calls outlive the code.
   * Other methods are bound to the emulator itself, because its private fields are not on the proxy.
   */
  #mortal(emulator: NodeEmulator): NodeEmulator {
    const own: Pick<NodeEmulator, 'fetch' | 'handle' | 'world' | 'listen'> = {
      fetch: (input, init) => this.#alive(() => emulator.fetch(input, init)),
      handle: (host, request) => this.#alive(() => emulator.handle(host, request)),
      world: (key) => this.#mortal(emulator.world(key)),
      listen: () => Promise.reject(new CrashNeedsFetchError()),
    }
    return new Proxy(emulator, {
      get(target, name) {
        if (Object.hasOwn(own, name)) return own[name as keyof typeof own]
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? (value.bind(target) as unknown) : value
      },
    })
  }

  kill(): void {
    this.#isDead = true
    this.#die()
  }

  /** Never ends after the kill. */
  async #stopIfDead(): Promise<void> {
    if (this.#isDead) await new Promise(() => {})
  }

  /** Code that was killed cannot be stopped, but it waits forever for its next answer. */
  async #alive<Answer>(call: () => Answer | Promise<Answer>): Promise<Answer> {
    await this.#stopIfDead()
    try {
      return await call()
    } finally {
      await this.#stopIfDead()
    }
  }
}
