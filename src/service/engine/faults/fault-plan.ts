import type { FaultHit } from '../journal-entry.js'
import type { FaultRule } from '../../scenario/scenario.js'

type Of<K extends FaultRule['fault']> = Extract<FaultRule, { fault: K }>

/** A fault that changes a page of a list. */
export type PageFault = Extract<FaultRule, { fault: `page_${string}` }>

/** A fault that makes the job fail that a call creates. */
export type FailJobFault = Of<'fail_job'>

/** A fault that changes fields of the answer. */
export type EditFault = Of<'edit'>

/** A fault that changes how the body is sent. */
export type ShapeFault = Of<'malformed' | 'content_type' | 'trickle'>

/** A fault that replaces the response. */
export type Ending =
  | Of<'status' | 'drop' | 'hang'>
  /** The call exceeds a rate limit, or the limit of calls in progress. `wait` is in milliseconds. */
  | { fault: 'refused'; status: 429; stage: 'before'; message?: string | undefined; wait?: number }

/** Everything that goes wrong with one call, decided before it starts. */
export interface FaultPlan {
  /** Texts for the journal. */
  effects: string[]
  /** The faults that have an effect. */
  hits: FaultHit[]
  /** The delay before the work, in milliseconds. */
  delayBefore: number
  /** The delay after the work, in milliseconds. */
  delayAfter: number
  ending: Ending | undefined
  edits: EditFault[]
  shapes: ShapeFault[]
  pages: PageFault[]
  /** Headers that every response to the call gets. */
  headers: Record<string, string>
  /**
   * How long a client should wait before it retries, in milliseconds. `next` means until the next event. Under
   * the `auto` clock, time skips this wait after the refusal.
   */
  wait: number | 'next' | undefined
  /** Call it when the response is sent. */
  finish: () => void
}
