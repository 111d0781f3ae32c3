import type { FaultRule } from '../../scenario/scenario.js'

type Of<K extends FaultRule['fault']> = Extract<FaultRule, { fault: K }>

/** A fault that changes a page of a list. */
export type PageFault = Extract<FaultRule, { fault: `page_${string}` }>

/** A fault that changes how the body is sent. */
export type ShapeFault = Of<'malformed' | 'content_type' | 'trickle'>

/** A fault that replaces the response. */
export type Ending =
  | Of<'status' | 'drop' | 'hang'>
  /** Over a rate limit, or over the limit of requests at once. `wait` is in milliseconds. */
  | { fault: 'refused'; status: 429; stage: 'before'; message?: string; wait?: number }

/** Everything that goes wrong with one call, decided before it starts. */
export interface FaultPlan {
  /** Texts for the journal. */
  effects: string[]
  /** Milliseconds before and after the work. */
  delayBefore: number
  delayAfter: number
  ending: Ending | undefined
  shapes: ShapeFault[]
  pages: PageFault[]
  /** Headers for the response, whatever it is. */
  headers: Record<string, string>
  /**
   * How long a client should wait before it retries, in milliseconds, or `next` for until the next event.
   * Under the `auto` clock, time skips this wait after the refusal.
   */
  wait: number | 'next' | undefined
  /** Call it when the response was sent. */
  finish: () => void
}
