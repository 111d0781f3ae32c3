import type { BaseWorld } from '../base-world.js'
import { isChatOperation } from '../../contract/operation-names.js'
import type { TrajectoryGroup } from '../../contract/trajectory.js'
import { faultDefinition } from '../../scenario/faults/kinds/index.js'
import { lengthOf, tokensOf } from '../chat/answer.js'
import type { Completion } from '../chat/completion.js'
import type { ChatRequest } from '../chat/request.js'
import type { Job } from '../jobs/job.js'
import { needsLogprobs, type RlConfig } from '../jobs/rl-config.js'
import type { JournalEntry, RequestEntry } from '../journal.js'
import type { ModelState } from '../model.js'
import { hashOfMessages } from './conversation-hash.js'
import { hashOfIds, hashOfText } from './running-hash.js'
import { Contents } from './contents.js'
import { FailedChats } from './failed-chats.js'
import { formatSources } from './format-sources.js'
import { NO_JOB, TrajectoryMatcher } from './match-trajectories.js'
import { answerText, LONGEST_TEXT, type Sample } from './sample.js'
import { RecentTurns } from './recent-turns.js'
import { Samples } from './samples.js'
import { savedFailedChats, savedSamples, savedTrainedJobs } from './saved-lineage.js'
import {
  sizeOf,
  trajectoriesOf,
  type TrainedAnswer,
  type TrainedJob,
  type TrajectoryPlace,
} from './trained-job.js'

/** What looks at the lineage while it grows. */
export interface LineageWatcher {
  /** Called with each job that was submitted. */
  trained: (job: TrainedJob) => void
  /** Called with each request that deletes checkpoints. */
  deleted: (request: RequestEntry) => void
}

interface SubmittedJob {
  readonly model: ModelState
  readonly job: Job
  /** The step of the newest checkpoint before the job. */
  readonly latest: number
  readonly config: RlConfig
}

/** How the splits of what is trained begin: `train`, `training`, `train-hard`. */
const TRAINING_SPLIT = 'train'

/** The most samples whose texts are looked for in a call that failed. */
const MOST_QUOTED = 256

/**
 * How many trajectories a world remembers. Those of the oldest jobs are forgotten once there are a quarter more: a map
 * whose first entry is removed again and again is slow to begin.
 */
const REMEMBERED_TRAJECTORIES = 20_000

/**
 * What was sampled, and what is trained. It remembers each answer to a chat, and finds it again in the trajectories of
 * jobs. The checks of training data read it.
 */
export class Lineage {
  readonly samples = new Samples()
  readonly failed = new FailedChats()
  readonly contents = new Contents()
  readonly #turns = new RecentTurns()
  /**
   * The hashes of the trajectories that were logged with a split other than that of training. They are not saved: what
   * was marked with a split is.
   */
  readonly #logged = new Set<number>()
  readonly #jobs = new Map<string, TrainedJob>()
  readonly #world: BaseWorld
  readonly #unsubscribe: () => void
  /** The place where each sample was trained last, by its number. */
  readonly #uses = new Map<number, TrajectoryPlace>()
  /** The samples among them that were found by their messages alone: of several, another one may have been meant. */
  readonly #guessed = new Set<number>()
  /** The jobs that were there when the world was restored. */
  readonly #restored = new Set<string>()
  #trajectories = 0
  #watcher: LineageWatcher | undefined

  constructor(world: BaseWorld) {
    this.#world = world
    this.#unsubscribe = world.journal.subscribe((entry) => this.#notice(entry))
  }

  /** The jobs that were submitted with trajectories, in the order in which they were submitted. */
  get jobs(): Iterable<TrainedJob> {
    return this.#jobs.values()
  }

  /** Where a sample was trained last. Undefined if no job has used it. */
  readonly useOf = ({ number }: Pick<Sample, 'number'>): TrajectoryPlace | undefined => {
    return this.#uses.get(number)
  }

