import { SeededRandom } from '../../base/random/random.js'
import { Clock, type ClockMode, type ClockOptions } from '../../base/clock/clock.js'
import type { TaskFacts } from '../../base/clock/timer-queue.js'
import { LOCAL_ACCOUNT } from '../scenario/account.js'
import { baseModelIds } from '../scenario/base-models.js'
import { Chat } from './chat/chat.js'
import { Checkpointing } from './jobs/checkpointing.js'
import { Faults } from './faults/faults.js'
import { Lessons } from './jobs/lessons.js'
import { Lineage } from './lineage/lineage.js'
import { Meter } from './meter/meter.js'
import { DelayedResponses } from './delayed-responses.js'
import { EngineEvents } from './engine-events.js'
import type { Pieces } from '../../base/clock/slices.js'
import { Changes } from './saved/unsaved-changes.js'
import { savedFrame } from './saved-frame.js'
import { deletedModels, savedModels } from './saved-models.js'
import { restoreWorld, type RestoredWorld, type SavedWorld } from './saved/restore.js'
import type { Journal } from './journal.js'
import type { ModelName, ModelState } from './model.js'
import type { AutomationStore } from './automation-store.js'
import { AutoSkip } from './auto-skip.js'
import { withoutNotes } from '../scenario/notes.js'
import type { Scenario } from '../scenario/scenario.js'
import type { TokenizerSource } from '../scenario/tokenizer-files.js'
import { ARTIFACT_DIGEST_PREFIX } from '../../base/text/vendor/platform-names.js'
import { CheckpointArtifacts } from './checkpoint-artifacts.js'
import type { BlobFiles } from '../platform/blob-files.js'
import { Platform } from '../platform/platform.js'
import type { PlatformChange } from '../platform/platform-change.js'
import { recordChanges } from './platform/platform-parts.js'
import { eventfulChanges } from './platform-events.js'
import { ClientWaits } from './waits/client-waits.js'
import { Store, type FoundModel } from './store.js'
import { Timeline } from './timeline.js'
import { Training, type TrainingWorld } from './jobs/training.js'
import { Warnings } from './warnings.js'

export interface EngineOptions {
  scenario: Scenario
  /** The scenario as snapshots save it: without the keys and receivers that each start adds. */
  savedScenario: Scenario
  seed: number
  clock: ClockOptions
  /** The moment on its clock, in milliseconds since the epoch, of a saved world that `restore` takes. */
  restoresFrom?: number | undefined
  /** Where the contents of runs and artifacts are, if not in memory. */
  blobFiles?: BlobFiles | undefined
  /** Finds the tokenizers of base models. */
  tokenizerFiles: TokenizerSource
  /** It outlives the engine, so that its listeners also get the entries of the next engine. */
  journal: Journal
  /** How many jobs are kept. Default: 20,000. */
  keepJobs?: number | undefined
  /** It outlives the engine, because each warning is given once. Default: the journal alone has them. */
  warnings?: Warnings | undefined
}

/** Clients may change the scenario for ever. */
export const MOST_EARLIER = 10

/** Plays the scenario of one world. It has the clock, random draws, records, jobs, faults and chats of the world. */
export class Engine implements TrainingWorld {
  readonly clock: Clock
  readonly random: SeededRandom
  readonly journal: Journal
  readonly events: EngineEvents
  /** The changes that a data folder has not saved yet. */
  readonly changes = new Changes()
  readonly checkpointing: Checkpointing
  readonly store: Store
  /** The same as `platformWithCheckpoints`, as it is: without the checkpoints that nobody asked for yet. */
  readonly clientPlatform: Platform
  /** The checkpoints as artifacts. */
  readonly checkpointArtifacts: CheckpointArtifacts
  /** What the models learned from rewards. */
  readonly lessons: Lessons
  /** What was sampled, and what was trained on it. */
  readonly lineage: Lineage
  /** What chats use. */
  readonly meter: Meter
  readonly training: Training
  readonly autoSkip: AutoSkip
  readonly faults: Faults
  readonly timeline: Timeline
  readonly delayed: DelayedResponses
  /** How clients wait. It is not saved. */
  readonly clientWaits: ClientWaits
  readonly warnings: Warnings
  /** When the engine started, in milliseconds since the epoch, on its clock. */
  readonly startedAt: number
  readonly chat: Chat
  readonly tokenizerFiles: TokenizerSource
  scenario: Scenario
  savedScenario: Scenario
  /** The names of the scenarios that were played before: the first one, and the latest `MOST_EARLIER`. */
  readonly earlierScenarios: string[] = []
  #awake = false
  /** The webhooks and automations of the world. Set before it takes calls. */
  automations: AutomationStore | undefined
  /** Whether the world was restored from a snapshot of the same scenario. */
  resumed = false
  /** The moment from which the times of the scenario count, in milliseconds since the epoch. */
  began: number
  /** Resolves when the models of the scenario exist. Undefined after that. */
  ready: Promise<void> | undefined

