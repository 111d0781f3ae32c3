import { parseDuration } from '../../base/text/duration.js'
import type { ScenarioInput } from '../../service/scenario/scenario.js'
import { withoutNotes } from './plain-scenario.js'

/** The size of a scenario: its parts, then its text, then its numbers. A smaller one is simpler. */
export type Size = readonly [parts: number, characters: number, numbers: number]

/** Measures a scenario, without its notes. */
export function sizeOf(scenario: ScenarioInput): Size {
  const { name: _, ...parts } = withoutNotes(scenario)
  const sum = { parts: 0, numbers: 0 }
  const measure = (value: unknown): void => {
    sum.parts++
    if (typeof value === 'number') sum.numbers += Math.abs(value)
    if (typeof value === 'string') sum.numbers += parseDuration(value) ?? 0
    if (typeof value !== 'object' || value === null) return
    for (const part of Object.values(value)) measure(part)
  }
  measure(parts)
  return [sum.parts, JSON.stringify(parts).length, sum.numbers]
}

/** Compares two sizes: negative if the first is smaller. */
export function compareSizes(one: Size, other: Size): number {
  const place = one.findIndex((part, at) => part !== other[at])
  return place === -1 ? 0 : one[place]! - other[place]!
}

/** Whether one scenario is smaller than another. */
export function isSmaller(one: Size, other: Size): boolean {
  return compareSizes(one, other) < 0
}
