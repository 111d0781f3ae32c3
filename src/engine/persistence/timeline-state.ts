import type { Checkpoint } from '../checkpoints.js'
import type { Happening } from '../happenings.js'
import type { Job } from '../job.js'
import type { Store } from '../store.js'

/** What a timeline remembers: its entries by their places in the scenario. */
export interface TimelineState {
  planned: {
    entry: number
    /** Milliseconds since the epoch. */
    at: number
    trail: readonly number[]
    happening?: NamedHappening | undefined
  }[]
  /** How many events each entry has heard that follows some, in order. */
  seen: number[]
}

/** Something that happened, by the names of what it happened to. */
interface NamedHappening {
  model: string
  job?: string | undefined
  step?: number | undefined
  /** What else it tells, all of which is plain. */
  told: object
}

export function namesIn(happening: Happening): NamedHappening {
  // What led to it stands in the journal, which is not kept.
  const { model, job, checkpoint, cause: _cause, ...told } = { ...nothingNamed, ...happening }
  return { model: model.record.id, job: job?.id, step: checkpoint?.step, told }
}

const nothingNamed: { job?: Job | undefined; checkpoint?: Checkpoint | undefined } = {}

/** The same again; undefined where something of it is gone. */
export function happeningNamed(named: NamedHappening, store: Store): Happening | undefined {
  const model = store.model(named.model)
  const job = named.job === undefined ? undefined : store.jobs.get(named.job)
  const checkpoint = named.step === undefined ? undefined : model?.checkpoints.at(named.step)
  const isWhole =
    model !== undefined &&
    (job !== undefined || named.job === undefined) &&
    (checkpoint !== undefined || named.step === undefined)
  return isWhole ? ({ ...named.told, model, job, checkpoint } as Happening) : undefined
}
