import { rowOf } from './run-history.js'

/** Merges two JSON objects by key: the later one wins. Both are texts. */
export function mergedJson(earlier: string, later: string): string {
  return JSON.stringify({ ...rowOf(earlier), ...rowOf(later) })
}

const STEP = /"_step"\s*:/

/** A row of a history with its step. Programs that share a run send none, because they do not know it. */
export function withStep(row: string, step: number): string {
  if (STEP.test(row) || !rowOf(row)) return row
  return row.replace(/^\s*\{\s*(\}?)/, (_, end: string) => `{"_step":${step}${end || ','}`)
}
