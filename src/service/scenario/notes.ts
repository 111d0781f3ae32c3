import { isRecord } from '../contract/pydantic/record.js'
import type { Scenario } from './scenario.js'

/**
 * Where notes for people stand in a scenario, in the items of lists too. A list, because the engine does not load the
 * schema; a test compares it with the schema.
 */
export const NOTES = [
  'description',
  'jobs.description',
  'chat.rules.description',
  'chat.judge.rules.description',
  'faults.description',
  'automations.description',
]

/** Returns a copy of a scenario without its notes for people. */
export function withoutNotes(scenario: Partial<Scenario>): unknown {
  return NOTES.reduce<unknown>((left, note) => without(left, note.split('.')), scenario)
}

function without(value: unknown, [key = '', ...inner]: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => without(each, [key, ...inner]))
  if (!isRecord(value) || !Object.hasOwn(value, key)) return value
  const { [key]: part, ...others } = value
  return inner.length === 0 ? others : { ...value, [key]: without(part, inner) }
}
