import { matchesGlob } from '../../base/text/glob.js'
import type { Condition, FaultRule } from './scenario.js'

/** Whether a value matches a condition: it is equal, a text that matches a glob, or a number in bounds. */
export function matchesCondition(value: unknown, condition: Condition): boolean {
  if (typeof condition === 'string') {
    return typeof value === 'string' && matchesGlob(value, condition)
  }
  if (typeof condition !== 'object' || condition === null) return value === condition
  if (typeof value !== 'number') return false
  const {
    above = -Infinity,
    below = Infinity,
    at_least = -Infinity,
    at_most = Infinity,
  } = condition
  return value > above && value < below && value >= at_least && value <= at_most
}

/** Whether all named values match their conditions. */
export function matchesAllConditions(
  values: Readonly<Record<string, unknown>>,
  conditions: Readonly<Record<string, Condition>>,
): boolean {
  return Object.entries(conditions).every(([name, condition]) => {
    return matchesCondition(Object.hasOwn(values, name) ? values[name] : undefined, condition)
  })
}

/** Whether a rule applies to call number `call`, counted from 1. Without `calls` it applies to all. */
export function isAmong(call: number, calls: FaultRule['calls']): boolean {
  if (calls === undefined) return true
  if (typeof calls === 'number') return call === calls
  if (Array.isArray(calls)) return calls.includes(call)
  const { from = 1, to = Infinity, every = 1 } = calls
  return call >= from && call <= to && (call - from) % every === 0
}

/** To how many calls a rule still applies after call number `done`. Undefined: to calls without an end. */
export function callsAfter(done: number, calls: FaultRule['calls']): number | undefined {
  if (calls === undefined) return undefined
  if (typeof calls === 'number' || Array.isArray(calls)) {
    return [...new Set([calls].flat())].filter((call) => call > done).length
  }
  const { from = 1, to, every = 1 } = calls
  if (to === undefined) return undefined
  const upTo = (last: number): number => Math.max(0, Math.floor((last - from) / every) + 1)
  return Math.max(0, upTo(to) - upTo(done))
}
