import { figure } from './amounts.js'

/** Metrics as text, the usual ones first. */
export function metricsLine(metrics: Readonly<Record<string, unknown>>): string {
  return Object.entries(metrics)
    .sort(([a], [b]) => compareMetricNames(a, b))
    .map(([name, value]) => `${name} ${figure(value)}`)
    .join('  ')
}

const FIRST = ['loss', 'reward']

/** Compares names such as `train/loss`: the usual ones first, by what stands last in them. */
export function compareMetricNames(a: string, b: string): number {
  const lastPart = (name: string): string => name.slice(name.search(/[^/.]*$/))
  const [one, other] = [lastPart(a), lastPart(b)]
  const rank = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length)
  return rank(one) - rank(other) || one.localeCompare(other) || a.localeCompare(b)
}
