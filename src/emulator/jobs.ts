import { counted } from '../base/text/counted.js'
import { LOCAL_ACCOUNT } from '../service/scenario/account.js'
import { createRlTrainingJob } from '../service/api/rl-job.js'
import { createSftJob } from '../service/api/sft-job.js'
import { createTrainingJob } from '../service/contract/training-job.js'
import type { ContractVersion } from '../service/contract/versions.js'
import { validate } from '../service/contract/pydantic/validate.js'
import type { Engine } from '../service/engine/engine.js'
import { hitText } from '../service/engine/faults/fault-names.js'
import type { FaultRequest } from '../service/engine/faults/matches-call.js'
import type { Job } from '../service/engine/jobs/job.js'
import type { ModelState } from '../service/engine/model.js'
import { submitGroups } from '../service/engine/jobs/overlong.js'
import { assumedSubmission, type SubmittedJob } from '../service/engine/jobs/submission.js'
import { assumedExamples } from '../service/engine/jobs/assumed-data.js'
import { findJob, JobHandle, type WhichJob } from './testing/job-handle.js'
import { whyNotMoving } from './testing/waiting.js'
import type { TestedWorld } from './testing/world.js'
import { invent } from '../base/random/invent.js'
import {
  anyList,
  aText,
  checkArgument,
  oneOf,
  Options,
  OptionsError,
  wholeNumber,
} from '../base/text/options.js'
import { MOST_STEPS } from '../service/scenario/most-steps.js'
import type { JobKind, JobRule, ScenarioInput } from '../service/scenario/scenario.js'
import type { ChecksSource } from './checks.js'
import {
  ArrangeError,
  defaultBaseModel,
  whichModel,
  type Models,
  type WhichModel,
} from './models.js'

/** A job to start. What you leave out is invented. */
export interface JobToStart {
  /** A model's id, name or record. A name that no model has creates one. Default: a new model. */
  model?: WhichModel
  /** The kind of training. Default: `rl`. */
  kind?: 'rl' | 'sft'
  /** For an RL job: what a client sends. It is checked in the same way. Default: two groups of two. */
  trajectory_groups?: readonly { readonly trajectories: readonly object[] }[]
  /** For an SFT job: the number of examples. Default: what the scenario says. */
  examples?: number
  /** What happens to the job, written as in a scenario. Default: the scenario decides. */
  timeline?: NonNullable<ScenarioInput['jobs']>[number]['timeline']
}

/** The id with which trajectories are read before their model may be created. */
export const NO_MODEL = '00000000-0000-0000-0000-000000000000'

export const jobToStart = new Options<JobToStart>('jobs.start', {
  model: whichModel,
  kind: oneOf('rl', 'sft'),
  trajectory_groups: anyList,
  examples: wholeNumber({ least: 1, most: MOST_STEPS }),
  timeline: anyList,
})

interface CheckedWorld extends TestedWorld {
  readonly contract: ContractVersion
  readonly checks: ChecksSource
}

interface ReadJob {
  readonly kind: JobKind
  readonly submitted: SubmittedJob
  /** What happens to the job. Default: the scenario decides. */
  readonly rule: JobRule | undefined
  /** The id of the journal entry that asks for the job. */
  readonly cause?: number | undefined
}

/** Starts and moves jobs without a request: `emulator.jobs`. */
export class Jobs {
  readonly #world: CheckedWorld
  readonly #models: Models

  constructor(world: CheckedWorld, models: Models) {
    this.#world = world
    this.#models = models
  }

