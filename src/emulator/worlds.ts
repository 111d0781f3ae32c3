import { EmulatorError } from '../text/emulator-error.js'

/** How many worlds one emulator keeps; beyond it the one used longest ago is closed. */
export const MOST_WORLDS = 1000

/** For the journal, when that happens. */
export const WORLD_CLOSED = `The world that was used longest ago is closed: there are more than ${MOST_WORLDS} keys.`

/** The worlds of an emulator that keeps its API keys apart, each made when its key is first used. */
export class Worlds<World> {
  readonly #create: (key: string) => World
  readonly #close: (world: World) => void
  // Put last whenever it is used, so that the first is the one used longest ago.
  readonly #worlds = new Map<string, World>()

  constructor(create: (key: string) => World, close: (world: World) => void) {
    this.#create = create
    this.#close = close
  }

  of(key: string): World {
    const world = this.#worlds.get(key) ?? this.#create(key)
    this.#worlds.delete(key)
    this.#worlds.set(key, world)
    if (this.#worlds.size > MOST_WORLDS) this.#closeOldest()
    return world
  }

  all(): Iterable<World> {
    return this.#worlds.values()
  }

  #closeOldest(): void {
    const [key, world] = this.#worlds.entries().next().value!
    this.#worlds.delete(key)
    this.#close(world)
  }
}

/** Raised by `world` of an emulator that has one for all keys. Code `SVTRAIN_NOT_ISOLATED`. */
export class NotIsolatedError extends EmulatorError {
  override readonly name = 'NotIsolatedError'
  readonly code = 'SVTRAIN_NOT_ISOLATED'
  constructor() {
    super(
      "Failed to find the world of a key: this emulator has one world for all keys. Create it with { isolate: 'api-key' } to keep them apart.",
    )
  }
}