  constructor(options: EngineOptions) {
    const { scenario, savedScenario, seed, clock, journal, restoresFrom } = options
    this.scenario = scenario
    this.tokenizerFiles = options.tokenizerFiles
    this.savedScenario = savedScenario
    const { background } = journal
    // Each part gets an engine that is not whole yet. Its constructor may use what is set above it, and keeps the rest
    // for later. Listeners hear an event in the order in which the parts subscribe here.
    this.warnings = options.warnings ?? new Warnings(journal)
    this.events = new EngineEvents(background)
    this.clock = new Clock({
      ...clock,
      start: restoresFrom,
      failed: ({ facts }, error) => {
        background.report(`run ${scheduled(facts)}`, error, facts?.cause)
      },
    })
    this.began = this.clock.now()
    this.startedAt = this.clock.now()
    this.random = new SeededRandom(seed)
    this.journal = journal
    this.checkpointing = new Checkpointing(this)
    // A new model has a checkpoint of step 0: the untrained adapter.
    this.store = new Store((model) => {
      this.changes.changed(savedModels, model.record.id, model)
      this.checkpointing.add(model)
    })
    this.clientPlatform = new Platform({
      now: () => this.clock.now(),
      random: this.random,
      digestPrefix: ARTIFACT_DIGEST_PREFIX,
      changed: recordChanges(this.changes),
      blobFiles: options.blobFiles,
    })
    this.checkpointArtifacts = new CheckpointArtifacts(this, this.clientPlatform)
    this.clientPlatform.subscribe((change) => {
      if (this.checkpointArtifacts.isMirroring) return
      this.checkpointArtifacts.adopt(change)
      this.#emitChange(change)
    })
    this.events.subscribe((event) => this.checkpointArtifacts.follow(event))
    this.lessons = new Lessons(this)
    this.lineage = new Lineage(this)
    this.meter = new Meter(this)
    this.training = new Training(this, options.keepJobs)
    this.autoSkip = new AutoSkip(this)
    this.faults = new Faults(this)
    this.timeline = new Timeline(this)
    this.delayed = new DelayedResponses(this.clock)
    this.clientWaits = new ClientWaits(this)
    this.chat = new Chat(this)
    if (restoresFrom === undefined) this.#begin()
  }

  /**
   * The runs and artifacts beside the service, with all checkpoints. It first adds, changes and deletes the artifacts of
   * checkpoints that are behind. Code that must change nothing reads `clientPlatform`.
   */
  platformWithCheckpoints(): Platform {
    this.checkpointArtifacts.update()
    return this.clientPlatform
  }

