import { allAtOnce, inSlices } from '../base/clock/slices.js'
import { nextTurn } from '../base/clock/wall.js'
import { newSecret } from '../base/random/secret.js'
import { ContentAddresses } from '../service/api/platform/content-addresses.js'
import type { Host, Outcome } from '../service/contract/exchange.js'
import { Engine } from '../service/engine/engine.js'
import type { Journal } from '../service/engine/journal.js'
import type { SavedWorld } from '../service/engine/saved/restore.js'
import { wholeWorld } from '../service/engine/saved/save.js'
import { Warnings } from '../service/engine/warnings.js'
import { builtInScenario, isBuiltIn } from '../service/scenario/built-in-scenarios.js'
import { withAnyModel, withKeys } from '../service/scenario/scenario-with.js'
import { missingSecrets, missingText } from '../service/scenario/missing-secrets.js'
import type { Scenario } from '../service/scenario/scenario.js'
import type { Receivers } from '../webhooks/sending/receivers.js'
import type { Webhooks } from '../webhooks/sending/webhooks.js'
import type { Closing } from './closing.js'
import type { WhichScenario } from './emulator-options.js'
import type { EmulatorParts, Initial } from './emulator-parts.js'
import { LOCAL_API_KEY } from './local-key.js'
import { savedParts } from './saved-parts.js'
import { withFunctionsOf } from './continuation.js'
import type { WorldMoment } from './snapshot.js'
import { SnapshotError } from './snapshot-error.js'
import { warnOfTraining } from './testing/training-warnings.js'
import { WorldKeeper, type StoredWorld } from './world-keeper.js'

type Parts = Pick<
  EmulatorParts<unknown>,
  | 'apiKeys'
  | 'checks'
  | 'clock'
  | 'keepJobs'
  | 'saved'
  | 'scenario'
  | 'serveAnyModel'
  | 'storage'
  | 'tokenizers'
  | 'warnings'
>

/** What a world is created with. */
interface WorldStart {
  readonly parts: Parts
  readonly seed: number
  readonly initial: Initial
  readonly closing: Closing
  readonly journal: Journal
  readonly webhooks: Webhooks
  readonly receivers: Receivers
  /** The API key whose world it is, and its name. Default: it is the world of all keys. */
  readonly ofKey: { readonly key: string; readonly name: string } | undefined
}

/** The scenario of a world. */
interface PlayedScenario extends Initial {
  /** The scenario without the keys and receivers that are added to it. */
  readonly ownScenario: Scenario
}

/** What a reset takes. Default: the scenario and the seed of the creation. */
interface StartOver {
  readonly scenario: Scenario | undefined
  readonly seed: number | undefined
}

/** An engine that plays a scenario, and what is saved of it. A reset or a restore replaces the engine. */
export class PlayedWorld {
  readonly #parts: Parts
  readonly #journal: Journal
  readonly #webhooks: Webhooks
  readonly #receivers: Receivers
  readonly #closing: Closing
  readonly #ofKey: WorldStart['ofKey']
  readonly #keeper: WorldKeeper | undefined
  #initial: Initial
  #played: PlayedScenario
  #engine: Engine
  #contents: ContentAddresses
  /** It outlives the engine, so that each warning is given once. */
  readonly #warnings: Warnings
  #starts = 0
  #servesAnyModel: true | undefined
  /** The last of the restores that run one after the other. */
  #restored: Promise<void> = Promise.resolve()

  /** Call `begin` when the emulator has it: only then its journal can tell the time, which it asks the engine for. */
  constructor({ parts, seed, initial, closing, journal, webhooks, receivers, ofKey }: WorldStart) {
    const { storage, saved } = parts
    // Nothing keeps the saved world, which takes as much memory as the world itself.
    this.#parts = { ...parts, saved: undefined }
    this.#journal = journal
    this.#webhooks = webhooks
    this.#receivers = receivers
    this.#closing = closing
    this.#ofKey = ofKey
    this.#initial = initial
    this.#warnings = new Warnings(journal, parts.warnings)
    this.#played = this.#completed(parts.scenario, seed)
    this.#hideKeys()
    this.#keeper = storage && new WorldKeeper({ storage, webhooks, journal })
    this.#contents = this.#createAddresses()
    this.#engine = this.#createEngine(this.#played, saved)
  }

  /** Saves what happens from now on, and sends it. */
  begin(saved: SavedWorld | undefined): void {
    this.#keeper?.keep(this.#engine)
    this.#webhooks.follow(this.#engine, saved)
    if (saved) this.#noteRestored(saved)
  }

  get engine(): Engine {
    return this.#engine
  }

  /** The addresses of its contents. */
  get contents(): ContentAddresses {
    return this.#contents
  }

  /** The scenario, with the keys and webhooks that were added to it. */
  get scenario(): Scenario {
    return this.#played.scenario
  }

