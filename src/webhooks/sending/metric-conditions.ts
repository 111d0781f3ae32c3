import type { AutomationRule } from '../../service/scenario/scenario.js'

export type MetricRule = Extract<AutomationRule, { metric: string }>
type Threshold = Extract<AutomationRule, { event: 'RUN_METRIC' }>
type Change = Extract<AutomationRule, { event: 'RUN_METRIC_CHANGE' }>
type ZScore = Extract<AutomationRule, { event: 'RUN_METRIC_ZSCORE' }>

/** How many values a rule compares, the latest included. */
export function mostCompared(rule: MetricRule): number {
  if (rule.event === 'RUN_METRIC') return rule.window
  return rule.window + (rule.event === 'RUN_METRIC_CHANGE' ? rule.prior : 1)
}

/** Returns what the payload shows as the value of the metric. Undefined if the values do not fire the rule. */
export function valueThatFires(rule: MetricRule, values: number[]): number | undefined {
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
