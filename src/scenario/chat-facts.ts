/** A message of a conversation, as it was sent. */
export type ChatMessage = Readonly<Record<string, unknown>>

/** What a rule of a chat may look at, as a function of a scenario in TypeScript is given it. */
export interface ChatFacts {
  /** As the request has it. */
  model: string
  /** The trained model's name, or the base model's id. */
  name: string
  /** The step of the checkpoint that answers; 0 where it is a base model. */
  step: number
  /** Text of the last user message, and of all system and developer messages. */
  user: string
  system: string
  /** How many user messages there are. */
  turn: number
  /** The names of the tools that are offered. */
  tools: readonly string[]
  messages: readonly ChatMessage[]
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  /** The whole request. */
  body: Readonly<Record<string, unknown>>
}

/** The text of a message: of its parts, where it is made of parts. */
export function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  const texts = content.map((part) => (Object(part) as { text?: unknown }).text)
  return texts.filter((text) => typeof text === 'string').join('\n')
}
