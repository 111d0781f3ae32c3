import type { Happening } from '../happenings.js'
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
  event: Happening['event']
  at: number
  model: string
  job?: string | undefined
  step?: number | undefined
  alias?: string | undefined
}

export function namesIn(happening: Happening): NamedHappening {
  const { event, at, model } = happening
  return {
    event,
    at,
    model: model.record.id,
    job: 'job' in happening ? happening.job?.id : undefined,
    step: 'checkpoint' in happening ? happening.checkpoint.step : undefined,
    alias: 'alias' in happening ? happening.alias : undefined,
  }
}

/** The same again; undefined where something of it is gone. */
export function happeningNamed(named: NamedHappening, store: Store): Happening | undefined {
  const model = store.model(named.model)
  if (!model) return undefined
  const happened = { at: named.at, model }
  const job = named.job === undefined ? undefined : store.jobs.get(named.job)
  const checkpoint = named.step === undefined ? undefined : model.checkpoints.at(named.step)
  const { event } = named
  if (event === 'model_created') return { ...happened, event }
  if (event === 'checkpoint_added') return checkpoint && { ...happened, event, checkpoint, job }
  if (event === 'alias_added') {
    return checkpoint && { ...happened, event, checkpoint, alias: named.alias ?? '' }
  }
  return job && { ...happened, event, job }
}
