import type { JobEntry, RequestEntry } from '../../service/engine/journal.js'
import { shownEntry } from '../../service/engine/shown-entry.js'
import type { Job, JobModel, JobStatus } from '../../service/engine/jobs/job.js'
import type { JobEvent } from '../../service/engine/jobs/job-events.js'
import { counted } from '../../base/text/counted.js'
import { didYouMean } from '../../base/text/nearest.js'
import { Options, required, aText } from '../../base/text/options.js'
import { showAs } from '../../base/text/show-as.js'
import type { JobKind } from '../../service/scenario/scenario.js'
import { foldSimilar } from './similar-entries.js'
import { since, formatRequest } from './format.js'
import { otherWorldsText } from './other-worlds.js'
import { origin, type TestedWorld } from './world.js'
import { EmulatorError } from '../../base/text/emulator-error.js'

/** A job: its handle, its id, or the latest job of a model. Default: the latest job of all. */
export type WhichJob = JobHandle | string | { readonly model: string } | undefined

export const whichJob = new Options<{ readonly model: string }>('job', { model: required(aText) })

/**
 * A training job: what `emulator.job` returns. Its properties show the current state.
 *
 * @example
 * const job = emulator.job({ model: 'poet' })
 * console.log(job.status, job.gradientSteps)
 */
export class JobHandle {
  readonly #job: Job
  readonly #world: TestedWorld

  constructor(job: Job, world: TestedWorld) {
    this.#job = job
    this.#world = world
    showAs(this, 'JobHandle', () => {
      const { id, kind, model, ordinal, status, errorMessage, gradientSteps, started } = this
      return { id, kind, model, ordinal, status, errorMessage, gradientSteps, started }
    })
  }

  /** Its id, as in the responses of the API. */
  get id(): string {
    return this.#job.id
  }

  /** `rl` or `sft`. */
  get kind(): JobKind {
    return this.#job.kind
  }

  /** The id, entity, project and name of its model. */
  get model(): JobModel {
    return this.#job.model
  }

  /** Its number among the jobs of its model, from 1. */
  get ordinal(): number {
    return this.#job.ordinal
  }

  /** `queued`, `running`, `ended` or `failed`. */
  get status(): JobStatus {
    return this.#job.progress.status
  }

  /** Why it failed; undefined if it did not. */
  get errorMessage(): string | undefined {
    return this.#job.progress.errorMessage
  }

  /** How many gradient steps were taken. */
  get gradientSteps(): number {
    return this.#job.progress.gradientSteps
  }

  /** Whether its training started. False if the job failed in the queue. */
  get started(): boolean {
    return this.#job.progress.startedAt !== undefined
  }

  /** The events that a client can list now, oldest first. */
  get events(): readonly JobEvent[] {
    return Array.from({ length: this.#job.events.count }, (_, index) => this.#job.events.at(index))
  }

  /** The request that created the job, if it is still recorded. */
  get request(): RequestEntry | undefined {
    const { cause } = this.#job
    const entry = this.#world.journal.entries.find(({ id }) => id === cause)
    return entry?.kind === 'request' ? entry : undefined
  }

  /** A name for messages: `job 1b2c3d4e of model "poet"`. */
  get name(): string {
    return `job ${this.id.slice(0, 8)} of model "${this.model.name}"`
  }

  /** What happened to the job, with times since its creation, for the message of a failing test. */
  get story(): string {
    const { createdAt } = this.#job
    const { request } = this
    const by = request ? `created by ${formatRequest(request)}` : 'created'
    const events = this.#world.journal.entries.filter((entry): entry is JobEntry => {
      return entry.kind === 'job' && entry.jobId === this.id
    })
    const line = (at: number, text: string): string => `  ${since(createdAt, at)}  ${text}`
    return [
      `The story of ${this.name} (${origin(this.#world)}):`,
      line(createdAt, by),
      ...foldSimilar(events).map(({ entry, more }) => {
        return line(
          entry.at,
          more === undefined ? shownEntry(entry).text : `… ${more} more like it`,
        )
      }),
      ...(this.#job.over ? [] : [line(this.#world.engine.clock.now(), `still ${this.status}`)]),
    ].join('\n')
  }
}

/** Thrown when there is no such job. It lists the jobs that exist. Code `SVTRAIN_NO_SUCH_JOB`. */
export class NoSuchJobError extends EmulatorError {
  override readonly name = 'NoSuchJobError'
  readonly code = 'SVTRAIN_NO_SUCH_JOB'
}

const MOST_LISTED = 10

/**
 * @throws {NoSuchJobError} When there is no such job.
 * @throws {OptionsError} When `which` can't be used.
 */
export function findJob(world: TestedWorld, which: WhichJob): Job {
  const { jobs } = world.engine.store
  const isNamed = which === undefined || typeof which === 'string' || which instanceof JobHandle
  if (!isNamed) whichJob.check(which)
  const id = which instanceof JobHandle ? which.id : which
  const found = typeof id === 'string' ? jobs.get(id) : latest([...jobs.values()], id?.model)
  if (found) return found
  throw new NoSuchJobError(
    `There is no job${describe(id)}.${jobs.size === 0 ? noJobs(world) : knownJobs([...jobs.values()], id)}`,
  )
}

function latest(jobs: readonly Job[], model: string | undefined): Job | undefined {
  return jobs.findLast((job) => model === undefined || job.model.name === model)
}

function describe(which: string | { readonly model: string } | undefined): string {
  if (which === undefined) return ''
  return typeof which === 'string' ? ` with the id "${which}"` : ` of a model "${which.model}"`
}

function noJobs(world: TestedWorld): string {
  const elsewhere = otherWorldsText('Jobs', world, ({ engine }) => engine.store.jobs.size > 0)
  const none = 'None was created; a job begins with createRlTrainingJob or createSftTrainingJob'
  return ` ${elsewhere ?? none}.`
}

function knownJobs(
  jobs: readonly Job[],
  which: string | { readonly model: string } | undefined,
): string {
  const listed = jobs
    .slice(-MOST_LISTED)
    .map(({ id, model, progress }) => `  ${id} of model "${model.name}", ${progress.status}`)
  const written = typeof which === 'string' ? which : (which?.model ?? '')
  const candidates = jobs.map(({ id, model }) => (typeof which === 'string' ? id : model.name))
  const hint = didYouMean(written, candidates)
  const left = jobs.length - listed.length
  const more = left > 0 ? [`  … and ${counted(left, 'older one')}`] : []
  return [`${hint} There ${jobs.length === 1 ? 'is' : 'are'}:`, ...listed, ...more].join('\n')
}
