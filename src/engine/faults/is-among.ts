import type { FaultRule } from '../../scenario/scenario.js'

/** Whether a rule applies to call number `call`, counted from 1. Without `calls` it applies to all. */
export function isAmong(call: number, calls: FaultRule['calls']): boolean {
  if (calls === undefined) return true
  if (typeof calls === 'number') return call === calls
  if (Array.isArray(calls)) return calls.includes(call)
  const { from = 1, to = Infinity, every = 1 } = calls
  return call >= from && call <= to && (call - from) % every === 0
}
