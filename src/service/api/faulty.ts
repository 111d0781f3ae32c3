import { BrokenOff, DISCONNECT, type Host, type Outcome } from '../contract/exchange.js'
import { chatRefusal, refusalWith, waitHeaders } from '../contract/status-wording.js'
import type { Engine } from '../engine/engine.js'
import type { Ending, FaultPlan } from '../engine/faults/fault-plan.js'
import { milliseconds } from '../../base/text/duration.js'
import { edited } from './edited.js'
import { encode } from './encode.js'
import { Reply } from './operation.js'
import { drain, reshape } from './reshape.js'

interface Faulty {
  host: Host
  engine: Engine
  plan: FaultPlan
  /** Whether the call is a chat. Its errors have the form of the chat layer on both hosts. */
  isChat: boolean
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

async function spoiledAnswer({ host, engine, plan, isChat, work }: Faulty): Promise<Outcome> {
  const { delayed } = engine
  const { ending } = plan
  if (!(await delayed.wait(plan.delayBefore))) return DISCONNECT
  const worked = ending?.stage === 'before' ? undefined : await work()
  const outcome = worked && plan.edits.reduce(edited, worked)
  if (!(await delayed.wait(plan.delayAfter))) return DISCONNECT
  const spoiled = ending ? end(ending, { outcome, host, isChat, engine }) : outcome!
  const shaped = plan.shapes.reduce((each, shape) => reshape(each, shape, engine), spoiled)
  return withHeaders(shaped, plan.headers)
}

interface Ended {
  /** The answer without the fault, if the later stages ran. */
  outcome: Outcome | undefined
  host: Host
  isChat: boolean
  engine: Engine
}

function end(ending: Ending, { outcome, host, isChat, engine }: Ended): Outcome {
  if (ending.stage === 'mid_body' && outcome) {
    return ending.fault === 'drop' ? brokenOff(outcome) : stalled(outcome, engine.delayed)
  }
  drain(outcome, engine)
  if (ending.fault === 'drop') return DISCONNECT
  if (ending.fault === 'hang') return { kind: 'hang', ...engine.delayed.hang() }
  const refuse = (options: { message?: string | undefined; headers: Record<string, string> }) => {
    const { status } = ending
    return encode(isChat ? chatRefusal(status, options) : refusalWith(status, host, options), host)
  }
  if (ending.fault === 'refused') {
    return refuse({ message: ending.message, headers: waitHeaders(ending.wait) })
  }
  const { status, message, body } = ending
  const wait = ending.retry_after === undefined ? {} : waitHeaders(milliseconds(ending.retry_after))
  const headers = { ...wait, ...ending.headers }
  if (body === undefined) return refuse({ message, headers })
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
  if (outcome.kind === 'stream') {
    return { ...outcome, chunks: firstOf(outcome.chunks), broken: true }
  }
  return { ...headOf(outcome), chunks: firstOf([halfOf(outcome.body), '']), broken: true }
}

/** Sends half of the answer and then nothing, until the client leaves. */
function stalled(outcome: Outcome, delayed: Engine['delayed']): Outcome {
  if (outcome.kind !== 'response' && outcome.kind !== 'stream') return outcome
  const { until, leave } = delayed.hang()
  if (outcome.kind === 'stream') {
    return { ...outcome, chunks: stallingHalfWay(outcome.chunks, until), leave }
  }
  return { ...headOf(outcome), chunks: stallingAfter(halfOf(outcome.body), until), leave }
}

/** The head of an answer whose body is sent in part. Its `content-length` announces the whole body. */
function headOf({ status, headers, body }: Extract<Outcome, { kind: 'response' }>) {
  const length = new TextEncoder().encode(body).length
  return {
    kind: 'stream',
    status,
    headers: { ...headers, 'content-length': String(length) },
  } as const
}

function halfOf(text: string): string {
  return text.slice(0, text.length >> 1)
}

/**
 * Sends one chunk for every two that are ready, so half of them at the end. The stream behind it stays open, as it
 * counts as a call in progress until the client leaves.
 */
async function* stallingHalfWay(
  chunks: AsyncIterable<string> | Iterable<string>,
  until: Promise<void>,
): AsyncGenerator<string> {
  const ready: string[] = []
  let isSecond = false
  for await (const chunk of chunks) {
    ready.push(chunk)
    if (isSecond) yield ready.shift()!
    isSecond = !isSecond
    if (LAST_EVENT.test(chunk)) yield* stallingAfter('', until)
  }
  yield* stallingAfter('', until)
}

/** The event that ends a stream. */
const LAST_EVENT = /^(?:data: \[DONE\]|event: (?:response\.completed|message_stop))/m

async function* stallingAfter(text: string, until: Promise<void>): AsyncGenerator<string> {
  if (text !== '') yield text
  await until
  throw new BrokenOff('The response stopped on purpose')
}

async function* firstOf(chunks: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    yield chunk
    break
  }
  throw new BrokenOff('The connection was dropped on purpose')
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
