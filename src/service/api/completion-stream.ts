import type { ToolCallPart } from '../engine/chat/answer.js'
import type { ChatParams } from '../engine/chat/chat-params.js'
import {
  usageOf,
  type Completion,
  type DrawnAnswer,
  type Usage,
} from '../engine/chat/completion.js'
import type { TokenLogprob } from '../engine/chat/logprobs.js'
import type { Token } from '../engine/chat/token.js'
import { choiceLogprobs, tokenLogprobs, type TokenOptions } from './completion.js'

type StreamOptions = TokenOptions & Pick<ChatParams, 'streamedUsage'>

/** What one token adds to a choice. */
interface Delta {
  token: Token
  delta: object
}

/**
 * A completion as server-sent events: all choices in the first chunk, then one chunk per token, then
 * how each choice ended, then `[DONE]`. The usage comes if the request asks for it, in a chunk without choices before
 * the end. If it asks for it in all chunks, each has the tokens of its choice so far.
 *
 * Each list contains the chunks of one moment: the next token of each choice. The first list also opens
 * the stream, and the last one closes it.
 */
export function* completionMoments(
  completion: Completion,
  options: StreamOptions,
): Generator<string[]> {
  const { answers, usage, promptTokenIds } = completion
  const { streamedUsage } = options
  const write = writerOf(completion)
  const usageAfter = (tokens: number): { usage: Usage } | undefined => {
    return streamedUsage === 'always' ? { usage: usageOf(usage.prompt_tokens, tokens) } : undefined
  }
  const tracks = answers.map((drawn) => trackOf(drawn, completion, options))
  const places = Math.max(1, ...tracks.map(({ deltas }) => deltas.length))
  for (let place = 0; place < places; place++) {
    const chunks: string[] = []
    if (place === 0) {
      const ids = promptTokenIds && { prompt_token_ids: promptTokenIds }
      chunks.push(write.rest({ choices: answers.map(openingOf), ...ids, ...usageAfter(0) }))
    }
    for (const [choice, track] of tracks.entries()) {
      const text = track.write(place)
      if (text !== undefined) chunks.push(write.choice(choice, text, usageAfter(place + 1)))
    }
    if (place === places - 1) {
      const ended = { choices: tracks.map(({ close }, index) => close(index)) }
      chunks.push(write.rest({ ...ended, ...usageAfter(usage.completion_tokens) }))
      if (streamedUsage !== 'none') chunks.push(write.rest({ choices: [], usage }))
      chunks.push('data: [DONE]\n\n')
    }
    yield chunks
  }
}

function openingOf(_drawn: DrawnAnswer, index: number): object {
  return { index, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null }
}

/** One choice of a stream. */
interface Track {
  deltas: readonly Delta[]
  /** The rest of a chunk's choice, after its index, for the token at that place. */
  write: (place: number) => string | undefined
  /** The choice of the last chunk: why it ended, with the tokens that have no text. */
  close: (index: number) => object
}

function trackOf(drawn: DrawnAnswer, completion: Completion, options: TokenOptions): Track {
  const { answer } = drawn
  const deltas = deltasOf(drawn)
  const all = tokenLogprobs(drawn, completion, options)
  const logprobsAt = (from: number, to?: number): object | null => {
    const some: TokenLogprob[] = all?.slice(from, to) ?? []
    return some.length > 0 ? choiceLogprobs(answer, some) : null
  }
  const idsOf = (tokens: readonly Token[]): object | undefined => {
    return options.returnsTokenIds ? { token_ids: tokens.map(({ id }) => id) } : undefined
  }
  return {
    deltas,
    write(place) {
      const next = deltas[place]
      if (!next) return undefined
      const logprobs = logprobsAt(place, place + 1)
      const rest = { delta: next.delta, logprobs, finish_reason: null, ...idsOf([next.token]) }
      return JSON.stringify(rest).slice(1)
    },
    close: (index) => ({
      index,
      delta: {},
      logprobs: logprobsAt(deltas.length),
      finish_reason: answer.finishReason,
      stop_reason: answer.stopReason,
      ...idsOf(answer.hidden),
    }),
  }
}

/** Writes chunks. Their common part is written once, because there may be thousands. */
function writerOf({ id, created, model }: Completion) {
  const shared = JSON.stringify({ id, object: 'chat.completion.chunk', created, model })
  const head = `data: ${shared.slice(0, -1)},`
  return {
    rest: (part: object): string => `${head}${JSON.stringify(part).slice(1)}\n\n`,
    choice: (index: number, rest: string, more: { usage: Usage } | undefined): string => {
      const usage = more === undefined ? '' : `,"usage":${JSON.stringify(more.usage)}`
      return `${head}"choices":[{"index":${index},${rest}]${usage}}\n\n`
    },
  }
}

function deltasOf({ answer }: DrawnAnswer): Delta[] {
  let call = 0
  return answer.parts.flatMap((part) => {
    if (part.kind !== 'tool_call') {
      const { kind } = part
      return part.tokens.map((token): Delta => ({ token, delta: { [kind]: token.text } }))
    }
    return callDeltas(part, call++)
  })
}

/** The first token of a call brings its id and its complete name. The arguments follow token by token. */
function callDeltas({ id, name, head, tokens, tail }: ToolCallPart, index: number): Delta[] {
  const deltaOf = (token: Token, call: object): Delta => {
    return { token, delta: { tool_calls: [{ index, ...call }] } }
  }
  const opening = { id, type: 'function', function: { name, arguments: '' } }
  const nothing = { function: { arguments: '' } }
  return [
    ...head.map((token, place) => deltaOf(token, place === 0 ? opening : nothing)),
    ...tokens.map((token) => deltaOf(token, { function: { arguments: token.text } })),
    ...tail.map((token) => deltaOf(token, nothing)),
  ]
}
