import { NonFiniteNumber, nonFiniteJson } from '../../../base/text/non-finite.js'
import type { Hash128 } from '../../../base/random/random.js'
import type { trainingJobEventResponse } from '../../contract/training-job.js'
import type { Infer } from '../../contract/pydantic/schema.js'
import { EventIds } from './event-id.js'
import type { JobProgress } from './job-state.js'
import { Moments, type LatestMoments } from './moments.js'
import type { Script } from './script.js'

/** An event of a job, as the API lists it. */
export type JobEvent = Infer<typeof trainingJobEventResponse>

/** An event as text. */
export interface WrittenEvent {
  id: string
  json: string
}

/** What the events of a job follow from. */
interface EventSource {
  readonly progress: JobProgress
  readonly over: boolean
  readonly script: Script
  /** 128 random bits, from which the ids are drawn. */
  readonly hash: Hash128
}

/**
 * The events of a job, as clients see them.
 *
 * They are not stored one by one. A job has at most one `training_started`, then gradient steps, then at most one
 * end. So it stores only how many of them happened, and computes the id and the data of an event from its index.
 */
export class JobEvents {
  readonly #job: EventSource
  // These are made when they are first read, because thousands of jobs may be queued that nobody reads.
  #ids: EventIds | undefined
  #moments: Moments | undefined
  /** What `#moments` begins with when it is made. */
  #saved: LatestMoments | undefined

  constructor(job: EventSource) {
    this.#job = job
  }

  /** The number of events that clients can see. */
  get count(): number {
    return this.#stepsFrom + this.#job.progress.gradientSteps + (this.#job.over ? 1 : 0)
  }

  /** When they happened, by index. */
  get moments(): Moments {
    return (this.#moments ??= new Moments(this.#saved))
  }

  restore(moments: LatestMoments): void {
    this.#saved = moments
  }

  /** Returns the event at `index`. The oldest event has index 0. */
  at(index: number): JobEvent {
    const { started, gradientSteps, status, errorMessage } = this.#job.progress
    const id = this.#idAt(index)
    const step = index - this.#stepsFrom + 1
    if (step === 0) return { id, type: 'training_started', data: { ...started } }
    if (step <= gradientSteps) {
      return { id, type: 'gradient_step', data: this.#job.script.metrics.at(step) }
    }
    if (status === 'failed') {
      return { id, type: 'training_failed', data: { error_message: errorMessage } }
    }
    return { id, type: 'training_ended', data: {} }
  }

  /** Returns the event as the API sends it: with `NaN` and `Infinity` if the scenario has bad values for it. */
  answeredAt(index: number): JobEvent {
    const event = this.at(index)
    if (event.type !== 'gradient_step') return event
    for (const name of this.nonFiniteAt(index)) {
      event.data[name] = new NonFiniteNumber(Number(event.data[name]))
    }
    return event
  }

  /** Returns the names of the metrics of the event at `index` that JSON has no value for: `NaN`, and infinite ones. */
  nonFiniteAt(index: number): readonly string[] {
    const step = this.#stepAt(index)
    if (step === undefined) return []
    const { metrics } = this.#job.script
    const spoiled = metrics.spoiledAt(step)
    if (spoiled.length === 0) return spoiled
    // A bad value may be missing, null or a text as well.
    const values = metrics.at(step)
    return [...new Set(spoiled)].filter((name) => typeof values[name] === 'number')
  }

  /** Returns the JSON of `answeredAt(index)`, and its id. */
  jsonAt(index: number): WrittenEvent {
    const { metrics } = this.#job.script
    const step = this.#stepAt(index)
    if (step === undefined || this.nonFiniteAt(index).length > 0) {
      const event = this.answeredAt(index)
      return { id: event.id, json: nonFiniteJson(event) }
    }
    const id = this.#idAt(index)
    return { id, json: `{"id":"${id}","type":"gradient_step","data":${metrics.jsonAt(step)}}` }
  }

  /** Returns the index of the event with that id. Undefined if clients cannot see such an event. */
  indexOf(id: string): number | undefined {
    const index = this.#drawnIds.indexOf(id)
    return index !== undefined && index < this.count ? index : undefined
  }

  /** Returns the gradient step (from 1) that the event at `index` tells of. Undefined for a start or an end. */
  #stepAt(index: number): number | undefined {
    const step = index - this.#stepsFrom + 1
    return step > 0 && step <= this.#job.progress.gradientSteps ? step : undefined
  }

  #idAt(index: number): string {
    return this.#drawnIds.at(index)
  }

  get #drawnIds(): EventIds {
    return (this.#ids ??= new EventIds(this.#job.hash))
  }

  /** The index of the first gradient step. */
  get #stepsFrom(): number {
    return this.#job.progress.started === undefined ? 0 : 1
  }
}
