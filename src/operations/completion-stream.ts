import type { Part } from '../engine/chat/answer.js'
import { tokensOf } from '../engine/chat/answer.js'
import type { Completion, Drawn } from '../engine/chat/completion.js'
import { logprobsOf, type TokenLogprob } from '../engine/chat/logprobs.js'
import type { AskedLogprobs } from './completion.js'

/** What one token adds to a choice. */
interface Delta {
  choice: number
  delta: object
  kind: Part['kind']
}

/**
 * A completion as server-sent events: all choices in the first chunk, then a chunk a token, then how
 * each choice ended, usage in a last chunk without choices, and `[DONE]`.
 *
 * Each list is what comes at one moment: the next token of each choice, the opening with the first of
 * them, the closing with the last.
 */
export function* completionMoments(
  completion: Completion,
  logprobs: AskedLogprobs,
): Generator<string[]> {
  const { answers, usage } = completion
  const write = writerOf(completion)
  const tracks = answers.map((drawn, choice) => deltasOf(drawn, choice))
  const probabilities = answers.map((drawn) => logprobs && probabilitiesOf(drawn, logprobs))
  const places = Math.max(1, ...tracks.map(({ length }) => length))
  for (let place = 0; place < places; place++) {
    const chunks: string[] = []
    if (place === 0) chunks.push(write.rest({ choices: answers.map(openingOf) }))
    for (const [choice, track] of tracks.entries()) {
      const delta = track[place]
      if (delta) chunks.push(write.delta(delta, probabilities[choice]?.[place]))
    }
    if (place === places - 1) {
      chunks.push(write.rest({ choices: answers.map(closingOf) }))
      chunks.push(write.rest({ choices: [], usage }), 'data: [DONE]\n\n')
    }
    yield chunks
  }
}

function openingOf(_drawn: Drawn, index: number): object {
  return { index, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null }
}

function closingOf({ answer }: Drawn, index: number): object {
  return { index, delta: {}, logprobs: null, finish_reason: answer.finishReason }
}

/** Writes chunks: what all of them share is written once, for there may be thousands. */
function writerOf({ id, created, model }: Completion) {
  const shared = JSON.stringify({ id, object: 'chat.completion.chunk', created, model })
  const head = `data: ${shared.slice(0, -1)},`
  return {
    rest: (part: object): string => `${head}${JSON.stringify(part).slice(1)}\n\n`,
    delta({ choice, delta, kind }: Delta, logprob: TokenLogprob | undefined): string {
      const field = kind === 'refusal' ? 'refusal' : 'content'
      const logprobs = logprob
        ? JSON.stringify({ content: null, refusal: null, [field]: [logprob] })
        : 'null'
      return `${head}"choices":[{"index":${choice},"delta":${JSON.stringify(delta)},"logprobs":${logprobs},"finish_reason":null}]}\n\n`
    },
  }
}

function probabilitiesOf({ answer, draws }: Drawn, { top }: { top: number }): TokenLogprob[] {
  return logprobsOf(tokensOf(answer), { draws, top })
}

function deltasOf({ answer }: Drawn, choice: number): Delta[] {
  let call = 0
  return answer.parts.flatMap((part) => {
    if (part.kind !== 'tool_call') {
      const { kind } = part
      return part.tokens.map((token): Delta => ({ choice, kind, delta: { [kind]: token } }))
    }
    return callDeltas(part, { choice, call: call++ })
  })
}

/** A call's id and name come whole, with the first of their tokens; its arguments token by token. */
function callDeltas(
  { id, name, tokens }: Extract<Part, { kind: 'tool_call' }>,
  { choice, call: index }: { choice: number; call: number },
): Delta[] {
  const deltaOf = (call: object): Delta => {
    return { choice, kind: 'tool_call', delta: { tool_calls: [{ index, ...call }] } }
  }
  const opening = { id, type: 'function', function: { name: name.text, arguments: '' } }
  const nothing = { function: { arguments: '' } }
  return [
    ...name.tokens.map((_, place) => deltaOf(place === 0 ? opening : nothing)),
    ...tokens.map((token) => deltaOf({ function: { arguments: token } })),
  ]
}