  #emitChange(change: PlatformChange): void {
    for (const each of eventfulChanges(change)) {
      const { at, cause } = each
      this.events.emit({ type: 'platform_changed', at, cause, change: each })
    }
  }

  /** Finds or creates the model of that name. */
  async modelCalled(
    called: ModelName & { cause?: number },
    base_model: string,
  ): Promise<FoundModel> {
    const { entity, project, name, cause } = called
    const found = await this.store.modelCalled({ entity, project, name }, (generation) => {
      const id = this.random.uuid('model', entity, project, name, generation)
      return { id, entity, project, name, base_model, run_id: this.random.token(8, 'run', id) }
    })
    if (found.created) {
      const at = this.clock.now()
      this.events.emit({ type: 'model_created', at, model: found.state, cause })
    }
    return found
  }

  /**
   * Call it with each request. Under the real clock, the times of the scenario (`at`, `during`) count from the
   * first request, because users start their client after the emulator.
   */
  wake(): void {
    if (this.#awake) return
    this.#awake = true
    this.changes.changed(savedFrame)
    this.began = this.clock.now()
    this.faults.begin()
    this.timeline.apply(this.scenario.timeline)
  }

  /** Under the `auto` and `instant` clocks, moves time to a moment, in milliseconds since the epoch. */
  skipTo(moment: number): void {
    if (this.clock.mode === 'auto' || this.clock.mode === 'instant') this.clock.skipTo(moment)
  }

  /**
   * Switches the mode or the speed of the clock. Scheduled tasks stay. Under `instant` all of them run at once,
   * and under `auto` delayed responses are sent at once.
   */
  useClock(mode: ClockMode, speed?: number): void {
    this.clock.use(mode, { speed })
    if (mode === 'instant') while (this.clock.next());
    if (mode === 'auto') while (this.delayed.size > 0 && this.clock.next());
  }

  /** Deletes a model. Its jobs fail first, so that clients that poll them see their end. */
  deleteModel(model: ModelState): void {
    this.training.abandon(model, 'Model was deleted')
    this.checkpointArtifacts.forgetModel(model)
    this.store.deleteModel(model)
    this.lessons.forgetModel(model.record.id)
    this.changes.changed(deletedModels, model.record.id, undefined)
  }

  /**
   * Switches to the keys, rules and base models of another scenario. Its models are added to the existing ones.
   * Existing jobs keep their scripts.
   */
  applyScenario(scenario: Scenario, savedScenario: Scenario): void {
    if (scenario.name !== this.scenario.name) this.earlierScenarios.push(this.scenario.name)
    if (this.earlierScenarios.length > MOST_EARLIER + 1) this.earlierScenarios.splice(1, 1)
    this.scenario = scenario
    this.savedScenario = savedScenario
    this.#begin()
  }

  /**
   * Takes a saved world, a piece at a time. Nothing happens in it before `resume` of the result. If the scenario is
   * another one, its faults and timeline start from the beginning.
   */
  *restore(saved: SavedWorld): Pieces<RestoredWorld> {
    const same = isSame(saved.scenario, this.savedScenario)
    this.#awake = same && saved.awake
    this.resumed = same
    // A moment of the real clock has fractions. Without the brackets, their sum could be another one.
    if (same) this.began = saved.began + (this.startedAt - saved.now)
    this.store.forgottenJobs = saved.forgotten_jobs ?? 0
    const restored = yield* restoreWorld({ engine: this }, saved, { sameScenario: same })
    const resume = (): void => {
      restored.resume()
      if (!same) this.faults.apply(this.scenario.faults)
      this.#beReadyAfter(async () => {
        await this.#offerBaseModels()
        await restored.whole
        if (!same) await this.#createModels()
      })
      if (!same && this.clock.mode !== 'real') this.wake()
    }
    return { whole: restored.whole, resume }
  }

  /** Cancels everything that is scheduled, and cuts off every delayed response. */
  stop(): void {
    this.timeline.stop()
    this.delayed.releaseAll()
    this.clock.clear()
  }

  /** Stops forever. Requests that are in progress have no further effect. */
  end(): void {
    this.stop()
    this.lineage.end()
    this.clock.end()
  }

  /** Whether the times of the scenario count: the first request has come. */
  get awake(): boolean {
    return this.#awake
  }

  /** Starts the scenario. Requests wait until its models exist. */
  #begin(): void {
    this.#awake = false
    this.resumed = false
    this.faults.apply(this.scenario.faults)
    this.timeline.stop()
    // The webhooks and all other parts of the last scenario are also gone.
    this.changes.all()
    if (this.clock.mode !== 'real') this.wake()
    this.#beReadyAfter(async () => {
      await this.#offerBaseModels()
      await this.#createModels()
    })
  }

  #beReadyAfter(work: () => Promise<void>): void {
    const ready = Promise.resolve(this.ready)
      .then(work)
      .then(async () => this.lessons.load())
      // Requests wait for it. They are answered without what is missing.
      .catch((error: unknown) => {
        this.journal.background.report('create what the scenario begins with', error)
      })
      .finally(() => {
        if (this.ready === ready) this.ready = undefined
      })
    this.ready = ready
  }

  async #offerBaseModels(): Promise<void> {
    this.store.baseModels.deleteMany((query) => query.where(() => true))
    for (const id of baseModelIds(this.scenario)) await this.store.baseModels.create({ id })
  }

  async #createModels(): Promise<void> {
    for (const { base_model, entity = LOCAL_ACCOUNT.entity, ...name } of this.scenario.models) {
      await this.modelCalled({ entity, ...name }, base_model)
    }
  }
}

/** A scheduled task that failed, in words. What it would do next is no longer known. */
function scheduled({ kind = 'task', jobId, deliveryId }: Partial<TaskFacts> = {}): string {
  if (jobId !== undefined && kind === 'job') return `what job ${jobId.slice(0, 8)} does next`
  if (deliveryId !== undefined) return `what was scheduled for delivery ${deliveryId.slice(0, 8)}`
  return kind === 'task' ? 'a scheduled task' : `a scheduled task of kind ${kind}`
}

/**
 * Whether a saved world can resume under another scenario as if it were the same one. Keys, secrets and notes for people
 * change nothing in it.
 */
function isSame(one: Scenario, other: Scenario): boolean {
  const plain = ({ auth: _keys, secrets: _secrets, ...others }: Scenario): string => {
    return JSON.stringify(withoutNotes(others))
  }
  return plain(one) === plain(other)
}
