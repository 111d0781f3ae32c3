/** A message of a chat, as it was sent. */
export type ChatMessage = Readonly<Record<string, unknown>>

/** A chat, as the `match` and `answer` functions of a chat rule get it. */
export interface ChatFacts {
  /** The `model` of the request. */
  model: string
  /** The trained model's name, or the base model's id. */
  name: string
  /** The step of the checkpoint that answers. 0 for a base model. */
  step: number
  /** The text of the last user message. */
  user: string
  /** The text of all system and developer messages. */
  system: string
  /** The number of user messages. */
  turn: number
  /** The names of the tools that the request offers. */
  tools: readonly string[]
  /** All messages, as they were sent. */
  messages: readonly ChatMessage[]
  /** The headers of the request. Their names are in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  /** The parsed body of the request. */
  body: Readonly<Record<string, unknown>>
}

/** Returns the text of a message. If it has several parts, the texts of its parts. */
export function contentText({ content }: ChatMessage): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  const texts = content.map((part) => (Object(part) as { text?: unknown }).text)
  return texts.filter((text) => typeof text === 'string').join('\n')
}
