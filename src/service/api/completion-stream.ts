import { visibleTokens, type Answer, type ToolCallPart } from '../engine/chat/answer.js'
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

/** What one token adds to a choice, as JSON: there may be thousands. */
interface Delta {
  token: Token
  json: string
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
  const places = Math.max(1, ...tracks.map(({ size }) => size))
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
  /** The number of its tokens that have a chunk. */
  size: number
  /**
   * The rest of a chunk's choice, after its index, for the token at that place. Call it for each place in order.
   * Undefined after the last token.
   */
  write: (place: number) => string | undefined
  /** The choice of the last chunk: why it ended, with the tokens that have no text. */
  close: (index: number) => object
}

function trackOf(drawn: DrawnAnswer, completion: Completion, options: TokenOptions): Track {
  const { answer } = drawn
  const size = visibleTokens(answer).length
  const deltas = deltasOf(answer)
  const all = tokenLogprobs(drawn, completion, options)
  const logprobsAt = (from: number, to?: number): object | null => {
    const some: TokenLogprob[] = all?.slice(from, to) ?? []
    return some.length > 0 ? choiceLogprobs(answer, some) : null
  }
  return {
    size,
    write(place) {
      const { value: next, done } = deltas.next()
      if (done) return undefined
      const logprobs = all ? JSON.stringify(logprobsAt(place, place + 1)) : 'null'
      const ids = options.returnsTokenIds ? `,"token_ids":[${next.token.id}]` : ''
      return `"delta":${next.json},"logprobs":${logprobs},"finish_reason":null${ids}}`
    },
    close: (index) => ({
      index,
      delta: {},
      logprobs: logprobsAt(size),
      finish_reason: answer.finishReason,
      stop_reason: answer.stopReason,
      ...(options.returnsTokenIds && { token_ids: answer.hidden.map(({ id }) => id) }),
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

/** One by one, so that thousands of them need no memory at once. */
function* deltasOf({ parts }: Answer): Generator<Delta, void> {
  let call = 0
  for (const part of parts) {
    if (part.kind === 'tool_call') yield* callDeltas(part, call++)
    else {
      const { kind, tokens } = part
      for (const token of tokens) {
        yield { token, json: `{"${kind}":${JSON.stringify(token.text)}}` }
      }
    }
  }
}

/** The first token of a call brings its id and its complete name. The arguments follow token by token. */
function callDeltas({ id, name, head, tokens, tail }: ToolCallPart, index: number): Delta[] {
  const deltaOf = (token: Token, call: object): Delta => {
    return { token, json: JSON.stringify({ tool_calls: [{ index, ...call }] }) }
  }
  const opening = { id, type: 'function', function: { name, arguments: '' } }
  const nothing = { function: { arguments: '' } }
  return [
    ...head.map((token, place) => deltaOf(token, place === 0 ? opening : nothing)),
    ...tokens.map((token) => deltaOf(token, { function: { arguments: token.text } })),
    ...tail.map((token) => deltaOf(token, nothing)),
  ]
}
