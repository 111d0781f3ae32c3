import type OpenAI from 'openai'
import * as z from 'zod'
import { expect, onTestFinished } from 'vitest'

/**
 * Strict schemas of what the chat endpoints stream. Each one fits the type of the `openai` library, which `satisfies`
 * proves, and refuses every key that is not named here. Clients parse much less strictly: the library parses nothing,
 * and the provider of the AI SDK lets nearly every field be missing or null. Answers that are not streamed are compared
 * with the schemas of their rows wherever a test calls the emulator.
 */

const count = z.int().min(0)

const token = { token: z.string(), bytes: z.array(z.int().min(0).max(255)), logprob: z.number() }

const Logprobs = z.strictObject({
  content: z
    .array(z.strictObject({ ...token, top_logprobs: z.array(z.strictObject(token)) }))
    .nullable(),
  refusal: z.null(),
}) satisfies z.ZodType<OpenAI.ChatCompletion.Choice.Logprobs>

const Usage = z.strictObject({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
}) satisfies z.ZodType<OpenAI.CompletionUsage>

const finishReason = z.enum(['stop', 'length', 'tool_calls'])

/** What vLLM adds to the fields of the library. */
const tokenIds = z.array(z.int().min(0)).nullable()
const stopReason = z.union([z.string(), z.int()]).nullable()

const Chunk = z.strictObject({
  id: z.string().startsWith('chatcmpl-'),
  object: z.literal('chat.completion.chunk'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.strictObject({
      index: count,
      delta: z.strictObject({
        role: z.literal('assistant').exactOptional(),
        content: z.string().nullable().exactOptional(),
        refusal: z.string().nullable().exactOptional(),
        tool_calls: z
          .array(
            z.strictObject({
              index: count,
              id: z.string().min(1).exactOptional(),
              type: z.literal('function').exactOptional(),
              function: z.strictObject({
                name: z.string().exactOptional(),
                arguments: z.string().exactOptional(),
              }),
            }),
          )
          .min(1)
          .exactOptional(),
      }),
      logprobs: Logprobs.nullable(),
      finish_reason: finishReason.nullable(),
      stop_reason: stopReason.exactOptional(),
      token_ids: tokenIds.exactOptional(),
    }),
  ),
  usage: Usage.nullable().exactOptional(),
  prompt_token_ids: tokenIds.exactOptional(),
}) satisfies z.ZodType<OpenAI.ChatCompletionChunk>

/** A `fetch` that records the answers of chats. At the end of the test, each of them must be valid. */
export function withStrictAnswers(send: typeof fetch): typeof fetch {
  const answers: Promise<void>[] = []
  onTestFinished(async () => {
    expect(answers).not.toEqual([])
    await Promise.all(answers)
  })
  return async (...request) => {
    const answer = await send(...request)
    answers.push(check(answer.clone()))
    return answer
  }
}

async function check(answer: Response): Promise<void> {
  const body = await answer.text()
  const type = answer.headers.get('content-type')
  if (type?.startsWith('text/event-stream')) checkStream(body)
  else expect(type).toBe('application/json')
}

/** Each event is a chunk of the same answer, each choice ends once, and the stream says that it is done. */
function checkStream(body: string): void {
  const events = body.split('\n\n')
  expect(events.splice(-2)).toEqual(['data: [DONE]', ''])
  const chunks = events.map((event) => {
    expect(event).toMatch(/^data: /)
    return Chunk.parse(JSON.parse(event.slice('data: '.length)))
  })
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
  const choices = chunks.flatMap((chunk) => chunk.choices)
  const ended = choices.filter(({ finish_reason: reason }) => reason !== null)
  expect(ended).toHaveLength(new Set(ended.map(({ index }) => index)).size)
  expect(new Set(ended.map(({ index }) => index))).toEqual(
    new Set(choices.map(({ index }) => index)),
  )
}
