import type { FaultRule } from '../../scenario/scenario.js'

type Of<K extends FaultRule['fault']> = Extract<FaultRule, { fault: K }>

/** A page that is not as it should be. */
export type PageFault = Extract<FaultRule, { fault: `page_${string}` }>

/** What becomes of the answer's body. */
export type ShapeFault = Of<'malformed' | 'content_type' | 'trickle'>

/** How a call ends, instead of well. */
export type Ending =
  | Of<'status' | 'drop' | 'hang'>
  /** Over a rate limit, or over a limit of requests at once; the wait is in milliseconds. */
  | { fault: 'refused'; status: 429; stage: 'before'; message?: string; wait?: number }

/** What goes wrong with one call: all of it, decided before any of it happens. */
export interface FaultPlan {
  /** In words, for the journal. */
  effects: string[]
  /** Milliseconds, before and after the work. */
  delayBefore: number
  delayAfter: number
  ending: Ending | undefined
  shapes: ShapeFault[]
  pages: PageFault[]
  /** Of the answer, whatever it is. */
  headers: Record<string, string>
  /**
   * How long a client is made to wait before it asks again, in milliseconds, or until the next thing
   * that happens: where time stands still, it moves on by that once the refusal is made.
   */
  wait: number | 'next' | undefined
  /** To be called once the answer has left. */
  finish: () => void
}
