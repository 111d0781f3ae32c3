import { formatPath } from '../../base/text/format-path.js'
import { HIDDEN } from '../../base/text/redaction/hidden.js'
import type { Path } from './part-problems.js'
import type { Scenario } from './scenario.js'

/** What is valid in a scenario, and may not be what its author meant, as sentences. */
export function scenarioNotes(scenario: Scenario): string[] {
  const { webhooks, automations } = scenario
  const active = automations.filter(({ enabled }) => enabled !== false)
  const idle = webhooks.filter(({ name }) => !active.some(({ webhook }) => webhook === name))
  const bare = active.filter(({ payload }) => {
    return typeof payload === 'object' && Object.keys(payload).length === 0
  })
  const hidden = hiddenIn(scenario).map(formatPath)
  return [
    ...(hidden.length > 0
      ? [`${HIDDEN} counts as the value itself at ${hidden.join(', ')}. Write yours there.`]
      : []),
    ...idle.map(
      ({ name }) => `No automation calls the webhook "${name}", so no event is sent to it.`,
    ),
    ...bare.map(({ name }) => `The automation "${name}" has no payload, so its receiver gets {}.`),
  ]
}

/** The places of keys and secrets that were left out where the scenario was written. */
function hiddenIn(value: unknown, path: Path = [], seen = new Set<object>()): Path[] {
  if (value === HIDDEN) return [path]
  // The same object can be in several places.
  if (typeof value !== 'object' || value === null || seen.has(value)) return []
  seen.add(value)
  return Object.entries(value).flatMap(([key, part]) => {
    const inside = [...path, Array.isArray(value) ? Number(key) : key]
    return key.startsWith(`${HIDDEN} `) ? [inside] : hiddenIn(part, inside, seen)
  })
}
