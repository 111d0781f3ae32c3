import { DISCONNECT, type Host, type Outcome } from '../contract/exchange.js'
import { refusalWith, waitHeaders } from '../contract/status-wording.js'
import type { Engine } from '../engine/engine.js'
import type { Ending, FaultPlan } from '../engine/faults/fault-plan.js'
import { milliseconds } from '../text/duration.js'
import { encode } from './encode.js'
import { Reply } from './operation.js'
import { drain, reshape } from './reshape.js'

interface Faulty {
  host: Host
  engine: Engine
  plan: FaultPlan
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

async function spoiledAnswer({ host, engine, plan, work }: Faulty): Promise<Outcome> {
  const { delayed } = engine
  const { ending } = plan
  if (!(await delayed.wait(plan.delayBefore))) return DISCONNECT
  const outcome = ending?.stage === 'before' ? undefined : await work()
  if (!(await delayed.wait(plan.delayAfter))) return DISCONNECT
  const spoiled = ending ? end(ending, { outcome, host, engine }) : outcome!
  const shaped = plan.shapes.reduce((each, shape) => reshape(each, shape, delayed), spoiled)
  return withHeaders(shaped, plan.headers)
}

interface Ended {
  /** The answer without the fault, if the later stages ran. */
  outcome: Outcome | undefined
  host: Host
  engine: Engine
}

function end(ending: Ending, { outcome, host, engine }: Ended): Outcome {
  if (ending.fault === 'drop') {
    if (ending.stage === 'mid_body' && outcome) return brokenOff(outcome)
  }
  void drain(outcome)
  if (ending.fault === 'drop') return DISCONNECT
  if (ending.fault === 'hang') return { kind: 'hang', ...engine.delayed.hang() }
  if (ending.fault === 'refused') {
    const headers = waitHeaders(ending.wait)
    return encode(refusalWith(ending.status, host, { headers }), host)
  }
  const { status, message, body } = ending
  const wait = ending.retry_after === undefined ? {} : waitHeaders(milliseconds(ending.retry_after))
  const headers = { ...wait, ...ending.headers }
  if (body === undefined) return encode(refusalWith(status, host, { message, headers }), host)
  if (typeof body !== 'string') return encode(new Reply(status, body, headers), host)
  return {
    kind: 'response',
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
    body,
  }
}

/** Sends half of the answer. Its `content-length` announces all of it. */
function brokenOff(outcome: Outcome): Outcome {
  if (outcome.kind !== 'response' && outcome.kind !== 'stream') return outcome
  const { status } = outcome
  if (outcome.kind === 'stream') return { ...outcome, chunks: firstOf(outcome.chunks) }
  const { body } = outcome
  const length = new TextEncoder().encode(body).length
  const headers = { ...outcome.headers, 'content-length': String(length) }
  const half = body.slice(0, body.length >> 1)
  return { kind: 'stream', status, headers, chunks: firstOf([half, '']) }
}

async function* firstOf(chunks: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    yield chunk
    break
  }
  throw new Error('The connection was dropped on purpose')
}

function withHeaders(outcome: Outcome, headers: Readonly<Record<string, string>>): Outcome {
  if (outcome.kind !== 'response' && outcome.kind !== 'stream') return outcome
  return { ...outcome, headers: { ...outcome.headers, ...headers } }
}

/** If the answer asks the client to wait and the clock is virtual, skips the wait. */
function skip({ clock }: Engine, wait: FaultPlan['wait']): void {
  if (wait === undefined || (clock.mode !== 'auto' && clock.mode !== 'instant')) return
  if (wait === 'next') clock.next()
  else clock.advance(wait)
}

/** Calls `finish` when the answer is sent. */
function finished(outcome: Outcome, finish: () => void): Outcome {
  if (outcome.kind === 'stream') return { ...outcome, chunks: watched(outcome.chunks, finish) }
  if (outcome.kind === 'hang') void outcome.until.then(finish)
  else finish()
  return outcome
}

async function* watched(
  chunks: AsyncIterable<string> | Iterable<string>,
  finish: () => void,
): AsyncGenerator<string> {
  try {
    yield* chunks
  } finally {
    finish()
  }
}
