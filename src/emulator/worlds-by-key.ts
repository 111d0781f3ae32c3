import type { Journal } from '../service/engine/journal.js'
import { NotFoundError } from '../webhooks/sending/webhooks.js'
import { thereAre } from './find-named.js'
import { isWorldName, worldNameOf } from './testing/world-names.js'

/** The most worlds of an emulator with `isolate`. One more closes the least recently used one. */
export const MOST_WORLDS = 1000

interface NamedWorld {
  /** Shows no part of the key. Null: it is not the world of one key. */
  readonly worldName: string | null
  close(): Promise<void>
}

/** The worlds of an emulator, one for each API key that was used. */
export class WorldsByKey<World extends NamedWorld> {
  readonly #create: (key: string, name: string) => World
  readonly #journal: Journal
  /** The least recently used world comes first. */
  readonly #byKey = new Map<string, World>()
  readonly #listeners = new Set<(world: World) => void>()
  #created = 0

  constructor(journal: Journal, create: (key: string, name: string) => World) {
    this.#journal = journal
    this.#create = create
  }

  /** All of them. The least recently used one comes first. */
  get all(): Iterable<World> {
    return this.#byKey.values()
  }

  has(key: string): boolean {
    return this.#byKey.has(key)
  }

  /** Calls the listener with each world that is created from now on. */
  onCreated(listener: (world: World) => void): void {
    this.#listeners.add(listener)
  }

  /** Returns the world of a key. Creates it if the key was not used before. */
  of(key: string): World {
    const world = this.#byKey.get(key) ?? this.#new(key)
    this.#byKey.delete(key)
    this.#byKey.set(key, world)
    if (this.#byKey.size > MOST_WORLDS) this.#closeOldest()
    return world
  }

  /** Returns the world with that name, if there is one. */
  find(name: string | undefined): World | undefined {
    return [...this.all].find(({ worldName }) => worldName === name)
  }

  /**
   * Returns the world with that name, or undefined: it may be a key.
   *
   * @throws {NotFoundError} When it is the name of a world, but no world has it. It is probably from before a
   * restart. As a key, it would create one more world.
   */
  named(name: string): World | undefined {
    const found = this.find(name)
    if (!found && isWorldName(name)) throw noWorld(name, [...this.all])
    return found
  }

  #new(key: string): World {
    const world = this.#create(key, worldNameOf(++this.#created))
    for (const listener of this.#listeners) listener(world)
    return world
  }

  #closeOldest(): void {
    const [key, world] = this.#byKey.entries().next().value!
    this.#byKey.delete(key)
    void this.#journal.background.watch('close the least recently used world', world.close())
    this.#journal.note(
      `The least recently used world is closed: there are more than ${MOST_WORLDS} keys.`,
    )
  }
}

function noWorld(name: string, worlds: readonly NamedWorld[]): NotFoundError {
  const names = worlds.map(({ worldName }) => worldName ?? '')
  const known = names.length === 0 ? 'No API key was used yet.' : thereAre(names)
  return new NotFoundError(`Failed to find the world "${name}". ${known}`)
}
