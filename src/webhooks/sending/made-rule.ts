import { isJson, parseJson } from '../../base/text/json-text.js'
import { shortJson } from '../../base/text/shortened.js'
import { valueAt } from '../../base/text/value-at.js'
import type { MadeAction, MadeFacts } from '../../service/engine/automation-store.js'
import { PlatformError, quoted } from '../../service/platform/platform-error.js'
import { fillPayload, templateParts } from '../../service/scenario/payload-template.js'
import type { AutomationRule, EventType } from '../../service/scenario/scenario.js'
import { eventTypes } from '../../service/scenario/event-types.js'
import { MOST_COMPARED } from '../../service/scenario/most-compared.js'

type RunRule = Extract<AutomationRule, { run: unknown }>
type ChangeRule = Extract<AutomationRule, { event: 'RUN_METRIC_CHANGE' }>

/** The event that an automation of a program watches, as scenarios name it. Undefined if it never happens here. */
export function eventOf(named: string): EventType | undefined {
  const type = named === 'LINK_MODEL' ? 'LINK_ARTIFACT' : named
  return eventTypes.find((each) => each === type)
}

/** What an action does, for people: the name of the webhook that it calls, or what is not sent. */
export function shownAction({ type, webhook }: MadeAction): string {
  return webhook ?? `${type}, not sent`
}

/**
 * An automation of a program in the form of a scenario, without the conditions that no scenario can have: its filter, and
 * its scope by ids.
 *
 * @throws {PlatformError} When its filter or its payload is not valid.
 */
export function ruleOf(
  made: MadeFacts,
  event: EventType,
  scope: AutomationRule['scope'],
): AutomationRule {
  const { name, description, enabled, action } = made
  const { requestPayload } = action.input
  const payload = typeof requestPayload === 'string' ? requestPayload : '{}'
  if (!isJson(fillPayload(templateParts(payload), () => undefined))) {
    throw new PlatformError('invalid', `The payload of ${quoted(name)} is not JSON.`)
  }
  const rule = {
    name,
    // Nobody looks up the webhook of an action that is not sent.
    webhook: shownAction(action),
    scope,
    payload,
    ...(description && { description }),
    ...(!enabled && { enabled }),
  }
  const runRule = { ...rule, run: {}, once_per_run_per_day: false }
  const condition = Condition.of(made.filter)
  const ofMetric = condition.at('run_metric_filter')
  if (event === 'RUN_STATE') return { ...runRule, event, states: statesIn(condition) }
  if (event === 'RUN_METRIC') return { ...runRule, event, ...thresholdIn(condition) }
  if (event === 'RUN_METRIC_CHANGE') {
    return { ...runRule, event, ...changeIn(ofMetric.at('change_filter')) }
  }
  if (event === 'RUN_METRIC_ZSCORE') {
    return { ...runRule, event, ...zscoreIn(ofMetric.at('zscore_filter')) }
  }
  return { ...rule, event }
}

/** A part of the conditions of an automation, with its name for errors. */
class Condition {
  readonly value: unknown
  readonly #name: string

  constructor(value: unknown, name: string) {
    this.value = value
    this.#name = name
  }

  static of(filter: string): Condition {
    return new Condition(parseJson(filter), 'eventFilter')
  }

  at(...path: readonly string[]): Condition {
    return new Condition(valueAt(this.value, path), `${this.#name}.${path.join('.')}`)
  }

  refuse(expected: string): never {
    const written = this.value === undefined ? 'missing' : shortJson(this.value, 100)
    throw new PlatformError('invalid', `${this.#name} is ${written}; expected ${expected}.`)
  }

  text(): string {
    return typeof this.value === 'string' && this.value !== '' ? this.value : this.refuse('a text')
  }

  number(): number {
    return typeof this.value === 'number' ? this.value : this.refuse('a number')
  }

  size(): number {
    const size = this.number()
    const isValid = Number.isInteger(size) && size > 0 && size <= MOST_COMPARED
    return isValid ? size : this.refuse(`a whole number from 1 to ${MOST_COMPARED}`)
  }

  among<Choice>(choices: Readonly<Record<string, Choice>>): Choice {
    const { value } = this
    if (typeof value === 'string' && Object.hasOwn(choices, value)) return choices[value]!
    return this.refuse(`one of ${Object.keys(choices).join(', ')}`)
  }
}

/** A crash is a failure, and a run that is killed fires nothing. */
const STATES = {
  RUNNING: ['running'],
  FINISHED: ['finished'],
  FAILED: ['failed', 'crashed'],
} as const

function statesIn(condition: Condition): Extract<RunRule, { states: unknown }>['states'] {
  const { value } = condition.at('run_state_filter', 'states')
  if (!Array.isArray(value) || value.length === 0) {
    return condition.refuse('run_state_filter.states with at least one state')
  }
  return value.flatMap((each) => [...new Condition(each, 'A state').among(STATES)])
}

const AGGREGATES = { AVERAGE: 'average', MIN: 'min', MAX: 'max' } as const
const COMPARISONS = {
  $gt: 'above',
  $gte: 'at_least',
  $lt: 'below',
  $lte: 'at_most',
  $eq: 'equal',
  $ne: 'not_equal',
} as const
const DIRECTIONS: Readonly<Record<string, ChangeRule['direction']>> = {
  INCREASE: 'increase',
  DECREASE: 'decrease',
  ANY: 'either',
}
const CHANGES = { RELATIVE: 'relative', ABSOLUTE: 'absolute' } as const

/** Without an aggregate, the last value alone counts, whatever the window. */
function aggregateIn(condition: Condition) {
  const aggregate = condition.at('agg_op')
  const isOne = aggregate.value === null || aggregate.value === undefined
  const metric = condition.at('name').text()
  if (isOne) return { metric, aggregate: 'average' as const, sizeIn: () => 1 }
  const sizeIn = (key: string): number => condition.at(key).size()
  return { metric, aggregate: aggregate.among(AGGREGATES), sizeIn }
}

/** Older clients write the condition as JSON below another name. */
function thresholdIn(condition: Condition) {
  const newer = condition.at('run_metric_filter', 'threshold_filter')
  const { value: older } = condition.at('metric_filter')
  const isOlder = newer.value === undefined && typeof older === 'string'
  const written = isOlder ? Condition.of(older) : newer
  const { sizeIn, ...facts } = aggregateIn(written)
  return {
    ...facts,
    window: sizeIn('window_size'),
    is: written.at('cmp_op').among(COMPARISONS),
    threshold: written.at('threshold').number(),
  }
}

function changeIn(condition: Condition) {
  const { sizeIn, ...facts } = aggregateIn(condition)
  return {
    ...facts,
    window: sizeIn('current_window_size'),
    prior: sizeIn('prior_window_size'),
    change: condition.at('change_type').among(CHANGES),
    direction: condition.at('change_dir').among(DIRECTIONS),
    by: condition.at('change_amount').number(),
  }
}

function zscoreIn(condition: Condition) {
  return {
    metric: condition.at('name').text(),
    window: condition.at('window_size').size(),
    threshold: condition.at('threshold').number(),
    direction: condition.at('change_dir').among(DIRECTIONS),
  }
}
