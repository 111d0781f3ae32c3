import { callsAfter, isAmong } from '../../scenario/condition.js'
import { isChatOperation, operationIdIn } from '../../contract/operation-names.js'
import type { FaultHit } from '../journal-entry.js'
import type { FaultDefinition } from '../../scenario/faults/definition.js'
import { faultDefinition } from '../../scenario/faults/kinds/index.js'
import type { FaultRule } from '../../scenario/scenario.js'
import { milliseconds } from '../../../base/text/duration.js'
import type { SeededRandom } from '../../../base/random/random.js'
import type { AllFields } from '../saved/complete.js'
import type { FieldsOf } from '../saved/record-fields.js'
import { declared, type TypeFrom } from '../saved/declared.js'
import { ADDED } from './fault-names.js'
import { matchesCall, type FaultRequest } from './matches-call.js'
import { TokenBucket, type BucketLevel } from './token-bucket.js'

/**
 * Limits a fault to some requests, in addition to the `match` of its rule.
 *
 * @example
 * emulator.faults.for({ key: 'key-of-this-test' }).add({ fault: 'status', status: 500 })
 */
export interface FaultScope {
  /** The API key of the request. */
  key?: string
  /** The user that the API key belongs to. */
  user?: string
  /** The name of the model that the request is about. */
  model?: string
}

const ADDED_ID = new RegExp(String.raw`^${ADDED}[1-9]\d{0,14}$`)

const scopeSchema = declared(({ strictObject, string }) =>
  strictObject({
    key: string().exactOptional(),
    user: string().exactOptional(),
    model: string().exactOptional(),
  } satisfies FieldsOf<FaultScope>),
)

export const faultSchema = declared((fields) => {
  const { strictObject, string, number, boolean, array, tuple, count, fault, moment } = fields
  const level = strictObject({ tokens: number().nonnegative(), at: moment })
  return strictObject({
    open: boolean(),
    hits: count,
    began: moment,
    calls: array(tuple([string(), count])),
    buckets: array(tuple([string(), level])),
    /** Set for a fault that was added later. Faults of the scenario are saved in their order, without rules. */
    added: strictObject({
      id: string().regex(ADDED_ID, `expected ${ADDED} and a number`),
      rule: fault,
      name: string(),
      scope: scopeSchema(fields),
    }).optional(),
  })
})

/** After this number of chats, time skips, so that a loop that always asks something else comes to an end. */
const MOST_REFUSED = 100

/** The saved state of a fault. */
export type LiveFaultState = TypeFrom<typeof faultSchema>

/** A fault with its state: whether it is open, and how many calls it has counted. */
export class LiveFault {
  /** Unique in its world. */
  readonly id: string
  readonly rule: FaultRule
  readonly definition: FaultDefinition
  /** Its name. Random draws depend on it. */
  readonly name: string
  /** How many calls it had an effect on. */
  hits = 0
  readonly scope: FaultScope
  #open: boolean
  #began: number
  readonly #changed: () => void
  readonly #calls = new Map<string, number>()
  readonly #buckets = new Map<string, TokenBucket>()
  readonly #inFlight = new Map<string, number>()
  /** Chats that it refused in its window, as texts. They are not saved: at worst, one is refused once more. */
  readonly #refused = new Set<string>()

  /** @param made - `began` is the moment, in milliseconds since the epoch, from which its times count. */
  constructor(rule: FaultRule, made: LiveFaultFacts) {
    const { id, name, began, scope = {}, changed } = made
    this.id = id
    this.rule = rule
    this.definition = faultDefinition(rule.fault)
    this.name = rule.name ?? name
    this.#open = rule.open
    this.#began = began
    this.scope = scope
    this.#changed = changed
  }

  /** Counts a call that it had an effect on, and says what it did. */
  hit(effect: string): FaultHit {
    this.hits++
    const { id, name, rule } = this
    return { id, name, isNamed: rule.name !== undefined, fault: rule.fault, effect }
  }

  /** Whether it is open. A closed fault has no effect. */
  get open(): boolean {
    return this.#open
  }

  set open(open: boolean) {
    this.#open = open
    this.#changed()
  }

  /** The moment from which its times count, in milliseconds since the epoch. */
  get began(): number {
    return this.#began
  }

