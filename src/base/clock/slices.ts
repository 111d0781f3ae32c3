import { nextTurn } from './wall.js'

/**
 * Work that is done a piece at a time. It yields the size of each piece: 1 for what takes about as long as the check of
 * one saved record, or `sizeOf` the characters or bytes that it went through.
 */
export type Pieces<Result> = Generator<number, Result, void>

/** The size of work that goes through characters or bytes one by one. */
export function sizeOf(length: number): number {
  return length / CHARACTERS
}

const CHARACTERS = 16 * 1024

/** How much is done before other work has its turn. On a slow machine, it takes some 30 ms. */
export const SLICE = 200

/** Does all of the work at once. */
export function allAtOnce<Result>(pieces: Pieces<Result>): Result {
  for (;;) {
    const { done, value } = pieces.next()
    if (done) return value
  }
}

/**
 * Does the work in slices, with pauses in which requests are answered.
 *
 * @param pause Default: until the next turn.
 */
export async function inSlices<Result>(
  pieces: Pieces<Result>,
  pause: () => Promise<void> = nextTurn,
): Promise<Result> {
  for (let size = 0; ;) {
    const { done, value } = pieces.next()
    if (done) return value
    size += value
    if (size < SLICE) continue
    size = 0
    await pause()
  }
}
