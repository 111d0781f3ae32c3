import type { AnyPart, AnyRecord } from './saved-part.js'

/** The changes of a world that are not saved yet. */
export interface UnsavedChanges {
  /** What changed of each part, by id. */
  parts: Map<AnyPart, Map<string, unknown>>
  /** Whether the whole world must be saved again, because parts of it were removed or replaced. */
  all: boolean
}

/**
 * Records what changed since the last `take`. Without a listener it records nothing, so a world without a data
 * folder loses almost no time.
 */
export class Changes {
  #listener: (() => void) | undefined
  #changed: UnsavedChanges | undefined
  #count = 0

  /** How often something changed so far, whether or not it is saved. */
  get count(): number {
    return this.#count
  }

  /** Calls `listener` at the first change after each `take`. */
  listen(listener: () => void): void {
    this.#listener = listener
  }

  /** Returns the changes since the last call and forgets them. Undefined if there are none. */
  take(): UnsavedChanges | undefined {
    const taken = this.#changed
    this.#changed = undefined
    return taken
  }

  /** Records that a thing of a part must be saved. Its records are made when it is saved. */
  changed(part: AnyPart<AnyRecord, undefined>): void
  changed<Thing>(part: AnyPart<AnyRecord, Thing>, id: string, thing: NoInfer<Thing>): void
  changed(part: AnyPart, id = '', thing?: unknown): void {
    const recording = this.#record()
    if (!recording) return
    const things = recording.parts.get(part)
    if (things) things.set(id, thing)
    else recording.parts.set(part, new Map([[id, thing]]))
  }

  /** Records that a client learns the time, even if nothing else changed. Every save contains the time. */
  time(): void {
    this.#record()
  }

  /** Records that the whole world must be saved again. */
  all(): void {
    const recording = this.#record()
    if (recording) recording.all = true
  }

  /** Counts a change. Returns the object that records it; undefined without a listener. */
  #record(): UnsavedChanges | undefined {
    this.#count++
    if (!this.#listener) return undefined
    if (!this.#changed) {
      this.#changed = nothingChanged()
      this.#listener()
    }
    return this.#changed
  }
}

export function nothingChanged(): UnsavedChanges {
  return { parts: new Map(), all: false }
}
