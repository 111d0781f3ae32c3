import { nearest } from '../engine/nearest.js'
import { flags, variableOf, VARIABLE_PREFIX, type Flag } from './flags.js'
import { UsageError } from './usage-error.js'

/** Flags set by `SVTRAIN_EMULATOR_…`, by flag name. Raises `UsageError`. */
export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, unknown> {
  const byVariable = new Map(Object.entries(flags).map((entry) => [variableOf(entry[0]), entry]))
  const given: Record<string, unknown> = {}
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith(VARIABLE_PREFIX) || value === undefined || value === '') continue
    const entry = byVariable.get(variable)
    if (!entry) throw new UsageError(unknown(variable, [...byVariable.keys()]))
    given[entry[0]] = valueOf(variable, value, entry[1])
  }
  return given
}

function unknown(variable: string, known: readonly string[]): string {
  const meant = nearest(variable, known)
  const hint = meant === undefined ? ` Known: ${known.join(', ')}.` : ` Did you mean ${meant}?`
  return `Unknown environment variable "${variable}".${hint}`
}

function valueOf(variable: string, value: string, flag: Flag): unknown {
  if (flag.list) return value.split(',').map((part) => part.trim())
  if (flag.choices && !flag.choices.includes(value)) {
    throw new UsageError(`${variable} takes ${flag.choices.join(', ')}, not "${value}".`)
  }
  if (flag.type === 'number') {
    if (Number.isFinite(Number(value))) return Number(value)
    throw new UsageError(`${variable} takes a number, not "${value}".`)
  }
  if (flag.type === 'boolean') {
    if (['1', 'true', 'yes'].includes(value.toLowerCase())) return true
    if (['0', 'false', 'no'].includes(value.toLowerCase())) return false
    throw new UsageError(`${variable} takes true or false, not "${value}".`)
  }
  return value
}
