import { apiErrors } from '../service/contract/errors.js'
import type { Host, Outcome } from '../service/contract/exchange.js'
import type { Journal } from '../service/engine/journal.js'
import { nothingChanged } from '../service/engine/saved/unsaved-changes.js'
import { changedWorld, wholeWorld, type SavableWorld } from '../service/engine/saved/save.js'
import type { Engine } from '../service/engine/engine.js'
import type { BlobFiles } from '../service/platform/blob-files.js'
import type { SavedWorld } from '../service/engine/saved/restore.js'
import type { AnyRecord } from '../service/engine/saved/saved-part.js'
import { savedParts, type WholeWorld } from './saved-parts.js'
import { failingWith } from '../base/text/background-errors.js'
import { drain } from '../service/api/drain.js'
import { encode } from '../service/api/encode.js'
import type { Webhooks } from '../webhooks/sending/webhooks.js'
import { nextTurn, startBeat } from '../base/clock/wall.js'

/**
 * Where a world is saved, such as a folder on disk. `append` and `replace` write before they return, or
 * throw.
 */
export interface WorldStorage {
  /** Returns the world that was saved before, if there is one, and forgets it: it may be large. */
  takeSaved?: () => SavedWorld | undefined
  /** Whether records can be appended to the world that was saved before. */
  readonly continues?: boolean
  /** Adds records. */
  append: (records: readonly AnyRecord[]) => AppendResult
  /** Replaces everything with a whole world. */
  replace: (records: Iterable<AnyRecord>) => void
  /**
   * Replaces everything with a whole world, without what was replaced or removed since. Reads some records in
   * each turn. What is appended in the meantime stays.
   */
  compact?: (records: Iterable<AnyRecord>, turn: () => Promise<void>) => Promise<void>
  /** Stops that. What is stored stays as it is. */
  stopCompacting?: () => void
  /** Writes a whole world and its contents beside what is stored. Writes some records in each turn. */
  prepare?: (saved: SavedWorld, turn: () => Promise<void>) => Promise<StoredWorld>
  /** Where the contents of runs and artifacts are. Default: in memory. */
  readonly contents?: BlobFiles
  /** Returns a secret that lasts as long as what is stored. Nothing is written before it is needed. */
  readonly secret?: () => string
  close: () => void
}

/** A world that is stored, but does not replace the world before yet. */
export interface StoredWorld {
  /** Gives its contents their names. The contents of the world before keep theirs. */
  nameContents(): void
  /** Replaces the world before. */
  use(): void
  /** Removes it. After `use`, nothing is left to remove. */
  drop(): void
}

/**
 * The result of an append. `compact`: they are saved, and much of what is stored is out of date.
 * `replace`: they are not saved, a whole world must replace everything.
 */
export type AppendResult = 'saved' | 'compact' | 'replace'

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
  /** Whether the storage has the world, but from before the time on its clock moved. */
  #resumes: boolean
  /** The time on the world's clock at the last save. */
  #savedNow = -Infinity
  #lastFailure: string | undefined
  readonly #trySave = failingWith(
    (error) => this.#failed(error),
    () => this.save(),
  )

  /** Failures are noted in the journal. */
  constructor({ storage, webhooks, journal }: Parts) {
    this.#storage = storage
    this.#webhooks = webhooks
    this.#journal = journal
    this.#resumes = storage.continues === true
    // Saves the clock's time once per second, even if nothing happens.
    this.#stopBeat = startBeat(BEAT, this.#trySave)
  }

  /** Stores a saved world that will replace the previous one. */
  prepare(saved: SavedWorld, turn: () => Promise<void>): Promise<StoredWorld> | undefined {
    return this.#storage.prepare?.(saved, turn)
  }

  /**
   * Saves this world from now on, instead of the previous one.
   *
   * @param stored The world, if `prepare` has stored it.
   */
  keep(engine: Engine, stored?: StoredWorld): void {
    this.#engine = engine
    this.#storage.stopCompacting?.()
    // Otherwise the storage does not have this world yet, so the first save writes all of it.
    this.#resumes = (stored ? this.#isUsed(stored) : this.#resumes) && engine.resumed
    this.#behind = !this.#resumes
    const saveAfter = (moment: Promise<void> | undefined): void => {
      const saved = Promise.resolve(moment).then(() => this.#trySave())
      void this.#journal.background.watch('save the world', saved)
    }
    engine.changes.listen(() => saveAfter(nextTurn()))
    saveAfter(engine.ready)
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
    const hasMoved = this.#resumes
    const changed = changes.take() ?? (late || hasMoved ? nothingChanged() : undefined)
    const all = this.#behind || changed?.all === true
    if (changed || all) this.#savedNow = clock.now()
    this.#resumes = false
    // If this fails, the changes are lost for later saves, so the next one writes the whole world.
    this.#behind = true
    const records =
      changed && !all ? changedWorld(this.#savable(engine), changed, { hasMoved }) : []
    const appended = records.length > 0 ? this.#storage.append(records) : 'saved'
    if (all || appended === 'replace') this.#storage.replace(this.#whole(engine))
    this.#behind = false
    this.#lastFailure = undefined
    engine.clientPlatform.blobs.removeUnused()
    if (appended === 'compact') this.#compact(engine)
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
      drain(outcome, { journal: this.#journal })
      return encode(apiErrors.internal(host, `not saved: ${(error as Error).message}`), host)
    }
  }

  #isUsed(stored: StoredWorld): boolean {
    try {
      stored.use()
      return true
    } catch (error) {
      stored.drop()
      this.#failed(error)
      return false
    }
  }

  close(): void {
    this.#trySave()
    this.#stopBeat()
    this.#engine = undefined
    this.#storage.close()
  }

  #savable(engine: Engine): SavableWorld<WholeWorld> {
    const { contents } = this.#storage
    const parts = contents ? savedParts.filter((part) => !part.isContent) : savedParts
    return { parts, world: { engine, webhooks: this.#webhooks } }
  }

  #whole(engine: Engine): Iterable<AnyRecord> {
    return wholeWorld(this.#savable(engine))
  }

  #compact(engine: Engine): void {
    const compacted = this.#storage.compact?.(this.#whole(engine), nextTurn)
    if (compacted) void this.#journal.background.watch('compact the world', compacted)
  }

  /** Notes each failure once, although every beat of the clock may fail again. */
  #failed(error: unknown): void {
    const failure = String(error)
    if (failure === this.#lastFailure) return
    this.#lastFailure = failure
    this.#journal.background.report('save the world', error)
  }
}
