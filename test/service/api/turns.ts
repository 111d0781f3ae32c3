import { expect } from 'vitest'
import { BASE_MODEL, type ApiClient } from '../../support/api-client.js'
import { chunksIn } from '../../support/chat-text.js'

interface ToolCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

export interface Message {
  role: string
  content?: string | null
  refusal?: string | null
  tool_calls?: ToolCall[]
  tool_call_id?: string
}

/** One answer, with the ids of its tokens. */
export interface Choice {
  message: Message
  token_ids: number[]
}

/** The ids of a prompt, and its answers. */
export interface Turn {
  prompt: number[]
  choices: Choice[]
}

/** Asks for one turn, whole or streamed, as a client reads both. */
export async function ask(
  api: ApiClient,
  body: { messages: Message[]; model?: string; stream?: boolean },
): Promise<Turn> {
  const asked = { model: BASE_MODEL, return_token_ids: true, ...body }
  const { status, body: answer } = await api.post('/chat/completions', asked)
  expect(status).toBe(200)
  if (body.stream === true) return joined(answer)
  return { prompt: answer.prompt_token_ids, choices: answer.choices }
}

interface Chunk {
  prompt_token_ids?: number[]
  choices: {
    index: number
    token_ids?: number[]
    delta: {
      content?: string
      refusal?: string
      tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[]
    }
  }[]
}

function joined(text: string): Turn {
  const chunks = chunksIn<Chunk>(text)
  const choices = chunks[0]!.choices.map((): Choice => {
    return { message: { role: 'assistant', content: null }, token_ids: [] }
  })
  for (const { index, delta, token_ids: ids = [] } of chunks.flatMap((chunk) => chunk.choices)) {
    const { message, token_ids } = choices[index]!
    token_ids.push(...ids)
    if (delta.content) message.content = (message.content ?? '') + delta.content
    if (delta.refusal) message.refusal = (message.refusal ?? '') + delta.refusal
    for (const { index: at, id, function: part } of delta.tool_calls ?? []) {
      const calls = (message.tool_calls ??= [])
      calls[at] ??= { id: id!, type: 'function', function: { name: part.name!, arguments: '' } }
      calls[at].function.arguments += part.arguments
    }
  }
  return { prompt: chunks[0]!.prompt_token_ids!, choices }
}

/** What a client adds after an answer: the results of its tool calls, and what the user says. */
export function replyTo({ tool_calls: calls = [] }: Message, user: string): Message[] {
  const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: '18 degrees' }))
  return [...results, { role: 'user', content: user }]
}

/** The tokens with which the prompt of the next turn must begin. */
export function tokensUpTo({ prompt }: Turn, { token_ids: ids }: Choice): number[] {
  return [...prompt, ...ids]
}
