import { declared, type TypeFrom } from '../saved/declared.js'

export const driftSchema = declared(({ strictObject, count, int }) =>
  strictObject({
    /** The index of the token in the prompt. */
    at: count,
    /** The id of the token that was sampled, or that the prompt before had. */
    before: int(),
    /** The id of the token that the prompt has now. Undefined if the prompt ends before. */
    now: int().optional(),
  }),
)

/** The first token of a prompt that differs from the prompt and the answer of the turn before. */
export type TokenDrift = TypeFrom<typeof driftSchema>

/** The ids of the tokens of a turn. */
export interface TurnIds {
  readonly prompt: readonly number[]
  readonly answer: readonly number[]
}

/** Finds the first token of a prompt that is not that of the turn before. */
export function driftBetween(
  { prompt: earlier, answer }: TurnIds,
  prompt: readonly number[],
): TokenDrift | undefined {
  for (let at = 0; at < earlier.length + answer.length; at++) {
    const before = at < earlier.length ? earlier[at]! : answer[at - earlier.length]!
    if (prompt[at] !== before) return { at, before, now: prompt[at] }
  }
  return undefined
}

/** Says where a prompt does not continue the turn before. */
export function formatDrift({ at, before, now }: TokenDrift): string {
  const has = now === undefined ? 'ends there' : `has ${now}`
  return `its prompt does not continue the turn before: token ${at} was ${before}, and the prompt ${has}`
}