  /** Remembers the answers to a chat. */
  sampled(
    { params, served }: Pick<ChatRequest, 'params' | 'served'>,
    { id, answers, answeredBy, isOfJudge, unreadable, driftingIds }: Completion,
    request: number,
  ): void {
    const { messages } = params
    const hash = hashOfMessages(messages)
    const prompt = hash.value
    const isNoLongerFailed = this.failed.answered(prompt, messages, this.samples)
    if (unreadable) this.failed.misjudged(messages, this.#newest(), unreadable)
    if (isNoLongerFailed || unreadable) this.#world.changes.changed(savedFailedChats)
    const at = this.#world.clock.now()
    const { model, step } = sourceIn(served, answeredBy)
    // A client that gets no ids cannot submit them.
    const hasIds = params.returnsTokenIds || params.namesTokensById
    const drift = driftingIds && this.#turns.driftIn(messages, driftingIds)
    for (const [choice, { answer }] of answers.entries()) {
      const text = answerText(answer)
      const through = hash.copy().add('assistant', text).value
      const ids = hasIds || driftingIds ? tokensOf(answer).map((token) => token.id) : []
      if (driftingIds) this.#turns.add(through, { prompt: driftingIds, answer: ids })
      const sample: Sample = {
        number: this.samples.newest + 1,
        completion: id,
        choice,
        at,
        model,
        step,
        text: text.slice(0, LONGEST_TEXT),
        prompt,
        through,
        words: hashOfText(text),
        ids: hasIds ? hashOfIds(ids) : 0,
        tokens: lengthOf(answer),
        finishReason: answer.finishReason,
        logprobs: params.logprobs,
        drift,
        isOfJudge,
        request,
      }
      this.samples.add(sample)
      this.#changed(sample)
    }
    for (const number of this.samples.forgetOldest()) {
      this.#uses.delete(number)
      this.#guessed.delete(number)
      this.#world.changes.changed(savedSamples, String(number), undefined)
    }
  }

  /** Finds the samples of what a job submits. Returns what the journal says about them. */
  trained(
    { model, job, latest, config }: SubmittedJob,
    groups: readonly TrajectoryGroup[],
  ): string | undefined {
    const { id, base_model } = model.record
    const isStrict = needsLogprobs(config)
    const matcher = new TrajectoryMatcher(this, { model, job: job.id, needsLogprobs: isStrict })
    const trained: TrainedJob = {
      job: job.id,
      model: id,
      at: this.#world.clock.now(),
      latest,
      afterChats: this.samples.hasAnswered(id) || this.samples.hasAnswered(base_model),
      needsLogprobs: isStrict,
      groups: matcher.groups(groups),
      request: job.cause,
    }
    this.#remember(trained)
    this.#world.journal.background.run('check what a job trains on', () => {
      this.#watcher?.trained(trained)
    })
    return formatSources(trained)
  }

  /** The jobs that were submitted since the world was restored. */
  get newJobs(): TrainedJob[] {
    return [...this.#jobs.values()].filter(({ job }) => !this.#restored.has(job))
  }

  /** Whether trajectories were logged with a split other than that of training. */
  get hasSplits(): boolean {
    const isMarked = ({ split }: { split?: string | undefined }): boolean => split !== undefined
    if (this.#logged.size > 0 || [...this.samples.all].some(isMarked)) return true
    const jobs = [...this.#jobs.values()]
    return jobs.flatMap(trajectoriesOf).some(({ trajectory }) => isMarked(trajectory))
  }

  /** Notices what is logged with a split other than that of training. */
  logged(model: ModelState, groups: readonly TrajectoryGroup[], split: string): void {
    if (split.startsWith(TRAINING_SPLIT)) return
    const matcher = new TrajectoryMatcher(this, { model, job: NO_JOB, needsLogprobs: undefined })
    for (const trajectory of groups.flatMap(({ trajectories = [] }) => trajectories)) {
      // A log call whose answer was lost comes again.
      const hash = hashOfText(JSON.stringify(trajectory))
      if (this.#logged.has(hash)) continue
      if (this.#logged.size >= REMEMBERED_TRAJECTORIES) this.#logged.clear()
      this.#logged.add(hash)
      const { samples, trained } = matcher.logged(trajectory, split)
      this.#markTrained(trained, split)
      for (const number of samples) {
        const sample = this.samples.get(number)!
        sample.split = split
        this.#changed(sample)
        this.#markTrained(this.useOf(sample), split)
      }
    }
  }

  /** Marks a trajectory with the split that it was logged with later. */
  #markTrained(place: TrajectoryPlace | undefined, split: string): void {
    const job = place && this.#jobs.get(place.job)
    const trajectory = job?.groups[place!.group]?.trajectories[place!.trajectory]
    if (!job || !trajectory) return
    trajectory.split = split
    this.#world.changes.changed(savedTrainedJobs, job.job, job)
  }

  /** Whether a job that did not fail has used a sample. */
  readonly isUsed = ({ number }: Pick<Sample, 'number'>): boolean => {
    const use = this.#uses.get(number)
    return use !== undefined && !this.hasFailed(use.job)
  }

  readonly hasFailed = (job: string): boolean => {
    return this.#world.store.jobs.get(job)?.progress.status === 'failed'
  }

  readonly modelOf = (job: string): string | undefined => {
    return this.#world.store.jobs.get(job)?.model.id
  }

  /** Whether a sample was found by its messages alone where it was trained last. */
  readonly isGuessed = (number: number): boolean => this.#guessed.has(number)

  /** Marks the samples of answers as trained at a place. */
  use(answers: readonly TrainedAnswer[], place: TrajectoryPlace): void {
    for (const { sample, by } of answers) {
      if (sample === undefined) continue
      this.#uses.set(sample, place)
      if (by === 'prompt') this.#guessed.add(sample)
      else this.#guessed.delete(sample)
    }
  }

  /** Restores a saved job. */
  restoreJob(trained: TrainedJob): void {
    this.#restored.add(trained.job)
    this.#remember(trained)
    for (const { place, trajectory } of trajectoriesOf(trained)) {
      this.use(trajectory.answers, place)
    }
  }

  /** Tells a watcher what is trained and deleted from now on. */
  watch(watcher: LineageWatcher): void {
    this.#watcher = watcher
  }

  /** Ends with its engine. */
  end(): void {
    this.#unsubscribe()
  }

  #changed(sample: Sample): void {
    this.#world.changes.changed(savedSamples, String(sample.number), sample)
  }

  #remember(trained: TrainedJob): void {
    this.#jobs.set(trained.job, trained)
    this.#world.changes.changed(savedTrainedJobs, trained.job, trained)
    this.#trajectories += sizeOf(trained)
    if (this.#trajectories <= 1.25 * REMEMBERED_TRAJECTORIES) return
    for (const oldest of this.#jobs.values()) {
      if (this.#trajectories <= REMEMBERED_TRAJECTORIES || this.#jobs.size === 1) break
      this.#jobs.delete(oldest.job)
      this.#trajectories -= sizeOf(oldest)
      this.#world.changes.changed(savedTrainedJobs, oldest.job, undefined)
    }
  }

  /** Notices chats that fail, and checkpoints that are deleted. */
  #notice(entry: JournalEntry): void {
    if (entry.kind !== 'request') return
    if (entry.operation === 'deleteCheckpoints') this.#watcher?.deleted(entry)
    if (!isChatOperation(entry.operation)) return
    if (entry.status === 200 && entry.lost === undefined && entry.faults.length === 0) return
    const isEdited = entry.faults.some(({ fault }) => faultDefinition(fault).damage === 'changed')
    if (isEdited) this.#markEdited(entry)
    if (this.failed.record(entry, this.#newest())) {
      this.#world.changes.changed(savedFailedChats)
    }
  }

  #markEdited({ id }: RequestEntry): void {
    for (const sample of this.#newest()) {
      if (sample.request !== id) continue
      sample.isEdited = true
      this.#changed(sample)
    }
  }

  /** The newest samples. A judge is asked for answers that were just given. */
  #newest(): Sample[] {
    return Array.from({ length: MOST_QUOTED }, (_, back) => {
      return this.samples.get(this.samples.newest - back)
    }).filter((sample) => sample !== undefined)
  }
}

/** Which model answered, and at which step. */
function sourceIn(
  served: ChatRequest['served'],
  answeredBy: string | undefined,
): Pick<Sample, 'model' | 'step'> {
  if (answeredBy !== undefined) return { model: answeredBy, step: null }
  if (served.kind === 'base') return { model: served.id, step: null }
  return { model: served.model.record.id, step: served.checkpoint.step }
}
