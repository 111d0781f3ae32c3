import type { Draw } from '../../support/draw.js'

/** An input that was tried. It is JSON, so that it can be printed and tried again. */
export interface FuzzInput {
  /** What makes it differ from a valid input. A smaller input has fewer of them. */
  readonly mutations?: readonly unknown[]
  /** A generated value. A smaller input has fewer parts of it. */
  readonly value?: unknown
}

/** What becomes of an input that shows no mistake. */
export type Verdict = 'accepted' | 'refused'

/** A kind of inputs, and what is promised about them. */
export interface Kind<Input extends FuzzInput> {
  /** Makes an input. The same draws make the same one. */
  readonly draw: (draw: Draw) => Input
  /** Tries an input. Throws if a promise is broken. */
  readonly attempt: (input: Input) => Promise<Verdict>
  /** Releases what attempts use. */
  readonly end?: () => Promise<void>
}

/** Prepares a kind. */
export type StartKind = () => Promise<Kind<FuzzInput>>

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

/** Keeps the compiler's knowledge of the input of a kind inside of the kind. */
export function kindOf<Input extends FuzzInput>(kind: Kind<Input>): Kind<FuzzInput> {
  return kind as unknown as Kind<FuzzInput>
}