  /** The scenario without them. */
  get ownScenario(): Scenario {
    return this.#played.ownScenario
  }

  get seed(): number {
    return this.#played.seed
  }

  /** What a reset returns to. */
  get initial(): Initial {
    return this.#initial
  }

  /** The scenarios that are not built in and have a name here: that of the creation, and the current one. */
  get ownScenarios(): readonly Scenario[] {
    const own = [this.#initial.scenario, this.ownScenario].filter((each) => !isBuiltIn(each))
    return own.filter(({ name }, index) => own.findIndex((each) => each.name === name) === index)
  }

  /** @throws {ScenarioError} When the scenario is unknown or cannot be used. */
  chosen(scenario: WhichScenario): Scenario {
    if (typeof scenario === 'string') {
      return this.ownScenarios.find(({ name }) => name === scenario) ?? builtInScenario(scenario)
    }
    return this.#parts.checks.loaded.scenario(scenario)
  }

  /**
   * Plays another scenario until the next reset, with what is running.
   *
   * @throws {ScenarioError} When a tokenizer cannot be used. Nothing was changed.
   */
  play(scenario: Scenario): void {
    this.#played = this.#usable(scenario, this.seed)
    this.#hideKeys()
    this.#engine.applyScenario(this.scenario, this.ownScenario)
    this.#webhooks.follow(this.#engine)
  }

  /** Plays another scenario, and returns to it with each reset. */
  revise(scenario: Scenario): void {
    this.play(scenario)
    this.#initial = { ...this.#initial, scenario }
  }

  /** Whether it answers any model name because somebody asked for that. Undefined: nobody did. */
  get servesAnyModel(): boolean | undefined {
    return this.#parts.serveAnyModel ?? this.#servesAnyModel
  }

  /** Answers any model name from now on, unless an option decides that. Nothing starts over. */
  serveAnyModel(): void {
    this.#servesAnyModel = true
    this.#played = this.#completed(this.ownScenario, this.seed)
    this.#engine.scenario = this.scenario
  }

  /** Plays the scenario again, for example with one more receiver. */
  playAgain(): void {
    this.play(this.ownScenario)
  }

  /** Starts over, with an empty engine. */
  reset({ scenario = this.#initial.scenario, seed = this.#initial.seed }: StartOver): void {
    const played = this.#usable(scenario, seed)
    this.#startOver(played, this.#createEngine(played))
  }

  /**
   * Replaces the world, at once.
   *
   * @throws {SnapshotError} When the snapshot cannot be used. Nothing was changed.
   */
  restore(snapshot: unknown): void {
    const saved = this.#parts.checks.loaded.snapshot(snapshot)
    const played = this.#continued(saved)
    const engine = this.#newEngine(played, saved)
    try {
      allAtOnce(engine.restore(saved)).resume()
      this.#startOver(played, engine, { saved })
    } catch (error) {
      engine.end()
      throw flawed(error)
    }
  }

  /** Does the same in slices, after the restores before. */
  restoreInSlices(snapshot: unknown): Promise<void> {
    const restored = this.#restored.then(() => this.#restoreInSlices(snapshot))
    this.#restored = restored.catch(() => {})
    return restored
  }

  /** The world as it is now. */
  moment(): WorldMoment {
    const { changes } = this.#engine
    const { count } = changes
    const world = { engine: this.#engine, webhooks: this.#webhooks }
    return {
      records: wholeWorld({ parts: savedParts, world }),
      // Another world may replace this one.
      isSame: () => this.#engine.changes === changes && changes.count === count,
    }
  }

  /** The answer, after what it acknowledges was saved. */
  acknowledged(outcome: Outcome | Promise<Outcome>, host: Host): Outcome | Promise<Outcome> {
    return this.#keeper?.answer(outcome, host) ?? outcome
  }

  /** Saves the world for the last time, and cancels everything that is scheduled. */
  stop(): void {
    this.#keeper?.close()
    this.#webhooks.stop()
    this.#engine.stop()
  }

  async #restoreInSlices(snapshot: unknown): Promise<void> {
    const { readingSnapshot } = await this.#parts.checks.load()
    const pause = async (): Promise<void> => {
      await nextTurn()
      if (this.#closing.closed) throw flawed(new Error('the emulator was closed'))
    }
    const saved = await inSlices(readingSnapshot(snapshot), pause)
    await pause()
    const played = this.#continued(saved)
    if (saved.records.length > MANY_RECORDS) {
      this.#journal.note(`a snapshot with ${saved.records.length} records is being restored`)
    }
    const engine = this.#newEngine(played, saved)
    let stored: StoredWorld | undefined
    try {
      stored = await this.#keeper?.prepare(saved, pause)
      // The contents are in files by now.
      const world = stored ? { ...saved, contents: new Map<string, Uint8Array>() } : saved
      const { whole, resume } = await inSlices(engine.restore(world), pause)
      await whole
      await pause()
      resume()
      this.#startOver(played, engine, { saved, stored })
    } catch (error) {
      engine.end()
      stored?.drop()
      throw flawed(error)
    }
  }

  /** What a saved world continues with. */
  #continued(saved: SavedWorld): PlayedScenario {
    const { scenario, seed } = withFunctionsOf(this.ownScenario, saved)
    return this.#usable(scenario, seed)
  }

  /** The old engine ends only after the new one could be created. */
  #startOver(
    played: PlayedScenario,
    engine: Engine,
    { saved, stored }: { saved?: SavedWorld; stored?: StoredWorld | undefined } = {},
  ): void {
    const before = this.#engine
    try {
      stored?.nameContents()
      this.#webhooks.follow(engine, saved)
    } catch (error) {
      engine.end()
      throw error
    }
    before.end()
    this.#played = played
    this.#hideKeys()
    this.#journal.clear()
    this.#receivers.sink?.forgetWorld?.(this.#journal)
    this.#engine = engine
    this.#contents = this.#createAddresses()
    this.#keeper?.keep(engine, stored)
    if (saved) this.#noteRestored(saved)
  }

  /** Notes what a saved world lacks: a snapshot may leave secrets out, and parts of it may be removed since. */
  #noteRestored({ note }: SavedWorld): void {
    for (const text of [note, missingText(missingSecrets(this.#webhooks.parts))]) {
      if (text !== undefined) this.#journal.note(text)
    }
  }

  #createEngine(played: PlayedScenario, saved?: SavedWorld): Engine {
    const engine = this.#newEngine(played, saved)
    if (saved) allAtOnce(engine.restore(saved)).resume()
    return engine
  }

  /** Creates an engine that a saved world can be restored into. */
  #newEngine({ scenario, ownScenario, seed }: PlayedScenario, saved?: SavedWorld): Engine {
    const { clock, storage, tokenizers, keepJobs } = this.#parts
    const journal = this.#journal
    const engine = new Engine({
      scenario,
      savedScenario: ownScenario,
      seed,
      clock,
      keepJobs,
      journal,
      warnings: this.#warnings,
      restoresFrom: saved?.now,
      blobFiles: storage?.contents,
      tokenizerFiles: tokenizers.filesOf,
    })
    warnOfTraining({ engine, journal, webhooks: this.#webhooks, seed })
    return engine
  }

  /** Addresses end with their engine. Those that a data folder has saved go on after a restart. */
  #createAddresses(): ContentAddresses {
    const number = ++this.#starts
    return new ContentAddresses({
      world: this.#ofKey?.name ?? MAIN_WORLD,
      secret: () => `${this.#contentSecret()} ${number}`,
    })
  }

  /** What nobody outside of the world knows: its keys if there are some. */
  #contentSecret(): string {
    const keys = this.#ofKey ? [this.#ofKey.key] : Object.keys(this.scenario.auth.keys ?? {})
    return keys.length > 0 ? keys.join() : (this.#parts.storage?.secret?.() ?? newSecret())
  }

  /** A scenario with the keys, the receivers and other settings of the options. */
  #completed(ownScenario: Scenario, seed: number): PlayedScenario {
    const { apiKeys = [], tokenizers } = this.#parts
    const keyed = withKeys(tokenizers.completed(ownScenario), apiKeys)
    const scenario = this.#receivers.completed(withAnyModel(keyed, this.servesAnyModel))
    return { ownScenario, scenario, seed }
  }

  /** Hides the keys of this world in what people see of the journal. */
  #hideKeys(): void {
    const keys = Object.keys(this.scenario.auth.keys ?? {})
    this.#journal.redactor.keep('API keys', [LOCAL_API_KEY, this.#ofKey?.key ?? '', ...keys])
  }

  /**
   * Completes a scenario whose tokenizers were not read before.
   *
   * @throws {ScenarioError} When a tokenizer cannot be used. Nothing was changed.
   */
  #usable(scenario: Scenario, seed: number): PlayedScenario {
    this.#parts.tokenizers.load(scenario)
    return this.#completed(scenario, seed)
  }
}

/** The name of the world of all keys, in addresses of contents. */
const MAIN_WORLD = 'main'

/** How many records take so long to restore that somebody wonders. */
const MANY_RECORDS = 1000

function flawed(error: unknown): SnapshotError {
  if (error instanceof SnapshotError) return error
  const message = (error as Error).message.replace(/\.$/, '')
  return new SnapshotError(
    'SVTRAIN_SNAPSHOT_INVALID',
    `Failed to restore the snapshot: ${message}. Nothing was changed.`,
  )
}
