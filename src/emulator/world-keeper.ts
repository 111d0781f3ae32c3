import { apiErrors } from '../contract/errors.js'
import type { Host, Outcome } from '../contract/exchange.js'
import type { Journal } from '../engine/journal.js'
import { nothingChanged } from '../engine/snapshot/changes.js'
import { recordsOf, wholeWorld } from '../engine/snapshot/save.js'
import type { Engine } from '../engine/engine.js'
import type { SavedWorld } from '../engine/snapshot/restore.js'
import type { WorldRecord } from '../engine/snapshot/records.js'
import { encode } from '../api/encode.js'
import type { Webhooks } from '../webhooks/webhooks.js'
import { nextTurn, startBeat } from '../clock/wall.js'

/**
 * Where a world is saved, such as a folder on disk. `append` and `replace` write before they return, or
 * throw.
 */
export interface WorldStorage {
  /** The world that was saved before, if there is one. */
  readonly saved?: SavedWorld | undefined
  /** Adds records. Returns whether so much was added that a whole world should replace it. */
  append: (records: readonly WorldRecord[]) => boolean
  /** Replaces everything with a whole world. */
  replace: (records: readonly WorldRecord[]) => void
  close: () => void
}

interface Parts {
  storage: WorldStorage
  webhooks: Webhooks
  journal: Journal
}

/** Milliseconds. */
const BEAT = 1000

/**
 * Saves what changes in a world: before each answer, so that nothing is acknowledged that is not saved,
 * and soon after each change that no request made.
 */
export class WorldKeeper {
  readonly #storage: WorldStorage
  readonly #webhooks: Webhooks
  readonly #journal: Journal
  readonly #stopBeat: () => void
  #engine: Engine | undefined
  #behind = false
  /** The time on the world's clock at the last save. */
  #savedNow = -Infinity

  /** Failures are noted in the journal. */
  constructor({ storage, webhooks, journal }: Parts) {
    this.#storage = storage
    this.#webhooks = webhooks
    this.#journal = journal
    // Saves the clock's time once per second, even if nothing happens.
    this.#stopBeat = startBeat(BEAT, () => this.#trySave())
  }

  /** Saves this world from now on, instead of the previous one. */
  keep(engine: Engine): void {
    this.#engine = engine
    // The storage does not have this world yet, so the first save writes all of it.
    this.#behind = true
    engine.changes.listen(() => void nextTurn().then(() => this.#trySave()))
    void Promise.resolve(engine.ready).then(() => this.#trySave())
  }

  /**
   * Saves what has changed since the last save. While the world is not ready, it saves nothing.
   *
   * @throws {Error} When the storage cannot write.
   */
  save(): void {
    const engine = this.#engine
    if (!engine || engine.ready) return
    const { changes, clock } = engine
    const passed = Math.abs(clock.now() - this.#savedNow)
    const late = clock.mode === 'real' ? passed >= BEAT : passed > 0
    const changed = changes.take() ?? (late ? nothingChanged() : undefined)
    const all = this.#behind || changed?.all === true
    if (changed || all) this.#savedNow = clock.now()
    // If this fails, the changes are lost for later saves, so the next one writes the whole world.
    this.#behind = true
    const replace = all || (changed && this.#storage.append(recordsOf(engine, changed)))
    if (replace) this.#storage.replace(wholeWorld(engine, this.#webhooks.saved))
    this.#behind = false
  }

  /**
   * Saves the change that an answer acknowledges, before the answer leaves. If that fails, the answer is
   * a 500 instead. It waits until the world is ready: this call or another one may have replaced it.
   */
  answer(outcome: Outcome | Promise<Outcome>, host: Host): Outcome | Promise<Outcome> {
    if (outcome instanceof Promise) return outcome.then((answer) => this.answer(answer, host))
    const ready = this.#engine?.ready
    if (ready) return ready.then(() => this.answer(outcome, host))
    try {
      this.save()
      return outcome
    } catch (error) {
      this.#failed(error)
      return encode(apiErrors.internal(host), host)
    }
  }

  close(): void {
    this.#trySave()
    this.#stopBeat()
    this.#engine = undefined
    this.#storage.close()
  }

  #failed(error: unknown): void {
    this.#journal.note(`Failed to save the world: ${(error as Error).message}`)
  }

  #trySave(): void {
    try {
      this.save()
    } catch (error) {
      this.#failed(error)
    }
  }
}
