import { isRecord } from '../../contract/pydantic/record.js'

type Json = Readonly<Record<string, unknown>>

const NOTHING: Json = {}

/** What an answer says about its tokens. Both are 0 if it says nothing. */
export interface Evidence {
  /** The number of token ids; if there are none, the number of log probabilities. */
  tokens: number
  /** The number of log probabilities. */
  scored: number
}

export const NO_EVIDENCE: Evidence = { tokens: 0, scored: 0 }

/** Whether an answer has a log probability for each of its tokens. */
export function isScored({ tokens, scored }: Evidence): boolean {
  return tokens > 0 && tokens === scored
}

/** What a choice of a chat says about its tokens. */
export function chatChoice(choice: Json): Evidence {
  const { logprobs } = choice
  const { content, refusal } = isRecord(logprobs) ? logprobs : NOTHING
  const scored = compactLogprobs(choice) || scoredIn(content) || scoredIn(refusal)
  return evidenceOf(choice, scored)
}

/** What the tokens of a generation of the Responses API say. */
export function generation(given: Json): Evidence {
  const { output_tokens } = given
  return evidenceOf(given, compactLogprobs(given) || scoredIn(output_tokens))
}

/** Counts the token ids of an answer. `scored` is the number of its log probabilities. */
export function evidenceOf({ token_ids }: Json, scored: number): Evidence {
  return { tokens: tokenIdsIn(token_ids) || scored, scored }
}

/** The newest client adds log probabilities as plain numbers, under one of two names. */
export function compactLogprobs({ compact_logprobs, art_completion_logprobs }: Json): number {
  return numbersIn(compact_logprobs) || numbersIn(art_completion_logprobs)
}

/** Returns the length of a list of token ids, or 0 if it is not one. */
function tokenIdsIn(value: unknown): number {
  if (!Array.isArray(value)) return 0
  for (const id of value as readonly unknown[])
    if (!Number.isInteger(id) || (id as number) < 0) return 0
  return value.length
}

/** Returns the length of a list of finite numbers, or 0 if it is not one. */
export function numbersIn(value: unknown): number {
  if (!Array.isArray(value)) return 0
  for (const each of value as readonly unknown[]) if (!Number.isFinite(each)) return 0
  return value.length
}

/** Returns the length of a list of tokens with log probabilities, or 0 if it is not one. */
function scoredIn(value: unknown): number {
  if (!Array.isArray(value)) return 0
  for (const each of value as readonly unknown[]) {
    if (!isRecord(each) || !Number.isFinite(each['logprob'])) return 0
  }
  return value.length
}

/** What several generations say together. */
export function sumOf(generations: readonly Evidence[]): Evidence {
  const sum = { ...NO_EVIDENCE }
  for (const { tokens, scored } of generations) {
    sum.tokens += tokens
    sum.scored += scored
  }
  return sum
}
