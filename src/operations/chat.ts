import { chatCompletion, chatCompletionRequest, chatCompletionResponse } from '../contract/chat.js'
import { apiErrors } from '../contract/errors.js'
import type { Host } from '../contract/exchange.js'
import { plainAnswer, promptTokens, type Answer } from '../engine/answer.js'
import { counted } from '../engine/counted.js'
import type { Engine } from '../engine/engine.js'
import { findServedModel, type ServedModel } from '../engine/served-models.js'
import { EventStream, operation, type Operation } from './operation.js'

/** Both spellings of the path are rows of the real service, without a redirect between them. */
function chatRow(id: string, host: Host, path: string): Operation {
  return operation({
    id,
    host,
    method: 'POST',
    path,
    name: 'create_chat_completion',
    tag: 'chat-completions',
    summary: 'Create Chat Completion',
    auth: 'bearer',
    body: chatCompletionRequest,
    response: host === 'training' ? chatCompletionResponse : chatCompletion,
    refusals: [404],
    run({ engine, body, entry }) {
      const served = findServedModel(engine.store, { name: body.model, at: engine.clock.now() })
      if (!served || served.kind === 'unserved') {
        // To ask for what is not served yet is to wait for it.
        if (served?.from !== undefined) engine.skipTo(served.from)
        return apiErrors.servedModelNotFound(body.model)
      }
      const asked: ChatRequest = body
      const completion = complete(engine, asked)
      const tokens = counted(completion.usage.completion_tokens, 'token')
      entry.effects.push(`answered as ${nameOf(served)} with ${tokens}`)
      return asked.stream === true ? new EventStream(chunksOf(completion, asked)) : completion
    },
  })
}

function nameOf(served: Exclude<ServedModel, { kind: 'unserved' }>): string {
  if (served.kind === 'base') return served.id
  return `${served.model.record.name} at step ${served.checkpoint.step}`
}

interface ChatRequest {
  model: string
  messages: Record<string, unknown>[]
  n?: unknown
  max_tokens?: unknown
  max_completion_tokens?: unknown
  logprobs?: unknown
  stream?: unknown
  stream_options?: unknown
}

const MOST_CHOICES = 128

/** A complete answer in the wire format that clients read (contract-facts section 6.1). */
function complete({ chance, clock }: Engine, request: ChatRequest) {
  const { model, messages, logprobs } = request
  const maxTokens = positive(request.max_completion_tokens) ?? positive(request.max_tokens)
  const count = Math.min(positive(request.n) ?? 1, MOST_CHOICES)
  const answers = Array.from({ length: count }, (_, choice) =>
    plainAnswer(chance, { model, messages, choice, maxTokens }),
  )
  const prompt_tokens = promptTokens(messages)
  const completion_tokens = answers.reduce((sum, { tokens }) => sum + tokens.length, 0)
  return {
    id: `chatcmpl-${chance.token(24, 'completion', JSON.stringify(request))}`,
    object: 'chat.completion',
    created: Math.floor(clock.now() / 1000),
    model,
    choices: answers.map((answer, index) => ({
      index,
      message: { role: 'assistant', content: answer.tokens.join('') },
      finish_reason: answer.finishReason,
      logprobs: logprobs === true ? logprobsOf(answer) : null,
    })),
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  }
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 1 ? Math.floor(value) : undefined
}

function logprobsOf({ tokens }: Answer) {
  // `top_logprobs` is a list even when none were asked for: a client turns an absent one into null,
  // and null is refused when the choice comes back inside a trajectory.
  const content = tokens.map((token, index) => ({
    token,
    logprob: -((index % 7) + 1) / 20,
    bytes: [...new TextEncoder().encode(token)],
    top_logprobs: [],
  }))
  return { content, refusal: null }
}

/** The same completion as server-sent events: choices first, usage last, then `[DONE]`. */
function* chunksOf(
  { id, created, model, choices, usage }: ReturnType<typeof complete>,
  { stream_options }: ChatRequest,
): Generator<string> {
  const chunk = (part: object): string =>
    `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created, model, ...part })}\n\n`
  yield chunk({
    choices: choices.map(({ index, message, logprobs }) => ({
      index,
      delta: message,
      logprobs,
      finish_reason: null,
    })),
  })
  yield chunk({
    choices: choices.map(({ index, finish_reason }) => ({
      index,
      delta: {},
      logprobs: null,
      finish_reason,
    })),
  })
  const wanted = stream_options as { include_usage?: unknown } | null | undefined
  if (wanted?.include_usage === true) yield chunk({ choices: [], usage })
  yield 'data: [DONE]\n\n'
}

export const chatOperations = [
  chatRow('createChatCompletionSlashed', 'training', '/v1/chat/completions/'),
  chatRow('createChatCompletion', 'training', '/v1/chat/completions'),
]

export const inferenceChatOperations = [
  chatRow('createInferenceChatCompletion', 'inference', '/v1/chat/completions'),
]
