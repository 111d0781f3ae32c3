import { forgetOldest } from '../../base/text/forget-oldest.js'
import { matchesGlob } from '../../base/text/glob.js'
import { REGISTRY_PREFIX } from '../../base/text/vendor/platform-names.js'
import type { findPattern } from '../../base/text/pattern.js'
import type { matchesFilter } from '../../service/api/platform/filter.js'
import { PlatformError } from '../../service/platform/platform-error.js'
import type { AllFields } from '../../service/engine/saved/complete.js'
import { milliseconds } from '../../base/text/duration.js'
import type { AutomationRule, Scenario } from '../../service/scenario/scenario.js'
import type { RunFacts, WebhookEvent } from './event.js'
import { filteredValue } from './made-scope.js'
import type { RunMemory } from './saved-webhooks-schema.js'

const DAY = 86_400_000

/** How many runs an automation remembers. It forgets those whose events came first. */
const MOST_RUNS = 20_000

/** What stands for the automation itself where it remembers runs. */
export const ITSELF = ''

/** Decides whether an event fires a rule. It remembers values and times for each run. */
export class Automation {
  readonly rule: AutomationRule
  readonly #expressions: Expressions
  readonly #isWatched: (event: WebhookEvent) => boolean
  readonly #values = new Map<string, number[]>()
  readonly #firedAt = new Map<string, number>()
  #firings: number[] = []

  /** @param isWatched - Whether it watches an event of its type. Default: one in the scope of the rule. */
  constructor(
    rule: AutomationRule,
    expressions: Expressions,
    isWatched = (event: WebhookEvent) => inScope(rule.scope, event),
  ) {
    this.rule = rule
    this.#expressions = expressions
    this.#isWatched = isWatched
  }

