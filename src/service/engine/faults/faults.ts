import { milliseconds } from '../../../base/text/duration.js'
import { gaussian, type SeededRandom } from '../../../base/random/random.js'
import type { Clock } from '../../../base/clock/clock.js'
import type { FaultRule } from '../../scenario/scenario.js'
import type { Changes } from '../snapshot/changes.js'
import { fillFaultMessage } from '../../scenario/fault-message.js'
import { holdsFunction } from '../../../base/text/holds-function.js'
import type { FaultHit } from '../journal-entry.js'
import type { EditFault, FailJobFault, FaultPlan, PageFault } from './fault-plan.js'
import { LiveFault, type FaultRequest, type FaultScope, type LiveFaultState } from './live-fault.js'

interface FaultWorld {
  readonly clock: Clock
  readonly random: SeededRandom
  readonly changes: Changes
}

/** Decides what goes wrong with calls, by the faults of the scenario and the faults that are added later. */
export class Faults {
  readonly #world: FaultWorld
  #scripted: readonly LiveFault[] = []
  #added: readonly LiveFault[] = []
  #made = 0
  readonly #changed = (): void => this.#world.changes.faults()

  constructor(world: FaultWorld) {
    this.#world = world
  }

  /** All faults, those of the scenario first. */
  get all(): readonly LiveFault[] {
    return [...this.#scripted, ...this.#added]
  }

  /** Applies the faults of a scenario, and forgets those of the scenario before. Times count from now. */
  apply(rules: readonly FaultRule[]): void {
    const began = this.#world.clock.now()
    this.#scripted = rules.map((rule, index) => {
      const place = index + 1
      const called = { id: `scenario-${place}`, name: `fault ${place}` }
      return new LiveFault(rule, { ...called, began, changed: this.#changed })
    })
    this.#changed()
  }

  /** Makes the times of the scenario's faults count from now. */
  begin(): void {
    for (const fault of this.#scripted) fault.begin(this.#world.clock.now())
    this.#changed()
  }

  /** Adds a fault for the requests of a scope. It comes before the existing faults. */
  add(rule: FaultRule, scope?: FaultScope): LiveFault {
    this.#made++
    const began = this.#world.clock.now()
    const called = { id: `added-${this.#made}`, name: `added fault ${this.#made}` }
    const fault = new LiveFault(rule, { ...called, began, scope, changed: this.#changed })
    this.#added = [fault, ...this.#added]
    this.#changed()
    return fault
  }

  /** Removes the added faults that `chosen` returns true for. Returns false if there are none. */
  remove(chosen: (fault: LiveFault) => boolean): boolean {
    const before = this.#added.length
    this.#added = this.#added.filter((fault) => !chosen(fault))
    this.#changed()
    return this.#added.length < before
  }

  setOpen(name: string, open: boolean): void {
    for (const fault of this.all) if (fault.name === name) fault.open = open
  }

  /** The state to save. Leaves out added faults whose rules have functions. */
  get state(): LiveFaultState[] {
    const scripted = this.#scripted.map((fault) => fault.state)
    const added = this.#added.flatMap((fault) => {
      const { id, rule, name, scope } = fault
      return holdsFunction(rule) ? [] : { ...fault.state, added: { id, rule, name, scope } }
    })
    return [...scripted, ...added]
  }

  /** Restores the saved state of the same faults. All moments move by `later` milliseconds. */
  restore(states: readonly LiveFaultState[], later: number): void {
    const added: LiveFault[] = []
    const scripted = [...this.#scripted]
    for (const state of states) {
      const { added: made, began } = state
      const changed = this.#changed
      const fault = made ? new LiveFault(made.rule, { ...made, began, changed }) : scripted.shift()
      fault?.restore(state, later)
      if (made && fault) added.push(fault)
    }
    this.#added = added
    this.#made = Math.max(0, ...added.map(({ id }) => Number(id.replace('added-', ''))))
  }

  /** Decides what goes wrong with a call. Undefined if nothing does. Calls `call` only if faults exist. */
  plan(call: () => FaultRequest): FaultPlan | undefined {
    if (this.#scripted.length === 0 && this.#added.length === 0) return undefined
    const request = call()
    const { clock, random } = this.#world
    const at = clock.now()
    this.#changed()
    let plan: FaultPlan | undefined
    for (const fault of [...this.#added, ...this.#scripted]) {
      // These count jobs, not calls: a call that is refused creates none.
      if (fault.rule.fault === 'fail_job') continue
      if (!fault.applies(request, { at, random })) continue
      plan ??= emptyPlan()
      // Faults after one that ends the call only count the call.
      if (!plan.ending) this.#extend(plan, fault, { request, at })
    }
    return plan
  }

  /** Decides whether the job that a call creates fails. Call it once for each job. */
  failJob(request: FaultRequest): JobFailure | undefined {
    const { clock, random } = this.#world
    const at = clock.now()
    let failure: JobFailure | undefined
    for (const fault of [...this.#added, ...this.#scripted]) {
      const { rule, id, name } = fault
      if (rule.fault !== 'fail_job') continue
      this.#changed()
      // Faults after the first one only count the job.
      if (!fault.applies(request, { at, random }) || failure) continue
      fault.hits++
      const effect = `${name}: the job fails: ${rule.error_message}`
      failure = { rule, hit: { id, name, fault: rule.fault }, effect }
    }
    return failure
  }

  #extend(plan: FaultPlan, fault: LiveFault, { request, at }: Applied): void {
    const { rule } = fault
    const hit = (effect: string): void => {
      fault.hits++
      plan.effects.push(`${fault.name}: ${effect}`)
      plan.hits.push({ id: fault.id, name: fault.name, fault: rule.fault })
    }
    if (isPageFault(rule)) {
      hit(rule.fault)
      plan.pages.push(rule)
      return
    }
    // It has no effect on the call: see `failJob`.
    if (rule.fault === 'fail_job') return
    switch (rule.fault) {
      case 'status':
        hit(`${rule.status}${rule.stage === 'after' ? ' after the work' : ''}`)
        plan.ending = { ...rule, message: fillFaultMessage(rule.message, request) }
        plan.wait = waitAfter(rule, fault.remaining(at))
        return
      case 'drop':
        hit(`connection dropped ${DROPPED[rule.stage]}`)
        plan.ending = rule
        plan.wait = waitAfter(rule, fault.remaining(at))
        return
      case 'hang':
        hit(rule.stage === 'mid_body' ? 'nothing after half of the response' : 'no response')
        plan.ending = rule
        return
      case 'edit':
        hit(formatEdit(rule))
        plan.edits.push(rule)
        return
      case 'delay': {
        const delay = this.#delay(rule.delay, `${fault.name} ${fault.callOf(request)}`)
        hit(`${delay} ms late`)
        if (rule.stage === 'before') plan.delayBefore += delay
        else plan.delayAfter += delay
        return
      }
      case 'rate_limit':
        return limitRate(plan, { fault, rule, request, at, hit })
      case 'concurrency': {
        const leave = fault.enter(request, rule.most)
        if (leave) {
          plan.finish = both(plan.finish, leave)
          return
        }
        hit('too many requests at once')
        const message = fillFaultMessage(rule.message, request)
        plan.ending = { fault: 'refused', status: 429, stage: 'before', message }
        return
      }
      case 'malformed':
      case 'content_type':
      case 'trickle':
        hit(rule.fault === 'malformed' ? rule.form : rule.fault)
        plan.shapes.push(rule)
    }
  }

  /** Returns a delay in milliseconds. The same purpose draws the same delay. */
  #delay(delay: Delay, purpose: string): number {
    if (typeof delay === 'string') return milliseconds(delay)
    const { random } = this.#world
    if ('from' in delay) {
      const [from, to] = [milliseconds(delay.from), milliseconds(delay.to)]
      return Math.round(from + random.unit('delay', purpose) * (to - from))
    }
    // In a log-normal distribution, the 99th percentile is 2.326 deviations above the median.
    const median = Math.max(1, milliseconds(delay.median))
    const deviation = Math.log(Math.max(median, milliseconds(delay.p99)) / median) / 2.326
    const drawn = gaussian(random.hash('delay', purpose)[0], 0)
    return Math.round(median * Math.exp(deviation * drawn))
  }
}

/** The fault that makes a job fail. */
export interface JobFailure {
  rule: FailJobFault
  hit: FaultHit
  /** For the journal. */
  effect: string
}

type Delay = Extract<FaultRule, { fault: 'delay' }>['delay']

interface Applied {
  request: FaultRequest
  at: number
}

function isPageFault(rule: FaultRule): rule is PageFault {
  return rule.fault.startsWith('page_')
}

const DROPPED = {
  before: 'before the work',
  after: 'after the work',
  mid_body: 'half-way through the response',
} as const

/** Formats an edit: `without choices.*.logprobs; usage.completion_tokens: 99`. */
function formatEdit({ remove = [], set = {} }: EditFault): string {
  const removed = [remove].flat().join(', ')
  const replaced = Object.entries(set).map(([path, value]) => `${path}: ${JSON.stringify(value)}`)
  return [...(removed === '' ? [] : [`without ${removed}`]), ...replaced].join('; ')
}

function emptyPlan(): FaultPlan {
  return {
    effects: [],
    hits: [],
    delayBefore: 0,
    delayAfter: 0,
    ending: undefined,
    edits: [],
    shapes: [],
    pages: [],
    headers: {},
    wait: undefined,
    finish: () => {},
  }
}

/**
 * Returns how long a client should wait before it retries. A named fault without `calls` probably ends when the
 * timeline closes it, so the wait lasts until the next event.
 */
function waitAfter(rule: FaultRule, remaining: number | undefined): FaultPlan['wait'] {
  if (rule.fault === 'status' && rule.retry_after !== undefined) {
    return milliseconds(rule.retry_after)
  }
  return remaining ?? (rule.name === undefined || rule.calls !== undefined ? undefined : 'next')
}

interface RateLimited extends Applied {
  fault: LiveFault
  rule: Extract<FaultRule, { fault: 'rate_limit' }>
  hit: (effect: string) => void
}

function limitRate(plan: FaultPlan, { fault, rule, request, at, hit }: RateLimited): void {
  const result = fault.bucketFor(request, at).take(at)
  plan.headers['x-ratelimit-limit-requests'] = String(rule.requests)
  plan.headers['x-ratelimit-remaining-requests'] = String(result.taken ? result.left : 0)
  plan.headers['x-ratelimit-reset-requests'] = formatSeconds(
    result.taken ? result.full : result.wait,
  )
  if (result.taken) return
  hit(`over ${rule.requests} requests within ${rule.within}`)
  plan.wait = result.wait
  const { wait } = result
  const message = fillFaultMessage(rule.message, request)
  plan.ending = { fault: 'refused', status: 429, stage: 'before', message, wait }
}

/** Formats a time as the chat-completions API does: `1.5s`. */
function formatSeconds(ms: number): string {
  return `${Math.round(ms) / 1000}s`
}

function both(first: () => void, second: () => void): () => void {
  return () => {
    first()
    second()
  }
}