  /** All jobs, in order of creation. */
  get all(): JobHandle[] {
    return [...this.#engine.store.jobs.values()].map((job) => this.#handle(job))
  }

  /**
   * Returns a job: by its id, the latest of a model, or the latest of all. The handle stays up to date.
   *
   * @throws {NoSuchJobError} When there is no such job.
   * @throws {OptionsError} When `which` can't be used.
   * @example
   * const job = emulator.jobs.get({ model: 'poet' })
   */
  get(which?: WhichJob): JobHandle {
    return this.#handle(findJob(this.#world, which))
  }

  /**
   * Creates a job, as a request does: it is queued, and the scenario decides what happens.
   *
   * @param named What is known about the job. Default: an RL job of a new model.
   * @returns The job.
   * @throws {ArrangeError} When the trajectories or the model can't be used.
   * @throws {ScenarioError} When the timeline can't be used.
   * @throws {OptionsError} When a value can't be used.
   * @example
   * const job = await emulator.jobs.start({ model: 'poet' })
   */
  async start(named: JobToStart = {}): Promise<JobHandle> {
    jobToStart.check(named)
    const { timeline, kind = 'rl', trajectory_groups: groups } = named
    const surplus = surplusOf(kind, named)
    if (surplus) throw new OptionsError({ of: jobToStart.of, path: surplus.option }, surplus.text)
    const rule = timeline && (await this.#world.checks.load()).timeline(timeline)
    // Read before a model is created: a refused call has no effect.
    if (groups) await this.#read(groups, NO_MODEL)
    const model = await this.#models.findOrCreate(named.model)
    const submitted = kind === 'rl' ? await this.#rl(model, named) : this.#sft(model, named)
    return this.#handle(this.create(model, { kind, submitted, rule }))
  }

  /**
   * Creates a job of what was read. A fault can make it fail, as one of a client.
   *
   * @internal
   */
  create(model: ModelState, { kind, submitted, rule, cause }: ReadJob): Job {
    const { faults, journal, training } = this.#engine
    const fault = faults.failJob(() => factsOf(kind, model))
    if (fault) journal.note(hitText(fault.hit), cause)
    return training.create(model, { kind, submitted, rule, cause, failure: fault?.failed })
  }

  /**
   * Makes a job fail now.
   *
   * @param which The job. Default: the latest job.
   * @param errorMessage What clients read as `error_message`. Default: `Training failed`.
   * @returns The job.
   * @throws {ArrangeError} When the job is over.
   * @throws {NoSuchJobError} When there is no such job.
   * @throws {OptionsError} When an argument can't be used.
   * @example
   * const job = await emulator.jobs.start()
   * emulator.jobs.fail(job, 'out of memory')
   */
  fail(which?: WhichJob, errorMessage = 'Training failed'): JobHandle {
    checkArgument('jobs.fail', { name: 'errorMessage', value: errorMessage, kind: aText })
    const { job, model } = this.#movable('fail', which)
    this.#engine.training.fail(model, job, errorMessage)
    return this.#handle(job)
  }

  /**
   * Ends a job successfully now. Its remaining events happen at once.
   *
   * @param which The job. Default: the latest job.
   * @returns The job.
   * @throws {ArrangeError} When the job is over.
   * @throws {NoSuchJobError} When there is no such job.
   * @example
   * const job = await emulator.jobs.start()
   * emulator.jobs.finish(job)
   */
  finish(which?: WhichJob): JobHandle {
    const { job, model } = this.#movable('finish', which)
    this.#engine.training.finish(model, job)
    return this.#handle(job)
  }

  /**
   * Makes the next events of a job happen now.
   *
   * @param which The job. Default: the latest job.
   * @param events The number of events. Default: 1.
   * @returns The job.
   * @throws {ArrangeError} When the job has fewer events left.
   * @throws {NoSuchJobError} When there is no such job.
   * @throws {OptionsError} When an argument can't be used.
   * @example
   * const job = await emulator.jobs.start()
   * emulator.jobs.advance(job, 2)
   */
  advance(which?: WhichJob, events = 1): JobHandle {
    checkArgument('jobs.advance', { name: 'events', value: events, kind: wholeNumber() })
    const { job } = this.#movable('advance', which)
    // Refused before anything moves: a refused call has no effect.
    const left = this.#engine.training.movesLeft(job, events)
    if (left < events) throw this.#refusal('advance', job, left)
    const target = job.events.count + events
    while (job.events.count < target && this.#engine.training.moveNow(job));
    if (job.events.count < target) throw this.#refusal('advance', job)
    return this.#handle(job)
  }

  get #engine(): Engine {
    return this.#world.engine
  }

  #handle(job: Job): JobHandle {
    return new JobHandle(job, this.#world)
  }

  #movable(what: string, which: WhichJob): { job: Job; model: ModelState } {
    const job = findJob(this.#world, which)
    const model = this.#engine.store.model(job.model.id)
    if (job.over || !model) throw this.#refusal(what, job)
    return { job, model }
  }

  /** @param left - How many events the job has left, fewer than it needs. */
  #refusal(what: string, job: Job, left = 0): ArrangeError {
    const { name, story } = this.#handle(job)
    const few = `it has only ${counted(left, 'event')} left`
    const why = left > 0 ? few : whyStill(this.#engine, job)
    return new ArrangeError(`Failed to ${what} ${name}: ${why}.\n\n${story}`)
  }

  async #rl({ record, jobs }: ModelState, named: JobToStart): Promise<SubmittedJob> {
    const groups =
      named.trajectory_groups ?? (await this.#inventGroups(`${record.id} ${jobs.length + 1}`))
    return this.#read(groups, record.id)
  }

  async #read(groups: unknown, model_id: string): Promise<SubmittedJob> {
    const read = await readGroups(this.#world, { model_id, trajectory_groups: groups })
    if ('submitted' in read) return read.submitted
    const problems = read.problems.map((problem) => `  ${problem}`)
    throw new ArrangeError(
      ['Failed to start a job: its trajectories cannot be used.', ...problems].join('\n'),
    )
  }

  #inventGroups(job: string): Promise<NonNullable<JobToStart['trajectory_groups']>> {
    return invent(this.#engine.random, ['trajectories', job], ({ hacker, number }) => {
      const trajectory = (question: string) => ({
        messages_and_choices: [
          { role: 'user', content: question },
          { role: 'assistant', content: hacker.phrase() },
        ],
        reward: number.float({ min: 0, max: 1, fractionDigits: 2 }),
      })
      return Array.from({ length: 2 }, () => {
        const question = `What is a ${hacker.noun()}?`
        const [one, other] = [trajectory(question), trajectory(question)]
        // A group trains only if its rewards differ.
        if (one.reward === other.reward) other.reward = one.reward < 0.5 ? 1 : 0
        return { trajectories: [one, other] }
      })
    })
  }