  /**
   * Whether the event fires the rule. Call it once for each event, as values are remembered.
   *
   * @returns The event with the metric that the payload shows; undefined if the rule does not fire.
   */
  fires(event: WebhookEvent): WebhookEvent | undefined {
    const { rule } = this
    if (event.type !== rule.event || rule.enabled === false) return undefined
    if (!this.#isWatched(event) || !this.#isWanted(event)) return undefined
    const measured = this.#measured(event)
    if (!measured || !('run' in rule) || !event.run) return measured
    const key = memoryKeyOf(event.run)
    const last = this.#firedAt.get(key) ?? -Infinity
    if (rule.once_per_run_per_day && event.at - last < DAY) return undefined
    remember(this.#firedAt, key, event.at)
    return measured
  }

  /** Counts a firing. Returns which limit of the scenario forbids it, and does not count it then. */
  limitAt(at: number, limits: Scenario['automation_limits']): string | undefined {
    const { cooldown, rate } = limits ?? {}
    const last = this.#firings.at(-1)
    if (cooldown !== undefined && last !== undefined && at - last < milliseconds(cooldown)) {
      return `the cooldown of ${cooldown}`
    }
    if (!rate) {
      if (cooldown !== undefined) this.#firings = [at]
      return undefined
    }
    const recent = this.#firings.filter((each) => at - each < milliseconds(rate.within))
    if (recent.length >= rate.firings) return `the rate of ${rate.firings} within ${rate.within}`
    this.#firings = [...recent, at]
    return undefined
  }

  /**
   * The keys of the runs that it remembers, and of itself. A log has the order in which each first came, so the order of
   * what is saved does not depend on what came last.
   */
  get runs(): Iterable<string> {
    const itself = this.#firings.length > 0 ? [ITSELF] : []
    const all = new Set([...this.#values.keys(), ...this.#firedAt.keys(), ...itself])
    const firedAt = (run: string): number => this.#firedAt.get(run) ?? 0
    return [...all].sort((one, other) => firedAt(one) - firedAt(other) || (one < other ? -1 : 1))
  }

  memoryOf(run: string): AllFields<RunMemory> | undefined {
    const values = this.#values.get(run)
    const firedAt = this.#firedAt.get(run)
    const firings = run === ITSELF && this.#firings.length > 0 ? this.#firings : undefined
    const isEmpty = !values && firedAt === undefined && !firings
    return isEmpty ? undefined : { values, firedAt, firings }
  }

  restore(run: string, { values, firedAt, firings }: RunMemory): void {
    if (firings) this.#firings = firings
    if (values) this.#values.set(run, values)
    if (firedAt !== undefined) this.#firedAt.set(run, firedAt)
  }

  #isWanted({ alias = '', tag = '', author, run }: WebhookEvent): boolean {
    const { rule } = this
    if ('alias' in rule) return this.#matches(rule.alias, alias)
    if ('tag' in rule) return this.#matches(rule.tag, tag)
    if (!('run' in rule)) return true
    const { user, name } = rule.run
    if (user !== undefined && user !== (run!.user ?? author)) return false
    if (rule.event === 'RUN_STATE' && !rule.states.includes(run!.state!)) return false
    return this.#matches(name, run!.name)
  }

  #matches(expression: string | undefined, text: string): boolean {
    return expression === undefined || this.#expressions.isIn(expression, text)
  }

  /** Adds the metric of a metric rule. Returns undefined if its value does not fire the rule. */
  #measured(event: WebhookEvent): WebhookEvent | undefined {
    const { rule } = this
    if (!('metric' in rule)) return event
    const latest = event.run!.metrics?.[rule.metric]
    if (typeof latest !== 'number' || !Number.isFinite(latest)) return undefined
    const values = this.#remember(memoryKeyOf(event.run!), latest, rule)
    const value = valueThatFires(rule, values)
    return value === undefined ? undefined : { ...event, metric: { name: rule.metric, value } }
  }

  /** Returns the values of that run, oldest first, as many as the rule compares. */
  #remember(run: string, value: number, rule: MetricRule): number[] {
    const values = [...(this.#values.get(run) ?? []), value].slice(-mostCompared(rule))
    remember(this.#values, run, values)
    return values
  }
}

/** Remembers something of a run as the latest. */
function remember<T>(known: Map<string, T>, run: string, value: T): void {
  known.delete(run)
  known.set(run, value)
  forgetOldest(known, MOST_RUNS)
}

/** By what automations remember a run. */
export function memoryKeyOf({ id, key = id }: RunFacts): string {
  return key
}

function inScope(scope: AutomationRule['scope'], event: WebhookEvent): boolean {
  const { registry, project, entity, collection } = scope
  if (entity !== undefined && !matchesGlob(event.entity, entity)) return false
  if (collection !== undefined) {
    if (!event.artifact || !matchesGlob(event.artifact.collection, collection)) return false
  }
  if (registry !== undefined) {
    return event.registry !== undefined && isRegistry(event.registry, registry)
  }
  if (event.onlyInRegistry) return false
  if (project === undefined) return true
  // An alias in a registry does not change the project that the version comes from.
  if (event.registry !== undefined && event.type !== 'LINK_ARTIFACT') return false
  return matchesGlob(event.project, project)
}

/** The project of a registry has a name of its own, from which clients make that of the registry. */
function isRegistry(project: string, globs: string | readonly string[]): boolean {
  const short = project.startsWith(REGISTRY_PREFIX)
    ? project.slice(REGISTRY_PREFIX.length)
    : project
  return matchesGlob(project, globs) || matchesGlob(short, globs)
}

type MetricRule = Extract<AutomationRule, { metric: string }>
type Threshold = Extract<AutomationRule, { event: 'RUN_METRIC' }>
type Change = Extract<AutomationRule, { event: 'RUN_METRIC_CHANGE' }>
type ZScore = Extract<AutomationRule, { event: 'RUN_METRIC_ZSCORE' }>

/** How many values a rule compares, the latest included. */
function mostCompared(rule: MetricRule): number {
  if (rule.event === 'RUN_METRIC') return rule.window
  return rule.window + (rule.event === 'RUN_METRIC_CHANGE' ? rule.prior : 1)
}

/** Returns what the payload shows as the value of the metric. Undefined if the values do not fire the rule. */
function valueThatFires(rule: MetricRule, values: number[]): number | undefined {
  switch (rule.event) {
    case 'RUN_METRIC':
      return reached(rule, values)
    case 'RUN_METRIC_CHANGE':
      return changed(rule, values)
    case 'RUN_METRIC_ZSCORE':
      return deviated(rule, values)
  }
}

const comparisons: Readonly<Record<Threshold['is'], (value: number, bound: number) => boolean>> = {
  above: (value, bound) => value > bound,
  at_least: (value, bound) => value >= bound,
  below: (value, bound) => value < bound,
  at_most: (value, bound) => value <= bound,
  equal: (value, bound) => value === bound,
  not_equal: (value, bound) => value !== bound,
}

/** Returns the aggregate of the last values if it passes the threshold. */
function reached({ aggregate, is, threshold }: Threshold, values: number[]): number | undefined {
  const value = aggregates[aggregate](values)
  return comparisons[is](value, threshold) ? value : undefined
}

/** Returns the difference between the last values and those before them if it is large enough. */
function changed(rule: Change, values: number[]): number | undefined {
  const before = values.slice(0, -rule.window)
  if (before.length === 0) return undefined
  const old = aggregates[rule.aggregate](before)
  const difference = aggregates[rule.aggregate](values.slice(-rule.window)) - old
  const change = rule.change === 'relative' ? difference / Math.abs(old) : difference
  return isFar(change, rule.by, rule.direction) ? change : undefined
}

/** Returns how many standard deviations the last value is from the mean of those before it, if it is far enough. */
function deviated({ window, threshold, direction }: ZScore, values: number[]): number | undefined {
  if (values.length <= window) return undefined
  const earlier = values.slice(0, -1)
  const mean = aggregates.average(earlier)
  const variance = aggregates.average(earlier.map((value) => (value - mean) ** 2))
  // Values that are all the same have no spread to measure by.
  if (variance === 0) return undefined
  const score = (values.at(-1)! - mean) / Math.sqrt(variance)
  return isFar(score, threshold, direction) ? score : undefined
}

/** Whether a change is large enough, and has the direction. */
function isFar(change: number, smallest: number, wanted: Change['direction']): boolean {
  if (Number.isNaN(change) || Math.abs(change) < smallest || change === 0) return false
  return wanted === 'either' || wanted === (change > 0 ? 'increase' : 'decrease')
}

const aggregates = {
  /** Rounding leads out of the range of the values: without a limit, that of equal values would be another value. */
  average: (values: number[]) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    return Math.min(Math.max(mean, Math.min(...values)), Math.max(...values))
  },
  min: (values: number[]) => Math.min(...values),
  max: (values: number[]) => Math.max(...values),
}

/**
 * The regular expressions and filters of automations. Their engine takes time in proportion to the text, so no
 * expression can hang the emulator. It is large, so it is loaded when an automation needs it.
 */
export class Expressions {
  #findPattern: typeof findPattern | undefined
  #matchesFilter: typeof matchesFilter | undefined

  /** Resolves once expressions can be used, and filters if programs make automations. */
  async load(withFilters: boolean): Promise<void> {
    this.#findPattern = (await import('../../base/text/pattern.js')).findPattern
    if (!withFilters) return
    this.#matchesFilter = (await import('../../service/api/platform/filter.js')).matchesFilter
  }

  /** Whether one of the rules has an expression while the engine is not loaded. */
  needs(rules: readonly AutomationRule[]): boolean {
    return this.#findPattern === undefined && rules.some(hasExpression)
  }

  get hasFilters(): boolean {
    return this.#matchesFilter !== undefined
  }

  /** Whether the expression matches anywhere in the text. */
  isIn(expression: string, text: string): boolean {
    return this.#findPattern!(expression, text) !== undefined
  }

  /** Whether a filter of a program finds an event. One that would read too much finds nothing. */
  finds(filter: string, event: WebhookEvent): boolean {
    try {
      return this.#matchesFilter!(filter, event, filteredValue)
    } catch (error) {
      if (error instanceof PlatformError) return false
      throw error
    }
  }
}

function hasExpression(rule: AutomationRule): boolean {
  if (rule.event === 'ADD_ARTIFACT_ALIAS') return rule.alias !== undefined
  if ('tag' in rule) return rule.tag !== undefined
  return 'run' in rule && rule.run.name !== undefined
}
