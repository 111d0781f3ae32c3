import type { chatParameters } from '../../contract/chat-parameters.js'
import type { Infer } from '../../contract/pydantic/schema.js'
import type { ChatMessage } from '../../scenario/chat-facts.js'

/** A request that has `model` and `messages`. */
export type ChatBody = Readonly<Record<string, unknown>> & {
  model: string
  messages: readonly ChatMessage[]
}

/** A body whose parameters have the right types. */
export type TypedBody = Infer<typeof chatParameters> & Readonly<Record<string, unknown>>

/** The most tokens of an answer, as the request says. */
export function limitOf({ max_completion_tokens, max_tokens }: TypedBody): number | undefined {
  return max_completion_tokens ?? max_tokens ?? undefined
}

/** The texts that end an answer. */
export function stopsOf({ stop }: TypedBody): readonly string[] {
  return typeof stop === 'string' ? [stop] : (stop ?? [])
}
