import { hostOfHeader } from '../../base/text/authority.js'
import { isLoopback } from '../../base/text/near-address.js'
import { isForHeader } from '../../base/text/options.js'
import { wallNow } from '../../base/clock/wall.js'
import { acceptedSignature, mostCallsFor, type Accepts } from './accepted-signature.js'
import { Redactor, type Redact } from '../../base/text/redaction/redact.js'
import { secretsInUrl } from '../../base/text/redaction/credentials.js'
import { networkError } from '../../base/text/network-error.js'
import {
  receiverBattery,
  TEST_HEADER,
  TEST_PAYLOAD,
  type BatteryOptions,
  type Rule,
  type RuleResult,
  type Trial,
} from './receiver-battery.js'
import {
  CountError,
  countRules,
  EVENTS_OF_A_COUNT,
  judgeCounts,
  type Counting,
  type EqualEvents,
} from './count-events.js'
import { answerInOneLine, sendWith } from './transport.js'
import { mayRefuseSignature, TOO_LONG, whyFailed } from './why-failed.js'
import {
  bodyVariants,
  signatureVariants,
  type ExpectedSignature,
  type SignatureVariant,
} from '../signature/signature-variants.js'
import { stampHeaders } from '../signature/standard-headers.js'
import { bytesOf, hmacKey, signWith, SIGNATURE_HEADER } from '../signature/signature.js'

