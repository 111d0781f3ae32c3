import { ApiError } from '../contract/errors.js'
import { hitText } from '../engine/faults/fault-names.js'
import { authenticate } from './authenticate.js'
import { encode } from './encode.js'
import { faultRequestOf } from './fault-request.js'
import { answerFaulty } from './faulty.js'
import { hostOf, type Answer, type Next, type RequestContext } from './pipeline.js'
import { keyHint } from './refusal-hint.js'
import type { Result } from './result.js'
import { CHAT_TAG } from './tags.js'

/** Waits until the records that the scenario begins with exist. */
export function whenReady<C extends RequestContext>(context: C, next: Next<C>): Answer {
  const engine = context.currentEngine
  // A reset may replace the engine while the request waits.
  if (engine.ready) return engine.ready.then(() => whenReady(context, next))
  context.engine = engine
  return next(context)
}

/** Runs the tasks whose time on the clock has come. */
export function catchUp<C extends RequestContext>(context: C, next: Next<C>): Answer {
  context.engine.clock.catchUp()
  return next(context)
}

/** Starts the scenario's own schedule with the first request. */
export function wake<C extends RequestContext>(context: C, next: Next<C>): Answer {
  context.engine.wake()
  return next(context)
}

/** Asks for an API key. */
export function askForKey<C extends RequestContext>(context: C, next: Next<C>): Answer {
  const { request, engine, host, row, entry } = context
  const account = authenticate(request.headers.authorization, engine.scenario.auth, row)
  if (account instanceof ApiError) {
    entry.hint = keyHint(request, row)
    return encode(account, host)
  }
  context.account = account
  return next(context)
}

/** Delays, changes or replaces the answer, as the scenario says. */
export function applyFaults<C extends RequestContext>(context: C, next: Next<C>): Answer {
  const { engine, entry } = context
  const isChat = context.row.tag === CHAT_TAG
  const loading = isChat && engine.faults.askForJudge ? engine.chat.judge.prepare() : undefined
  if (loading) return loading.then(() => applyFaults(context, next))
  const plan = engine.faults.plan(() => faultRequestOf(context, hostOf(context)))
  if (!plan) return next(context)
  entry.effects.push(...plan.hits.map(hitText))
  entry.faults = plan.hits
  context.pageFaults = plan.pages
  const host = hostOf(context)
  const { tag } = context.row
  const answer = (): Answer => {
    return answerFaulty({ host, engine, plan, tag, work: () => next(context) })
  }
  // The journal says whether a chat that fails asked a judge.
  const toRecord = isChat ? engine.chat.judge.prepare() : undefined
  return toRecord ? toRecord.then(answer) : answer()
}

/** Runs the row and encodes its result. */
export function run(context: RequestContext): Answer {
  const { host, row } = context
  const result = (row.run as (call: RequestContext) => Result | Promise<Result>)(context)
  return result instanceof Promise
    ? result.then((settled) => encode(settled, host))
    : encode(result, host)
}
