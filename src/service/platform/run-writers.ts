import { rowOf } from './run-row.js'

/** Merges two JSON objects by key: the later one wins. Both are texts. */
export function mergedJson(earlier: string, later: string): string {
  return JSON.stringify({ ...rowOf(earlier), ...rowOf(later) })
}

/** A row of a history with its step. Programs that share a run do not know it: they send none, or count their own. */
export function withStep(row: string, step: number): string {
  const values = rowOf(row)
  if (!values) return row
  const own = { _step: step }
  if (Object.hasOwn(values, '_step')) return JSON.stringify({ ...own, ...values, ...own })
  return row.replace(/^\s*\{\s*(\}?)/, (_, end: string) => `{"_step":${step}${end || ','}`)
}