  #sft({ record, jobs }: ModelState, { examples }: JobToStart): SubmittedJob {
    const url = `artifact:///${record.entity}/${record.project}/data:v${jobs.length}`
    const count = examples ?? this.#engine.scenario.sft.sequences ?? assumedExamples(null)
    return assumedSubmission(url, count)
  }
}

/** Returns what a job has that only the other kind of jobs takes, and why it is refused. */
export function surplusOf(
  kind: JobKind,
  data: Partial<Record<keyof JobToStart, unknown>>,
): { option: keyof JobToStart; text: string } | undefined {
  const option = kind === 'sft' ? 'trajectory_groups' : 'examples'
  if (data[option] === undefined) return undefined
  const [named, other] = kind === 'sft' ? ['an SFT', 'rl'] : ['an RL', 'sft']
  return { option, text: `${option}: ${named} job has none. Leave them out, or use kind ${other}.` }
}

/** Reads the trajectories of an RL job, as a request does. Returns what is wrong with them if they can't be used. */
export async function readGroups(
  { engine, contract }: Pick<CheckedWorld, 'engine' | 'contract'>,
  body: { model_id: string; trajectory_groups: unknown },
): Promise<{ submitted: SubmittedJob } | { problems: string[] }> {
  const { message_arrays: messageArrays } = engine.scenario
  const checked = validate(createTrainingJob.in(contract), body, [], { messageArrays })
  if (checked.ok) {
    const model = engine.store.model(body.model_id)
    const baseModel = model?.record.base_model ?? defaultBaseModel(engine.scenario)
    return submitGroups(engine, checked.value.trajectory_groups, { config: null, baseModel })
  }
  return { problems: checked.problems.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`) }
}

/** What faults see of a job that is created here: the call of a client that would create it. */
function factsOf(kind: JobKind, { record }: ModelState): FaultRequest {
  const { id: operation, method, path } = kind === 'rl' ? createRlTrainingJob : createSftJob
  const { name: model, project } = record
  const { user } = LOCAL_ACCOUNT
  const call = { host: 'training', method, path, operation, key: '', headers: {} } as const
  return { ...call, judge: false, body: undefined, step: undefined, user, model, project }
}

function whyStill(engine: Engine, job: Job): string {
  if (job.over) return `it is over (${job.progress.status})`
  if (!engine.store.model(job.model.id)) return 'its model was deleted'
  return whyNotMoving(engine, job)
}