  /**
   * Returns how many more calls `calls` selects. Undefined if there is no limit, or if each operation, key or
   * model has its own.
   */
  get callsLeft(): number | undefined {
    const { calls, per } = this.rule
    return per === 'all' ? callsAfter(this.#calls.get('') ?? 0, calls) : undefined
  }

  /** How many calls of its operations its rule matched while it was open. */
  get matched(): number {
    return [...this.#calls.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Whether its rule may ask if a request is for a judge. */
  get asksForJudge(): boolean {
    const { match } = this.rule
    return typeof match === 'function' || match.judge !== undefined
  }

  get state(): AllFields<Omit<LiveFaultState, 'added'>> {
    const buckets = [...this.#buckets].map(([scope, bucket]): [string, BucketLevel] => {
      return [scope, bucket.level]
    })
    const { open, hits } = this
    return { open, hits, began: this.#began, calls: [...this.#calls], buckets }
  }

  /** Restores the saved state of the same fault. All moments move by `later` milliseconds. */
  restore({ open, hits, began, calls, buckets }: LiveFaultState, later: number): void {
    this.#open = open
    this.hits = hits
    this.#began = began + later
    for (const [scope, count] of calls) this.#calls.set(scope, count)
    for (const [scope, { tokens, at }] of buckets) {
      this.#bucketOf(scope, at + later).setLevel({ tokens, at: at + later })
    }
  }

  /** Makes its times count from a moment, in milliseconds since the epoch. */
  begin(at: number): void {
    this.#began = at
  }

  /** Whether its kind is about an operation. */
  isAbout(operation: string): boolean {
    return this.definition.operations?.includes(operationIdIn(operation)) ?? true
  }

  /** Whether it applies to a call. Counts the call if its kind is about it, and the rule matches it. */
  applies(request: FaultRequest, { at, random }: { at: number; random: SeededRandom }): boolean {
    const { rule } = this
    if (!this.open || !this.isAbout(request.operation)) return false
    if (!this.isDuring(at) || !isWithin(this.scope, request)) return false
    const scope = this.#scopeOf(request)
    const call = (this.#calls.get(scope) ?? 0) + 1
    if (!matchesCall(rule.match, request, call)) return false
    this.#calls.set(scope, call)
    if (!isAmong(call, rule.calls)) return false
    if (rule.probability === undefined) return true
    return random.unit('fault', this.name, scope, call) < rule.probability
  }

  /** Returns a text that identifies the current call, for draws that belong to the call. */
  callOf(request: FaultRequest): string {
    const scope = this.#scopeOf(request)
    return `${scope} ${this.#calls.get(scope) ?? 0}`
  }

  bucketFor(request: FaultRequest, at: number): TokenBucket {
    return this.#bucketOf(this.#scopeOf(request), at)
  }

  #bucketOf(scope: string, at: number): TokenBucket {
    const rule = this.rule as Extract<FaultRule, { fault: 'rate_limit' }>
    let bucket = this.#buckets.get(scope)
    if (!bucket) {
      const { requests, within, burst = requests } = rule
      bucket = new TokenBucket({ requests, within: milliseconds(within), burst }, at)
      this.#buckets.set(scope, bucket)
    }
    return bucket
  }

  /** Counts a request that starts, unless `most` are in progress. Returns a function to call when it ends. */
  enter(request: FaultRequest, most: number): (() => void) | undefined {
    const scope = this.#scopeOf(request)
    const now = this.#inFlight.get(scope) ?? 0
    if (now >= most) return undefined
    this.#inFlight.set(scope, now + 1)
    return () => this.#inFlight.set(scope, this.#inFlight.get(scope)! - 1)
  }

  /** Returns how long it still lasts at a moment, in milliseconds. Undefined if it has no end. */
  remaining(at: number): number | undefined {
    const to = this.rule.during?.to
    return to === undefined ? undefined : Math.max(0, this.#began + milliseconds(to) - at)
  }

  /**
   * Returns how long a client waits after a refusal, in milliseconds. Chats are often sent side by side, as by
   * judges. Such a chat waits when it comes again, so that each of them meets the window.
   */
  waitAfter(request: FaultRequest, at: number): number | undefined {
    const wait = this.remaining(at)
    if (wait === undefined || !isChatOperation(request.operation)) return wait
    const chat = JSON.stringify(request.body)
    if (this.#refused.has(chat)) return 0
    if (this.#refused.size === MOST_REFUSED) return wait
    this.#refused.add(chat)
    return 0
  }

  /** Returns how long a chat that it refused before has waited, in milliseconds. 0 for all other calls. */
  waitBefore({ operation, body }: FaultRequest, at: number): number {
    // Most faults have refused no chat, and a body may be large.
    if (this.#refused.size === 0 || !this.open || !isChatOperation(operation)) return 0
    if (!this.isDuring(at)) return 0
    return this.#refused.has(JSON.stringify(body)) ? this.remaining(at)! : 0
  }

  /** Whether a moment, in milliseconds since the epoch, is in its time. */
  isDuring(at: number): boolean {
    const { during } = this.rule
    if (!during) return true
    const since = at - this.#began
    return (
      since >= milliseconds(during.from) &&
      (during.to === undefined || since < milliseconds(during.to))
    )
  }

  #scopeOf(request: FaultRequest): string {
    const { per } = this.rule
    if (typeof per === 'string') return scopePart(request, per)
    return JSON.stringify(per.map((each) => scopePart(request, each)))
  }
}

interface LiveFaultFacts {
  id: string
  name: string
  began: number
  scope?: FaultScope | undefined
  /** Called when the fault is opened or closed. */
  changed: () => void
}

function scopePart(request: FaultRequest, per: Exclude<FaultRule['per'], unknown[]>): string {
  if (per === 'all') return ''
  if (per !== 'checkpoint') return request[per] ?? ''
  const { project, model, step } = request
  return JSON.stringify([project, model, step])
}

function isWithin(scope: FaultScope, request: FaultRequest): boolean {
  for (const name in scope) {
    if (request[name as keyof FaultScope] !== scope[name as keyof FaultScope]) return false
  }
  return true
}
