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

/** Where a world is written down: a folder on disk, say. Both write before they return, or raise. */
export interface WorldStorage {
  /** What was written before; undefined where nothing was. */
  readonly saved?: SavedWorld | undefined
  /** Adds to what was written. True where it has grown so much that a whole world should replace it. */
  append: (records: readonly WorldRecord[]) => boolean
  /** Puts a whole world in the place of what was written. */
  replace: (records: readonly WorldRecord[]) => void
  close: () => void
}

interface Kept {
  storage: WorldStorage
  webhooks: Webhooks
  journal: Journal
}

/** Milliseconds. */
const BEAT = 1000

/**
 * Writes down what changes in a world, before anybody is told of it: `save` is called ahead of each
 * answer, and by itself soon after anything else happened.
 */
export class WorldKeeper {
  readonly #storage: WorldStorage
  readonly #webhooks: Webhooks
  readonly #journal: Journal
  readonly #stopBeat: () => void
  #engine: Engine | undefined
  #behind = false
  /** The time on the world's clock that was written down last. */
  #savedNow = -Infinity

  /** The journal is told of what could not be written. */
  constructor({ storage, webhooks, journal }: Kept) {
    this.#storage = storage
    this.#webhooks = webhooks
    this.#journal = journal
    // Time that passes without anything happening is written down now and then.
    this.#stopBeat = startBeat(BEAT, () => this.#trySave())
  }

  /** Keeps this world from now on, in the place of the one before. */
  keep(engine: Engine): void {
    this.#engine = engine
    // Nothing of this world is in the storage yet, so its first save writes all of it.
    this.#behind = true
    engine.changes.listen(() => void nextTurn().then(() => this.#trySave()))
    void Promise.resolve(engine.ready).then(() => this.#trySave())
  }

  /**
   * Writes down what changed since the last time; where nothing did, it costs a comparison. While the
   * world is not ready it writes nothing. Raises what the storage raises.
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
    // What could not be written is among no later changes: the whole world makes up for it.
    this.#behind = true
    const replace = all || (changed && this.#storage.append(recordsOf(engine, changed)))
    if (replace) this.#storage.replace(wholeWorld(engine, this.#webhooks.kept))
    this.#behind = false
  }

  /**
   * Writes down the change that an answer acknowledges, before the answer leaves. If that fails, the
   * answer is a 500 instead. While the world is not ready, the answer waits: another call may have
   * changed the scenario meanwhile.
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
    this.#journal.note(`The world could not be written down. ${(error as Error).message}`)
  }

  #trySave(): void {
    try {
      this.save()
    } catch (error) {
      this.#failed(error)
    }
  }
}
