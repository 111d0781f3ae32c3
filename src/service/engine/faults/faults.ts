import type { BaseWorld } from '../base-world.js'
import type { FaultRule } from '../../scenario/scenario.js'
import { whole, type Complete } from '../saved/complete.js'
import type { FailedJob, FaultedCall } from '../../scenario/faults/definition.js'
import { holdsFunction } from '../../../base/text/holds-function.js'
import type { FaultHit } from '../journal-entry.js'
import type { FaultPlan } from './fault-plan.js'
import { ADDED, nameFor, SCRIPTED } from './fault-names.js'
import { savedFaults } from './saved-faults.js'
import { LiveFault, type FaultScope, type LiveFaultState } from './live-fault.js'
import type { FaultRequest } from './matches-call.js'
import type { Store } from '../store.js'

/** Decides what goes wrong with calls, by the faults of the scenario and the faults that are added later. */
export class Faults {
  readonly #world: BaseWorld
  #scripted: readonly LiveFault[] = []
  #added: readonly LiveFault[] = []
  #made = 0
  readonly #changed = (): void => this.#world.changes.changed(savedFaults)

  constructor(world: BaseWorld) {
    this.#world = world
  }

  /** All faults: those of the scenario in its order, and then the others, the newest first. */
  get all(): readonly LiveFault[] {
    return [...this.#scripted, ...this.#added]
  }

  get #isEmpty(): boolean {
    return this.#scripted.length === 0 && this.#added.length === 0
  }

  /** Whether a fault may ask if a request is for a judge. */
  get askForJudge(): boolean {
    const asks = ({ asksForJudge }: LiveFault): boolean => asksForJudge
    return this.#added.some(asks) || this.#scripted.some(asks)
  }

  /** Applies the faults of a scenario, and forgets those of the scenario before. Times count from now. */
  apply(rules: readonly FaultRule[]): void {
    const began = this.#world.clock.now()
    this.#scripted = rules.map((rule, index) => {
      const id = `${SCRIPTED}${index + 1}`
      return new LiveFault(rule, { id, name: nameFor(id), began, changed: this.#changed })
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
    const id = `${ADDED}${this.#made}`
    const called = { id, name: nameFor(id) }
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
  get state(): Complete<LiveFaultState>[] {
    const scripted = this.#scripted.map((fault) => ({ ...fault.state, added: undefined }))
    const added = this.#added.flatMap((fault) => {
      const { id, rule, name, scope } = fault
      if (holdsFunction(rule)) return []
      return { ...fault.state, added: { id, rule: whole(rule), name, scope: whole(scope) } }
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
    this.#made = Math.max(0, ...added.map(({ id }) => Number(id.slice(ADDED.length))))
  }

  /** Decides what goes wrong with a call. Undefined if nothing does. Calls `call` only if faults exist. */
  plan(call: () => FaultRequest): FaultPlan | undefined {
    if (this.#isEmpty) return undefined
    const request = call()
    const { clock, random } = this.#world
    if (clock.mode === 'auto' || clock.mode === 'instant') this.#skipWaits(request)
    const at = clock.now()
    this.#changed()
    let plan: FaultPlan | undefined
    for (const fault of [...this.#added, ...this.#scripted]) {
      if (fault.definition.failure || !fault.applies(request, { at, random })) continue
      plan ??= emptyPlan()
      // Faults after one that ends the call only count the call.
      if (!plan.ending) this.#extend(plan, fault, request, at)
    }
    return plan
  }

  /** Decides whether the job that a call creates fails. Call it once for each job. Calls `call` only if faults exist. */
  failJob(call: () => FaultRequest): JobFailure | undefined {
    if (this.#isEmpty) return undefined
    const request = call()
    const { clock, random } = this.#world
    const at = clock.now()
    let failure: JobFailure | undefined
    for (const fault of [...this.#added, ...this.#scripted]) {
      const failed = fault.definition.failure?.(fault.rule)
      if (!failed) continue
      this.#changed()
      // Faults after the first one only count the job.
      if (!fault.applies(request, { at, random }) || failure) continue
      failure = { failed, hit: fault.hit(`the job fails: ${failed.error_message}`) }
    }
    return failure
  }

  #skipWaits(request: FaultRequest): void {
    const { clock } = this.#world
    const at = clock.now()
    const wait = Math.max(...this.all.map((fault) => fault.waitBefore(request, at)))
    if (wait > 0) clock.skipTo(at + wait)
  }

  #extend(plan: FaultPlan, fault: LiveFault, request: FaultRequest, at: number): void {
    const { name, rule, definition } = fault
    const { page } = definition
    // The first page has no cursor for a fault of the cursor.
    if (page?.cursor && !request.hasCursor) return
    if (page) plan.pages.push(page.change(rule))
    const call: FaultedCall = {
      request,
      plan,
      random: this.#world.random,
      purpose: `${name} ${fault.callOf(request)}`,
      untilOver: () => waitUntilOver(rule, fault.waitAfter(request, at)),
      takeToken: () => fault.bucketFor(request, at).take(at),
      enter: (most) => fault.enter(request, most),
      unfinishedJobs: () => unfinishedJobs(this.#world.store, rule.per, request),
    }
    const effect = page ? rule.fault : definition.apply?.(rule, call)
    if (effect === undefined) return
    plan.hits.push(fault.hit(effect))
  }
}

/** Returns how many jobs are queued or running: all, or those of the model or the project of a request. */
function unfinishedJobs(
  store: Store,
  per: FaultRule['per'],
  { model, project }: FaultRequest,
): number {
  const parts: readonly string[] = [per].flat()
  let count = 0
  for (const { record, jobs } of store.modelStates) {
    if (!parts.includes('all') && record.project !== project) continue
    if (parts.includes('model') && record.name !== model) continue
    for (const job of jobs) if (!job.over) count++
  }
  return count
}

/** The fault that makes a job fail. */
export interface JobFailure {
  failed: FailedJob
  hit: FaultHit
}

function emptyPlan(): FaultPlan {
  return {
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
function waitUntilOver(
  { name, calls }: FaultRule,
  remaining: number | undefined,
): FaultPlan['wait'] {
  return remaining ?? (name === undefined || calls !== undefined ? undefined : 'next')
}
