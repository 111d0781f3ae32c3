import { hintFor, variantsOf } from './signature-hint.js'
import { mostCallsFor } from './accepted-signature.js'
import {
  CountError,
  countRules,
  EVENTS_OF_A_COUNT,
  judgeCounts,
  type EqualEvents,
} from './count-events.js'
import {
  receiverBattery,
  TEST_PAYLOAD,
  type BatteryOptions,
  type Rule,
  type RuleResult,
} from './receiver-battery.js'
import { ReceiverCaller, type Answer, type ReceiverCheck } from './receiver-caller.js'

/** The most that a check sends. */
export interface CheckPlan {
  /** Fewer if the first one is not accepted. */
  readonly deliveries: number
  /** How many more, to find out which signature a receiver accepts that refuses the one that is due. */
  readonly searched: number
  /** How many of them a good receiver accepts, and acts on. */
  readonly valid: number
  readonly payload: BatteryOptions['payload']
}

/** Returns what a check sends, without sending it. */
export function planOf(check: ReceiverCheck): CheckPlan {
  const rules = rulesOf(check).filter(({ skipped }) => skipped === undefined)
  const count = (some: readonly Rule[]): number => some.flatMap(({ trials }) => trials).length
  const valid = count(rules.filter(({ expects }) => expects === 'accept'))
  const counted = check.count && !check.events && check.standard === true
  // One of the events is delivered twice.
  const also = counted ? EVENTS_OF_A_COUNT + 1 : 0
  const payload = check.payload ?? TEST_PAYLOAD
  // Without the first, the others are not sent: only one search takes place.
  const searches = rules.flatMap(({ findsOut, trials }) => {
    return findsOut ? trials.map(({ signed }) => variantsOf(findsOut, signed, check).length) : []
  })
  const searched = Math.max(...searches) + mostCallsFor(check)
  return { deliveries: count(rules) + also, searched, valid: valid + also, payload }
}

/** Sends valid and invalid deliveries to a receiver and judges its responses, rule by rule. */
export async function checkReceiver(check: ReceiverCheck): Promise<RuleResult[]> {
  const { within = 10_000 } = check
  const caller = new ReceiverCaller(check, within)
  const rules = rulesOf(check)
  const results: RuleResult[] = []
  for (const rule of rules) {
    const result = await judge(rule, caller)
    // What failed before says why it is gone.
    if (!caller.isGone || !results.some(isFailed)) results.push(result)
    // A receiver that refuses everything would pass half of the rest, which says nothing.
    if (caller.isGone || (rule.isPrecondition && isFailed(result))) {
      const detail = whyNotJudged(caller)
      const left = rules.slice(results.length).map(({ id, text }) => ({ id, rule: text }))
      const rest = [...left, ...countRules].map((each): RuleResult => {
        return { ...each, result: 'skipped', detail }
      })
      return [...results, ...rest]
    }
  }
  const { count, events = ownEvents(caller) } = check
  const counts = await judgeCounts({ count, events })
  return [...results, ...counts, inTime(caller.slowest, within)]
}

function isFailed({ result }: RuleResult): boolean {
  return result === 'fail'
}

function whyNotJudged({ isGone, answered }: ReceiverCaller): string {
  if (isGone) return 'not judged: the receiver is gone'
  if (answered === 0) return 'there was no answer to the first delivery'
  return 'the first delivery was not accepted, so this would say nothing'
}

/** Deliveries with equal bytes, each with its id. Undefined if the signature has no place for an id. */
function ownEvents(caller: ReceiverCaller): EqualEvents | undefined {
  const { payload = TEST_PAYLOAD, standard = false } = caller.check
  if (!standard) return undefined
  const signed = JSON.stringify({ ...payload, svtrain_check: caller.run })
  let events = 0
  const send = async (): Promise<void> => {
    const problem = problemOf(await caller.send({ signed }, `event-${events}`), 'accept')
    if (problem !== undefined) throw new CountError('failed', problem)
  }
  return {
    happen() {
      events++
      return send()
    },
    repeat: send,
  }
}

function rulesOf({ payload = TEST_PAYLOAD, token, standard = false }: ReceiverCheck): Rule[] {
  return receiverBattery({ payload, hasToken: token !== undefined, timestamped: standard })
}

function inTime(slowest: number, within: number): RuleResult {
  const rule = { id: 'in-time', rule: `answers within ${within} ms` }
  if (slowest <= within) return { ...rule, result: 'pass' }
  return { ...rule, result: 'fail', detail: `the slowest answer took ${Math.ceil(slowest)} ms` }
}

async function judge(rule: Rule, caller: ReceiverCaller): Promise<RuleResult> {
  const { id, text, expects, trials, skipped } = rule
  if (skipped !== undefined) return { id, rule: text, result: 'skipped', detail: skipped }
  for (const [index, trial] of trials.entries()) {
    const answer = await caller.send(trial, `${id}-${trial.delivery ?? index}`)
    const fault = problemOf(answer, expects)
    if (fault === undefined) continue
    const which = trials.length === 1 ? '' : `delivery ${index + 1} of ${trials.length}: `
    const hint = await hintFor(rule, { trial, answer }, caller)
    return { id, rule: text, result: 'fail', detail: which + fault, ...(hint && { hint }) }
  }
  return { id, rule: text, result: 'pass' }
}

function problemOf(answer: Answer, expects: Rule['expects']): string | undefined {
  if (answer.status === undefined) return answer.error
  const { status, text } = answer
  const [due, expected] = expects === 'accept' ? [2, '2xx'] : [4, '401 or another 4xx']
  if (Math.floor(status / 100) === due) return undefined
  const said =
    due === 4 && status < 300 ? `accepted it with ${status}` : `answered ${status} ${text}`
  return `${said.trimEnd()}; expected ${expected}`
}
