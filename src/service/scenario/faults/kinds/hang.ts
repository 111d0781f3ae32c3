import { BrokenOff, type Chunk, type Chunks, type Outcome } from '../../../contract/exchange.js'
import { defineFault, type AnswerTools } from '../definition.js'
import { halfOf, headOf } from '../half-answer.js'
import { STAGE_WORDS } from '../stage-words.js'

export const hang = defineFault({
  schema: ({ faultSchema, choice, valuesMean }) =>
    faultSchema(
      'hang',
      'Sends no response, or half of it. The connection stays open until the client closes it.',
      {
        stage: choice(['before', 'after', 'mid_body'])
          .default('before')
          .meta({
            ...valuesMean('When the response stops.', {
              before: 'before the work',
              after: 'after the work, before the response',
              mid_body:
                'half-way through the response. The client gets the status, the headers and half of the body',
            }),
            examples: ['after'],
          }),
      },
    ),
  words({ stage = 'before' }) {
    const [suffix, when] = STAGE_WORDS[stage]
    const effect = stage === 'mid_body' ? 'half of an answer, and then nothing' : `no answer${when}`
    return [`hangs${suffix}`, effect]
  },
  survivable: false,
  damage: 'lost',
  apply({ stage }, { plan }) {
    plan.ending = {
      stage,
      answer: ({ delayed }, worked) => {
        return worked && stage === 'mid_body'
          ? stalled(worked, delayed)
          : { kind: 'hang', ...delayed.hang() }
      },
    }
    return stage === 'mid_body' ? 'nothing after half of the response' : 'no response'
  },
})

/** Sends half of the answer and then nothing, until the client leaves. */
export function stalled(outcome: Outcome, delayed: AnswerTools['delayed']): Outcome {
  if (outcome.kind !== 'response' && outcome.kind !== 'stream') return outcome
  const { until, leave } = delayed.hang()
  if (outcome.kind === 'stream') {
    return { ...outcome, chunks: stallingHalfWay(outcome.chunks, until), until, leave }
  }
  return { ...headOf(outcome), chunks: stallingAfter(halfOf(outcome.body), until), until, leave }
}

/**
 * Sends one chunk for every two that are ready, so half of them at the end. The stream behind it stays open, as it
 * counts as a call in progress until the client leaves.
 */
async function* stallingHalfWay(chunks: Chunks, until: Promise<boolean>): AsyncGenerator<Chunk> {
  const ready: Chunk[] = []
  let isSecond = false
  for await (const chunk of chunks) {
    ready.push(chunk)
    if (isSecond) yield ready.shift()!
    isSecond = !isSecond
    if (typeof chunk === 'string' && LAST_EVENT.test(chunk)) yield* stallingAfter('', until)
  }
  yield* stallingAfter('', until)
}

/** The event that ends a stream. */
const LAST_EVENT = /^(?:data: \[DONE\]|event: (?:response\.completed|message_stop))/m

async function* stallingAfter(text: string, until: Promise<boolean>): AsyncGenerator<string> {
  if (text !== '') yield text
  await until
  throw new BrokenOff('The response stopped on purpose')
}
