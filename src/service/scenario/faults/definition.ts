import type { z } from 'zod'
import type { SeededRandom } from '../../../base/random/random.js'
import type { Outcome } from '../../contract/exchange.js'
import { pageReads } from '../../contract/operation-names.js'
import type { FaultFacts, faultFields } from '../schema/fault-fields.js'

/** Everything about a kind of fault. It has `apply`, `page` or `failure`. */
export interface FaultDefinition<Schema extends z.ZodType = z.ZodType> {
  /** Makes the schema of its rules. The engine has kinds without the schema library, which takes long to load. */
  schema(make: typeof faultFields): Schema
  /** What the calls get, for people. */
  words(fault: z.input<Schema>): FaultWords
  /** The operations that it is about: no other call is counted. Default: all. */
  operations?: readonly string[]
  /** Whether a careful client survives it although it hits every call. */
  survivable: boolean
  /** What is wrong with the answer. Undefined: nothing, or another page than the right one. */
  damage?: Damage
  /** The options that say what it changed, if the answer does not show it. */
  unseen?: readonly string[]
  /** Whether a client that is refused waits for its end. If so, the clocks that skip waits skip to it. */
  isWaitedFor?(rule: z.output<Schema>): boolean
  /** What it does to pages of lists. */
  page?: PageFacts<Schema>
  /** How the job fails that a call creates. It is counted with the job, so not for a call that is refused. */
  failure?(rule: z.output<Schema>): FailedJob
  /** Plans what it does to a call. Returns that for the journal. Undefined: this call meets nothing. */
  apply?(rule: z.output<Schema>, call: FaultedCall): string | undefined
}

/** A definition, with types that follow from its schema. */
export function defineFault<Schema extends z.ZodType>(
  definition: FaultDefinition<Schema>,
): FaultDefinition<Schema> {
  return definition
}

/** The definition of a kind that changes pages of lists. */
export function definePageFault<Schema extends z.ZodType>(
  definition: Omit<FaultDefinition<Schema>, 'operations'>,
): FaultDefinition<Schema> {
  return { ...definition, operations: pageReads }
}

/** The end of the name of a scenario, and a text without a verb: `late` and `a late answer`. */
export type FaultWords = readonly [name: string, effect: string]

/** What can be wrong with an answer, the worst first. */
type Damage = 'lost' | 'unreadable' | 'changed' | 'relabeled' | 'late'

/** How a job fails. */
export interface FailedJob {
  readonly error_message: string
  readonly after_steps: number
}

interface PageFacts<Schema extends z.ZodType> {
  /** Set if only pages after a cursor have it. */
  cursor?: true
  change(rule: z.output<Schema>): PageChange
}

/** What a fault changes about a page. */
export interface PageChange {
  /** The most items of the page. */
  readonly most?: number
  /** How many items are added after the page was read. */
  readonly arrivals?: number
  /**
   * Returns which items the page has, if not those from `place`. Undefined: the cursor is refused. `hasMore` says
   * that more follow, even if none do.
   */
  readonly range?: (
    place: number,
    limit: number,
  ) => { start: number; end: number; hasMore?: true } | undefined
}

/** A call that a fault applies to. */
export interface FaultedCall {
  readonly request: Omit<FaultFacts, 'call'>
  readonly plan: CallPlan
  readonly random: SeededRandom
  /** Identifies the fault and the call. The same purpose draws the same. */
  readonly purpose: string
  /** Returns how long the client of a refused call waits until the fault is over. */
  readonly untilOver: () => CallPlan['wait']
  /** Takes a token of the fault's bucket. Without a token, returns the milliseconds until the next one. */
  readonly takeToken: () => TakenToken
  /** Counts the call, unless `most` are in progress. Returns a function to call when it ends. */
  readonly enter: (most: number) => (() => void) | undefined
  /** Returns how many jobs are queued or running, among those that the fault counts together. */
  readonly unfinishedJobs: () => number
}

export type TakenToken =
  | { taken: true; left: number; full: number }
  | { taken: false; wait: number }

/** Everything that happens to one call, decided before it starts. */
export interface CallPlan {
  /** The delay before the work, in milliseconds. */
  delayBefore: number
  /** The delay after the work, in milliseconds. */
  delayAfter: number
  /** What replaces the answer. Faults after it have no effect. */
  ending: Ending | undefined
  /** Changes of what the answer says. */
  edits: AnswerChange[]
  /** Changes of how the answer is sent. */
  shapes: AnswerChange[]
  pages: PageChange[]
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

/** Replaces the answer of a call. */
export interface Ending {
  /** With `before`, the work is not done. With `mid_body`, a part of the answer is sent. */
  readonly stage: 'before' | 'after' | 'mid_body'
  /** @param worked - The answer without the fault. Undefined if the work was not done. */
  readonly answer: (tools: AnswerTools, worked: Outcome | undefined) => Outcome
}

/** An answer with a body. */
export type Answer = Extract<Outcome, { kind: 'response' | 'stream' }>
export type AnswerChange = (answer: Answer, tools: AnswerTools) => Outcome

/** What answers are made with. */
export interface AnswerTools {
  readonly delayed: {
    /** Resolves to false if the world ends first. `ms` is in milliseconds. */
    wait(ms: number): Promise<boolean>
    /** Starts a response that never comes, or whose rest never comes. */
    hang(): { until: Promise<boolean>; leave: () => void }
  }
  /** Refuses the call in the form of its host. */
  readonly refuse: (status: number, options: RefusalOptions) => Outcome
  /** Answers with JSON. */
  readonly reply: (status: number, body: unknown, headers: Record<string, string>) => Outcome
  /** Ends an answer that is not sent. */
  readonly drain: (answer: Outcome) => void
}

interface RefusalOptions {
  message?: string | undefined
  headers: Record<string, string>
}
