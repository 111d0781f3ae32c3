import { wallNow } from '../world/wall.js'
import {
  receiverBattery,
  USUAL_PAYLOAD,
  type BatteryOptions,
  type Rule,
  type Trial,
} from './receiver-battery.js'
import { sign, SIGNATURE_HEADER, type SignatureForm } from './signature.js'

export interface ReceiverCheck extends SignatureForm {
  readonly url: string
  readonly secret: string
  readonly token?: string | undefined
  /** Default: `X-Service-Signature`. */
  readonly header?: string | undefined
  /** Signs with a time, as Standard Webhooks has it; the secret is then base64, `whsec_` before it. */
  readonly standard?: boolean | undefined
  /** Default: all the variables of the specification. */
  readonly payload?: BatteryOptions['payload'] | undefined
  /** How long an answer may take, in milliseconds. Default: 10,000. */
  readonly within?: number | undefined
}

export interface RuleResult {
  readonly id: string
  /** In words, what a good receiver does. */
  readonly rule: string
  readonly result: 'pass' | 'fail' | 'skipped'
  /** What it did instead, or why it was not tried. */
  readonly detail?: string | undefined
}

/** Sends the good and the bad deliveries to a receiver and judges its answers, rule by rule. */
export async function checkReceiver(check: ReceiverCheck): Promise<RuleResult[]> {
  const { payload = USUAL_PAYLOAD, token, standard = false, within = 10_000 } = check
  const sender = new Sender(check, within)
  const rules = receiverBattery({ payload, hasToken: token !== undefined, timestamped: standard })
  const results: RuleResult[] = []
  for (const rule of rules) {
    results.push(await judge(rule, sender))
    // Nobody is there: the rest would only take its time to say the same.
    if (sender.answered === 0) {
      const detail = 'there was no answer to the first delivery'
      const rest = rules.slice(1).map(({ id, text }): RuleResult => {
        return { id, rule: text, result: 'skipped', detail }
      })
      return [...results, ...rest]
    }
  }
  return [...results, inTime(sender.slowest, within)]
}

function inTime(slowest: number, within: number): RuleResult {
  const rule = `answers within ${within} ms`
  if (slowest <= within) return { id: 'in-time', rule, result: 'pass' }
  return {
    id: 'in-time',
    rule,
    result: 'fail',
    detail: `the slowest answer took ${Math.ceil(slowest)} ms`,
  }
}

async function judge(rule: Rule, sender: Sender): Promise<RuleResult> {
  const { id, text, expects, trials, skipped } = rule
  if (skipped !== undefined) return { id, rule: text, result: 'skipped', detail: skipped }
  for (const [index, trial] of trials.entries()) {
    const answer = await sender.send(trial, `${id}-${trial.delivery ?? index}`)
    const fault = expects === 'accept' ? faultOfAccepting(answer) : faultOfRefusing(answer)
    if (fault === undefined) continue
    const which = trials.length === 1 ? '' : `delivery ${index + 1} of ${trials.length}: `
    return { id, rule: text, result: 'fail', detail: which + fault }
  }
  return { id, rule: text, result: 'pass' }
}

type Answer = { status: number } | { error: string }

function faultOfAccepting(answer: Answer): string | undefined {
  if ('error' in answer) return answer.error
  const { status } = answer
  return status >= 200 && status < 300 ? undefined : `answered ${status}; 2xx was due`
}

function faultOfRefusing(answer: Answer): string | undefined {
  if ('error' in answer) return answer.error
  const { status } = answer
  if (status >= 400 && status < 500) return undefined
  if (status < 300) return `accepted it with ${status}; 401 or another 4xx was due`
  return `answered ${status}; 401 or another 4xx was due`
}

class Sender {
  answered = 0
  /** In milliseconds. */
  slowest = 0
  readonly #check: ReceiverCheck
  readonly #within: number
  /** So that a receiver that remembers deliveries takes those of another run for others. */
  readonly #run = Math.floor(wallNow())

  constructor(check: ReceiverCheck, within: number) {
    this.#check = check
    this.#within = within
  }

  async send(trial: Trial, delivery: string): Promise<Answer> {
    const headers = await this.#headersFor(trial, `check-${this.#run}-${delivery}`)
    const start = wallNow()
    try {
      const response = await globalThis.fetch(this.#check.url, {
        method: 'POST',
        headers,
        body: trial.sent ?? trial.signed,
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#within * 2),
      })
      await response.arrayBuffer()
      this.answered++
      return { status: response.status }
    } catch (error) {
      return { error: `no answer: ${reasonOf(error as Error)}` }
    } finally {
      this.slowest = Math.max(this.slowest, wallNow() - start)
    }
  }

  async #headersFor(trial: Trial, id: string): Promise<Record<string, string>> {
    const { token = this.#check.token ?? null } = trial
    return {
      'content-type': 'application/json',
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(this.#check.standard === true
        ? await this.#standard(trial, id)
        : await this.#plain(trial)),
    }
  }

  async #plain({ signed, signature, secret = this.#check.secret }: Trial) {
    const { header = SIGNATURE_HEADER, encoding, prefix } = this.#check
    if (signature !== undefined) return { [header]: latin1(signature) }
    if (secret === null) return {}
    return { [header]: await sign(signed, secret, { encoding, prefix }) }
  }

  async #standard(trial: Trial, id: string): Promise<Record<string, string>> {
    const { signed, signature, secret = this.#check.secret, age = 0 } = trial
    const time = new Date(wallNow() - age)
    const stamp = String(Math.floor(time.getTime() / 1000))
    const named = { 'webhook-id': id, 'webhook-timestamp': stamp }
    if (signature !== undefined) return { ...named, 'webhook-signature': latin1(signature) }
    if (secret === null) return named
    const { Webhook } = await import('standardwebhooks')
    return { ...named, 'webhook-signature': new Webhook(secret).sign(id, time, signed) }
  }
}

/** Headers hold bytes; fetch takes them as Latin-1. */
function latin1(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text))
}

function reasonOf({ name, message, cause }: Error): string {
  if (name === 'TimeoutError') return 'it took too long'
  if (!(cause instanceof Error)) return message
  const { code } = cause as NodeJS.ErrnoException
  return cause.message === '' ? String(code) : cause.message
}
