import type { FaultRule } from '../../scenario/scenario.js'

/** Whether the `call`th, counted from 1, is one of those that a rule is about; without any, all are. */
export function isAmong(call: number, calls: FaultRule['calls']): boolean {
  if (calls === undefined) return true
  if (typeof calls === 'number') return call === calls
  if (Array.isArray(calls)) return calls.includes(call)
  const { from = 1, to = Infinity, every = 1 } = calls
  return call >= from && call <= to && (call - from) % every === 0
}
