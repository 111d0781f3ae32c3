import { isDeepStrictEqual } from 'node:util'
import { findProblems } from '../../check-scenario.js'
import type { Scenario } from '../../engine/scenario.js'

/** The same scenario in fewer words: all goes that the schema would fill in again. */
export function withoutDefaults(scenario: Scenario): unknown {
  const kept = copyOf(scenario)
  const isSame = (): boolean => {
    const checked = findProblems(kept)
    return checked.ok && isDeepStrictEqual(checked.scenario, scenario)
  }
  prune(kept, isSame)
  return kept
}

/** Functions stay what they are: only a file in TypeScript has them, and `structuredClone` refuses. */
function copyOf<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyOf) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, held]) => [key, copyOf(held as unknown)])
  return Object.fromEntries(entries) as T
}

function prune(value: unknown, isSame: () => boolean): void {
  if (typeof value !== 'object' || value === null) return
  const record = value as Record<string, unknown>
  for (const [key, held] of Object.entries(record)) {
    if (!Array.isArray(value)) {
      delete record[key]
      if (isSame()) continue
      // Back in its old place, for the order of keys is the reader's.
      putBack(record, { key, held })
    }
    prune(held, isSame)
  }
}

function putBack(
  record: Record<string, unknown>,
  { key, held }: { key: string; held: unknown },
): void {
  record[key] = held
}
