import { forgetOldest } from '../../base/text/forget-oldest.js'
import { matchesGlob } from '../../base/text/glob.js'
import { REGISTRY_PREFIX } from '../../base/text/vendor/platform-names.js'
import type { AllFields } from '../../service/engine/saved/complete.js'
import { milliseconds } from '../../base/text/duration.js'
import type { AutomationRule, Scenario } from '../../service/scenario/scenario.js'
import type { RunFacts, WebhookEvent } from './event.js'
import type { Expressions } from './expressions.js'
import { mostCompared, valueThatFires, type MetricRule } from './metric-conditions.js'
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