export interface ReceiverCheck extends ExpectedSignature {
  readonly url: string
  /** Default: every variable, with the names of a test. */
  readonly payload?: BatteryOptions['payload'] | undefined
  /** How long a response may take, in milliseconds. Default: 10,000. */
  readonly within?: number | undefined
  /** Returns how often the receiver has acted. Without it, nobody knows whether it acts twice. */
  readonly count?: Counting['count']
  /** Makes events. Default: deliveries of the check, if each has an id. */
  readonly events?: EqualEvents | undefined
}

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
  const caller = new Caller(check, within)
  const rules = rulesOf(check)
  const results: RuleResult[] = []
  for (const rule of rules) {
    const result = await judge(rule, caller)
    results.push(result)
    // A receiver that refuses everything would pass half of the rest, which says nothing.
    if (rule.isPrecondition && result.result === 'fail') {
      const detail =
        caller.answered === 0
          ? 'there was no answer to the first delivery'
          : 'the first delivery was not accepted, so this would say nothing'
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

/** Deliveries with equal bytes, each with its id. Undefined if the signature has no place for an id. */
function ownEvents(caller: Caller): EqualEvents | undefined {
  const { payload = TEST_PAYLOAD, standard = false } = caller.check
  if (!standard) return undefined
  const signed = JSON.stringify({ ...payload, svtrain_check: caller.run })
  let events = 0
  const send = async (): Promise<void> => {
    const problem = acceptProblem(await caller.send({ signed }, `event-${events}`))
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

async function judge(rule: Rule, caller: Caller): Promise<RuleResult> {
  const { id, text, expects, trials, skipped } = rule
  if (skipped !== undefined) return { id, rule: text, result: 'skipped', detail: skipped }
  for (const [index, trial] of trials.entries()) {
    const answer = await caller.send(trial, `${id}-${trial.delivery ?? index}`)
    const fault = expects === 'accept' ? acceptProblem(answer) : refuseProblem(answer)
    if (fault === undefined) continue
    const which = trials.length === 1 ? '' : `delivery ${index + 1} of ${trials.length}: `
    const hint = await hintFor(rule, { trial, answer }, caller)
    return { id, rule: text, result: 'fail', detail: which + fault, ...(hint && { hint }) }
  }
  return { id, rule: text, result: 'pass' }
}

type Answer =
  | { status: number; text: string; error?: undefined }
  | { status?: undefined; error: string }

/** Why a receiver refuses what it should accept: the signature that it accepts instead, unless it failed otherwise. */
async function hintFor(
  { findsOut }: Rule,
  { trial: { signed }, answer }: { trial: Trial; answer: Answer },
  caller: Caller,
): Promise<string | undefined> {
  if (!findsOut) return undefined
  if (!mayRefuseSignature(answer)) return whyFailed(answer, caller.check.url)
  try {
    return await acceptedInstead(findsOut, signed, caller)
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error
    return `The search for a signature that your receiver accepts ended early: ${error.message}.`
  }
}

type SignedPart = NonNullable<Rule['findsOut']>

function variantsOf(what: SignedPart, signed: string, check: ReceiverCheck): SignatureVariant[] {
  if (what === 'body') return [...bodyVariants(signed, check)]
  // A secret must not travel through a network in plain text, and some travel in no header at all.
  const mayReveal = isLoopback(hostOfHeader(new URL(check.url).host)) && isForHeader(check.secret)
  return [...signatureVariants(signed, check)].filter(({ revealing }) => mayReveal || !revealing)
}

async function acceptedInstead(
  what: SignedPart,
  signed: string,
  caller: Caller,
): Promise<string | undefined> {
  const { check } = caller
  const variants = variantsOf(what, signed, check)
  const found = await acceptedSignature(variants, check, caller.accepts(signed))
  if (found !== undefined || what === 'body') return found
  const { header = SIGNATURE_HEADER, token } = check
  const where =
    check.standard === true ? 'webhook-signature' : `${header} (--header sends another one)`
  return [
    `Your receiver accepts none of ${variants.length} other forms of the signature either.`,
    `Check that it has the same secret, and that it reads the header ${where}.`,
    ...(token === undefined ? ['If it requires an access token, pass it with --token.'] : []),
    'If it refuses the payload, send one of yours with --payload.',
  ].join(' ')
}

function acceptProblem(answer: Answer): string | undefined {
  if (answer.status === undefined) return answer.error
  const { status } = answer
  return status >= 200 && status < 300 ? undefined : `${formatAnswer(answer)}; expected 2xx`
}

function refuseProblem(answer: Answer): string | undefined {
  if (answer.status === undefined) return answer.error
  const { status } = answer
  if (status >= 400 && status < 500) return undefined
  if (status < 300) return `accepted it with ${status}; expected 401 or another 4xx`
  return `${formatAnswer(answer)}; expected 401 or another 4xx`
}

function formatAnswer({ status, text }: Extract<Answer, { status: number }>): string {
  return text === '' ? `answered ${status}` : `answered ${status} ${text}`
}

/** Ends a search: every further call may take as long. */
class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
}

/** Calls the receiver that is checked. */
class Caller {
  answered = 0
  /** In milliseconds. */
  slowest = 0
  readonly check: ReceiverCheck
  readonly #within: number
  readonly #redactor: Redactor
  /** Part of each id, so that a receiver that remembers ids accepts those of another run. */
  readonly run = Math.floor(wallNow())
  #searched = 0

  constructor(check: ReceiverCheck, within: number) {
    this.check = check
    this.#within = within
    const { secret, token = '', url } = check
    this.#redactor = new Redactor({ secrets: [secret, token, ...secretsInUrl(url)] })
  }

  async send(trial: Trial, delivery: string): Promise<Answer> {
    const headers = await this.#headersFor(trial, this.#idOf(delivery))
    return this.#post(headers, trial.sent ?? trial.signed)
  }

  /** Whether the receiver accepts a body with another signature. Rejects with `NoAnswerError`. */
  accepts(body: string): Accepts {
    return async (headers) => {
      const id = this.#idOf(`search-${this.#searched++}`)
      const signature = await headers({ id, moment: new Date(wallNow()) })
      const token = this.check.token ?? null
      const answer = await this.#post({ ...this.#common(token), ...signature }, body)
      if (answer.status === undefined) throw new NoAnswerError(answer.error)
      return answer.status >= 200 && answer.status < 300
    }
  }

  async #post(headers: Record<string, string>, body: string): Promise<Answer> {
    const start = wallNow()
    try {
      const { status, body: answer } = await sendWith(globalThis.fetch)({
        url: this.check.url,
        headers,
        body: new TextEncoder().encode(body),
        signal: AbortSignal.timeout(this.#within * 2),
      })
      this.answered++
      const redact: Redact = (said, about) => this.#redactor.redact(said, about)
      return { status, text: answerInOneLine(answer, redact) }
    } catch (error) {
      return { error: `no answer: ${reasonOf(error as Error)}` }
    } finally {
      this.slowest = Math.max(this.slowest, wallNow() - start)
    }
  }

  #idOf(delivery: string): string {
    return `check-${this.run}-${delivery}`
  }

  async #headersFor(trial: Trial, id: string): Promise<Record<string, string>> {
    const { token = this.check.token ?? null } = trial
    return {
      ...this.#common(token),
      ...(this.check.standard === true
        ? await this.#standard(trial, id)
        : await this.#plain(trial)),
    }
  }

  #common(token: string | null): Record<string, string> {
    return {
      'content-type': 'application/json',
      'user-agent': 'svtrain-emulator',
      [TEST_HEADER.toLowerCase()]: 'true',
      // A receiver may close a connection after an error: a call on the same one would be lost.
      connection: 'close',
      ...(token !== null && { authorization: `Bearer ${token}` }),
    }
  }

  async #plain({ signed, signature, secret = this.check.secret }: Trial) {
    const { header = SIGNATURE_HEADER, encoding, prefix } = this.check
    if (signature !== undefined) return { [header]: latin1(signature) }
    if (secret === null) return {}
    // Also with the empty key, which no receiver may accept.
    const key = await hmacKey(secret)
    return { [header]: await signWith(key, bytesOf(signed), { encoding, prefix }) }
  }

  async #standard(trial: Trial, id: string): Promise<Record<string, string>> {
    const { signed, signature, secret = this.check.secret, age = 0 } = trial
    const time = new Date(wallNow() - age)
    const named = stampHeaders({ id, moment: time })
    if (signature !== undefined) return { ...named, 'webhook-signature': latin1(signature) }
    if (secret === null) return named
    const { Webhook } = await import('../signature/standard-webhook.js')
    return { ...named, 'webhook-signature': new Webhook(secret).sign(id, time, signed) }
  }
}

/** Headers hold bytes; fetch takes them as Latin-1. */
function latin1(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text))
}

function reasonOf(error: Error): string {
  return error.name === 'TimeoutError' ? TOO_LONG : networkError(error)
}
