import type { InputDraw } from './draws.js'

/** What becomes of an input that shows no mistake. */
export type Verdict = 'accepted' | 'refused'

/** A kind of inputs, and what is promised about them. */
export interface Kind {
  /** Draws an input and tries it. The same draws make the same one. Throws if a promise is broken. */
  readonly attempt: (draw: InputDraw) => Promise<Verdict>
  /** Releases what attempts use. */
  readonly end: () => Promise<void>
}

/** Prepares a kind. */
export type StartKind = () => Promise<Kind>

/**
 * The kinds, and how many inputs of a hundred each one gets. An input of one of the first three takes 30 to 50 ms, and
 * one of the others 6 to 12 ms.
 */
export const shares = {
  scenarios: 6,
  snapshots: 4,
  'data-folders': 2,
  'control-calls': 23,
  fields: 29,
  schemas: 27,
  queries: 6,
  'socket-calls': 3,
} as const

export type KindName = keyof typeof shares

export const kindNames = Object.keys(shares) as KindName[]
