import {
  DISCONNECT,
  type Chunk,
  type Chunks,
  type Host,
  type Outcome,
} from '../contract/exchange.js'
import { chatRefusal, refusalWith } from '../contract/status-refusals.js'
import type { Engine } from '../engine/engine.js'
import type { FaultPlan } from '../engine/faults/fault-plan.js'
import type { AnswerChange, AnswerTools } from '../scenario/faults/definition.js'
import { drain } from './drain.js'
import { encode } from './encode.js'
import { Reply } from './result.js'
import { CHAT_TAG, PLATFORM_TAG } from './tags.js'

interface Faulty {
  host: Host
  engine: Engine
  plan: FaultPlan
  /** The tag of its row, which decides the form of its errors. */
  tag: string
  /** The later stages of the request. */
  work: () => Outcome | Promise<Outcome>
}

/** Answers a call with the faults of a plan. */
export async function answerFaulty(call: Faulty): Promise<Outcome> {
  const { engine, plan } = call
  try {
    const outcome = await spoiledAnswer(call)
    skip(engine, plan.wait)
    return finished(outcome, plan.finish)
  } catch (error) {
    plan.finish()
    throw error
  }
}

async function spoiledAnswer({ host, engine, plan, tag, work }: Faulty): Promise<Outcome> {
  const { delayed } = engine
  const { ending } = plan
  const tools: AnswerTools = {
    delayed,
    refuse: (status, options) => {
      if (tag === CHAT_TAG) return encode(chatRefusal(status, options), host)
      const form = tag === PLATFORM_TAG ? 'graphql' : undefined
      return encode(refusalWith(status, host, { ...options, form }), host)
    },
    reply: (status, body, headers) => encode(new Reply(status, body, headers), host),
    drain: (answer) => drain(answer, engine),
  }
  if (!(await delayed.wait(plan.delayBefore))) return DISCONNECT
  const worked = ending?.stage === 'before' ? undefined : await work()
  const outcome = worked && changed(worked, plan.edits, tools)
  if (!(await delayed.wait(plan.delayAfter))) return DISCONNECT
  if (outcome && ending && ending.stage !== 'mid_body') drain(outcome, engine)
  const spoiled = ending ? ending.answer(tools, outcome) : outcome!
  return withHeaders(changed(spoiled, plan.shapes, tools), plan.headers)
}

/** A dropped or hanging answer stays as it is. */
function changed(outcome: Outcome, by: readonly AnswerChange[], tools: AnswerTools): Outcome {
  return by.reduce((each, change) => {
    return each.kind === 'response' || each.kind === 'stream' ? change(each, tools) : each
  }, outcome)
}

function withHeaders(outcome: Outcome, headers: Readonly<Record<string, string>>): Outcome {
  if (outcome.kind !== 'response' && outcome.kind !== 'stream') return outcome
  return { ...outcome, headers: { ...outcome.headers, ...headers } }
}

/** If the answer asks the client to wait and the clock is virtual, skips the wait. */
function skip({ clock }: Engine, wait: FaultPlan['wait']): void {
  if (wait === undefined || (clock.mode !== 'auto' && clock.mode !== 'instant')) return
  if (wait === 'next') clock.next()
  else clock.skipTo(clock.now() + wait)
}

/** Calls `finish` when the answer is sent. */
function finished(outcome: Outcome, finish: () => void): Outcome {
  if (outcome.kind === 'stream') return { ...outcome, chunks: watched(outcome.chunks, finish) }
  if (outcome.kind === 'hang') void outcome.until.then(finish)
  else finish()
  return outcome
}

async function* watched(chunks: Chunks, finish: () => void): AsyncGenerator<Chunk> {
  try {
    yield* chunks
  } finally {
    finish()
  }
}
