import { apiErrors } from '../contract/errors.js'
import { DISCONNECT, type Outcome } from '../contract/exchange.js'
import { shortened } from '../../base/text/shortened.js'
import { thrownText } from '../../base/text/thrown-text.js'
import { ScenarioError } from '../scenario/scenario-error.js'
import { wallNow, wallSince } from '../../base/clock/wall.js'
import { asksJudge } from './asks-judge.js'
import { encode } from './encode.js'
import type { Answer, Next, RequestContext } from './pipeline.js'
import { detailOf } from './refusal-detail.js'
import { CHAT_TAG, PLATFORM_TAG } from './tags.js'

/** Records the request and its answer in the journal. What the later stages throw becomes an answer. */
export function record<C extends RequestContext>(context: C, next: Next<C>): Answer {
  const { engine, host, request, match } = context
  const start = wallNow()
  const entry = engine.journal.open(host, request)
  context.entry = entry
  if (match.kind === 'found') entry.operation = match.operation.id
  const answered = decidesWhen(context) ? engine.clientWaits.arrived(entry) : undefined
  const close = (made: Outcome): Outcome => {
    const outcome = context.acknowledged(made)
    recordOutcome(outcome, context)
    recordModel(context)
    answered?.(outcome)
    const sent = engine.journal.respond(entry, outcome)
    engine.journal.close(entry, wallSince(start))
    const until = 'until' in outcome ? outcome.until : undefined
    if (until) engine.journal.hangs(entry, until, () => wallSince(start))
    return sent
  }
  const fail = (error: unknown): Outcome => {
    entry.fault = error
    return close(encode(apiErrors.internal(host, reasonOf(error)), host))
  }
  // A reset ended the world and removed its records, so the answer is dropped.
  const inTime = (outcome: Outcome): Outcome => (engine.clock.ended ? DISCONNECT : outcome)
  try {
    const answer = next(context)
    if (!(answer instanceof Promise)) return close(answer)
    return answer.then((outcome) => close(inTime(outcome))).catch(fail)
  } catch (error) {
    return fail(error)
  }
}

/** Functions of a scenario are the user's. Any other error is a defect of the emulator. */
function reasonOf(error: unknown): string {
  if (error instanceof ScenarioError) return error.message
  return `The emulator failed to answer this; please report it. ${thrownText(error)}`
}

/** Whether the client decides when it makes the call again. For calls about runs and artifacts, their SDK does. */
function decidesWhen({ host, match }: RequestContext): boolean {
  return host !== 'control' && match.kind === 'found' && match.operation.tag !== PLATFORM_TAG
}

/** Says which model a refused chat asked, and whether that is a judge. An error that names it says enough. */
function recordModel({ engine, entry, match, json: { value } }: RequestContext): void {
  const { status = 0, lost, detail = '' } = entry
  const isChat = match.kind === 'found' && match.operation.tag === CHAT_TAG
  if (!isChat || (status < 400 && lost === undefined)) return
  const { model: name } = Object(value) as { model?: unknown }
  if (typeof name !== 'string' || detail.includes(name)) return
  const role = asksJudge(engine, value) ? ', a judge' : ''
  entry.effects.unshift(`asked ${shortened(name, LONGEST_NAME)}${role}`)
}

const LONGEST_NAME = 80

/** Writes the outcome of a request into its journal entry. */
function recordOutcome(outcome: Outcome, { entry }: RequestContext): void {
  if (outcome.kind === 'disconnect' || outcome.kind === 'hang') entry.lost = outcome.kind
  else entry.status = outcome.status
  if (outcome.kind === 'stream' && outcome.leave) entry.lost = 'hang'
  if (outcome.kind === 'stream' && outcome.broken) entry.lost = 'disconnect'
  if (outcome.kind !== 'response' || outcome.status < 400) return
  entry.detail = outcome.reason ?? detailOf(outcome.body)
}
