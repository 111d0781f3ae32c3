import {
  BrokenOff,
  DISCONNECT,
  type Chunk,
  type Chunks,
  type Outcome,
} from '../../../contract/exchange.js'
import { defineFault } from '../definition.js'
import { halfOf, headOf } from '../half-answer.js'
import { STAGE_WORDS } from '../stage-words.js'

export const drop = defineFault({
  schema: ({ faultSchema, choice, valuesMean }) =>
    faultSchema('drop', 'Closes the connection before the response is complete.', {
      stage: choice(['before', 'after', 'mid_body'])
        .default('before')
        .meta({
          ...valuesMean('When the connection is lost.', {
            before: 'before the work',
            after: 'after the work, before the response',
            mid_body: 'half-way through the response',
          }),
          examples: ['mid_body'],
        }),
    }),
  words({ stage = 'before' }) {
    const [suffix, when] = STAGE_WORDS[stage]
    return [`dropped${suffix}`, `a lost connection${when}`]
  },
  survivable: false,
  damage: 'lost',
  isWaitedFor: () => true,
  apply({ stage }, { plan, untilOver }) {
    plan.wait = untilOver()
    plan.ending = {
      stage,
      answer: (_tools, worked) => {
        return worked && stage === 'mid_body' ? brokenOff(worked) : DISCONNECT
      },
    }
    return `connection dropped ${DROPPED[stage]}`
  },
})

const DROPPED = {
  before: 'before the work',
  after: 'after the work',
  mid_body: 'half-way through the response',
} as const

/** Sends half of the answer. Its `content-length` announces all of it. */
export function brokenOff(outcome: Outcome): Outcome {
  if (outcome.kind !== 'response' && outcome.kind !== 'stream') return outcome
  if (outcome.kind === 'stream') {
    return { ...outcome, chunks: firstOf(outcome.chunks), broken: true }
  }
  return { ...headOf(outcome), chunks: firstOf([halfOf(outcome.body), '']), broken: true }
}

async function* firstOf(chunks: Chunks): AsyncGenerator<Chunk> {
  for await (const chunk of chunks) {
    // A small download is one chunk, and must not be complete.
    yield typeof chunk === 'string' ? chunk : chunk.subarray(0, chunk.length >> 1)
    break
  }
  throw new BrokenOff('The connection was dropped on purpose')
}
