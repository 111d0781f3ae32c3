import type { ScenarioInput } from '../../../src/index.js'
import { milliseconds, parseDuration } from '../../../src/base/text/duration.js'

/** Keys whose numbers are names of something, and not sizes. */
const NAMES = new Set(['status', 'step', 'steps'])

/**
 * Returns a scenario without each of its parts, and with each of its numbers one smaller. They may be invalid. The
 * shrinker has code of its own for this, so that one does not hide the mistakes of the other.
 */
export function smallerScenarios(scenario: ScenarioInput): ScenarioInput[] {
  const { name, description: _, ...parts } = scenario
  return smallerForms(parts).map((form) => ({ name, ...(form as object) }))
}

function smallerForms(value: unknown, key = ''): unknown[] {
  if (typeof value === 'number') return value > 1 && !NAMES.has(key) ? [value - 1, 1] : []
  if (typeof value === 'string') {
    return parseDuration(value) !== undefined && milliseconds(value) > 1000 ? ['1s'] : []
  }
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => {
      const less = value.toSpliced(index, 1)
      return [less, ...smallerForms(item, key).map((form) => value.with(index, form))]
    })
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => {
    const less = Object.fromEntries(Object.entries(value).filter(([other]) => other !== name))
    return [less, ...smallerForms(part, name).map((form) => ({ ...value, [name]: form }))]
  })
}
