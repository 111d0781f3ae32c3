import { isRecord } from '../../contract/pydantic/record.js'
import type { TurnIds } from './drift.js'

type Json = Readonly<Record<string, unknown>>

export const NO_TOKENS: TurnIds = { prompt: [], answer: [] }

/** The ids that a client submitted. Empty if it did not. */
export function tokensOf(choice: Json, prompt: unknown): TurnIds {
  return { prompt: idsIn(prompt), answer: answerIds(choice) }
}

function idsIn(value: unknown): readonly number[] {
  return Array.isArray(value) && value.every(Number.isInteger) ? (value as number[]) : []
}

const NAMED_BY_ID = /^token_id:(\d+)$/

/** The ids of the tokens of an answer, or of its log probabilities if they name tokens by their ids. */
function answerIds({ token_ids, output_tokens, logprobs }: Json): readonly number[] {
  const ids = idsIn(token_ids)
  if (ids.length > 0) return ids
  if (Array.isArray(output_tokens)) {
    return idsIn(output_tokens.map((each) => (isRecord(each) ? each['token_id'] : undefined)))
  }
  if (!isRecord(logprobs)) return ids
  const { content, tokens } = logprobs
  const named = Array.isArray(content) ? content : tokens
  return Array.isArray(named) ? namedIds(named) : ids
}

/** The ids that tokens have as names. Empty if one of them has another name. */
function namedIds(tokens: readonly unknown[]): number[] {
  const ids: number[] = []
  for (const each of tokens) {
    const name: unknown = isRecord(each) ? each['token'] : each
    const id = NAMED_BY_ID.exec(String(name))?.[1]
    if (id === undefined) return []
    ids.push(Number(id))
  }
  return ids
}
