import { EMPTY_BODY, type Host } from '../../service/contract/exchange.js'
import { messageOf, readJson } from '../../service/contract/answer-text.js'
import { exchange, type Playground, type ExchangeEnd } from './exchange.js'
import { explainFailure, type PlayCall, type PlayEntry } from './report.js'
import { isWorthRetrying, MOST_RETRIES, waitBefore } from './retry.js'

export interface Call {
  method: 'GET' | 'POST'
  /** Below `/v1`, with its query. */
  path: string
  body?: unknown
  /** Default: the training host. */
  host?: Host
  /** Whether the timeline leaves it out if it succeeds. */
  routine?: boolean
}

export type CallResult =
  | { ok: true; value: unknown }
  /** `refused`: the service refused it, and would refuse it again. */
  | { ok: false; refused: boolean; why: string }

/** A client that calls the emulator as real clients do. Instead of sleeping, it moves the clock. */
export class Client {
  readonly #playground: Playground
  readonly #record: (entry: PlayEntry) => void
  readonly #start: number
  /** Statuses at which it retries besides the usual ones. */
  retries: readonly number[] = []

  constructor(playground: Playground, record: (entry: PlayEntry) => void) {
    this.#playground = playground
    this.#record = record
    this.#start = playground.emulator.clock.now()
  }

  /** Virtual milliseconds since the start. */
  now(): number {
    return this.#playground.emulator.clock.now() - this.#start
  }

  /** Advances the clock. It stops while deliveries are on their way, so that retries are on time. */
  async sleep(ms: number): Promise<void> {
    const { clock, webhooks } = this.#playground.emulator
    const end = clock.now() + ms
    if (this.#hasWebhooks) {
      await webhooks.idle()
      for (let next = clock.nextAt(); next !== undefined && next <= end; next = clock.nextAt()) {
        clock.next()
        await webhooks.idle()
      }
    }
    clock.advanceTo(end)
  }

  /** Waits for all deliveries and their retries. */
  async awaitDeliveries(): Promise<void> {
    const { clock, webhooks } = this.#playground.emulator
    await webhooks.idle()
    while (this.#hasWebhooks && webhooks.pending > 0 && clock.next()) await webhooks.idle()
  }

  get #hasWebhooks(): boolean {
    return this.#playground.emulator.scenario.webhooks.length > 0
  }

  /** Records a remark about what the client does or gives up. */
  remark(text: string): void {
    this.#record({ kind: 'remark', at: this.now(), text })
  }

  /** Makes a call, and retries as often as a client library. */
  async call(call: Call): Promise<CallResult> {
    for (let retries = 0; ; retries++) {
      const at = this.now()
      const seen = await this.#send(call)
      const answer = acceptedAnswer(seen)
      const json = answer && readJson(answer.body)
      const isWorth = isWorthRetrying(seen, this.retries)
      const retry = retries < MOST_RETRIES && !answer && isWorth
      const recorded: PlayCall = {
        host: call.host ?? 'training',
        method: call.method,
        path: `/v1${call.path}`,
        attempt: retries + 1,
        at,
        took: this.now() - at,
        ...resultOf(seen, json !== undefined),
        ...(retry && { retryIn: waitBefore(retries, seen) }),
        routine: call.routine === true && retries === 0 && json !== undefined,
      }
      this.#record({ kind: 'call', at: this.now(), call: recorded })
      if (json) return { ok: true, value: json.value }
      if (recorded.retryIn === undefined) {
        const refused = seen.kind === 'answer' && !isWorth && !answer
        return { ok: false, refused, why: explainFailure(recorded) }
      }
      await this.sleep(recorded.retryIn)
    }
  }

  #send({ method, path, body, host = 'training' }: Call): Promise<ExchangeEnd> {
    const [before = '', query = ''] = path.split('?', 2)
    const request = {
      method,
      base: '',
      path: `${this.#playground.emulator.basePath}/v1${before}`,
      query,
      headers: {
        authorization: `Bearer ${this.#playground.emulator.apiKey}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? EMPTY_BODY : new TextEncoder().encode(JSON.stringify(body)),
    }
    return exchange(this.#playground, { host, request })
  }
}

type Answer = Extract<ExchangeEnd, { kind: 'answer' }>

function acceptedAnswer(seen: ExchangeEnd): Answer | undefined {
  return seen.kind === 'answer' && seen.status < 400 ? seen : undefined
}

function resultOf(
  seen: ExchangeEnd,
  readable: boolean,
): Pick<PlayCall, 'result' | 'status' | 'message'> {
  if (seen.kind !== 'answer') return { result: seen.kind }
  const { status } = seen
  if (acceptedAnswer(seen)) return { result: readable ? 'answered' : 'unreadable', status }
  const message = messageOf(seen.body)
  return { result: 'refused', status, ...(message !== undefined && { message }) }
}
