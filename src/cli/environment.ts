import { didYouMean } from '../base/text/nearest.js'
import { isSecretName } from '../base/text/redaction/secret-names.js'
import { removedText, removedVariables } from '../base/text/removed.js'
import { servedOptions } from './options/serve.js'
import type { NamedText } from './options/declare.js'
import { UsageError } from './usage-error.js'
import { readValue, type Value } from './values.js'

/**
 * The prefix is longer than `SVTRAIN_`, the one of clients: users export the variables for their clients,
 * and that must not change a later start of the emulator.
 *
 * yargs has `.env()`, but it would apply the variables to every command, read `yes` as false, and report
 * errors without the name of the variable.
 */
const VARIABLE_PREFIX = 'SVTRAIN_EMULATOR_'

export type Environment = Readonly<Record<string, string | undefined>>

const optionsByVariable = new Map(
  Object.entries(servedOptions).map(([name, { array = false }]) => {
    // SVTRAIN_EMULATOR_INFERENCE_PORT
    const variable = VARIABLE_PREFIX + name.toUpperCase().replaceAll('-', '_')
    return [variable, { name, isList: array }]
  }),
)

/** Options that the command line does not give, as a configuration object for yargs. */
export type GivenOptions = Readonly<Record<string, NamedText | NamedText[]>>

/**
 * Returns the options that `SVTRAIN_EMULATOR_…` variables set. An empty variable sets nothing.
 */
export function optionsIn(environment: Environment): GivenOptions {
  const found: Record<string, NamedText | NamedText[]> = {}
  for (const [named, { name, isList }] of optionsByVariable) {
    const { [named]: text = '' } = environment
    if (text === '') continue
    found[name] = isList
      ? text.split(',').map((part) => ({ named, text: part.trim() }))
      : { named, text }
  }
  return found
}

/** Reads a variable. An empty one counts as not set. */
export function readVariable<T>(
  environment: Environment,
  named: string,
  value: Value<T>,
): T | undefined {
  const { [named]: text = '' } = environment
  return text === '' ? undefined : readValue(named, value, text)
}

/** With the value `none`, the configuration of the project is not read. */
export const CONFIG_VARIABLE = `${VARIABLE_PREFIX}CONFIG`

/** Those that set no option. The Python package reads the first: the program to start. */
const READ_ELSEWHERE: readonly string[] = [`${VARIABLE_PREFIX}BIN`, CONFIG_VARIABLE]

/** @throws {UsageError} When a variable was removed, or has the prefix but sets no option. */
export function refuseUnknownVariables(environment: Environment): void {
  for (const [variable, text = ''] of Object.entries(environment)) {
    const removed = text === '' ? undefined : removedText(removedVariables, variable)
    if (removed !== undefined) throw new UsageError(removed)
  }
  const known = [...optionsByVariable.keys()]
  for (const [variable, text = ''] of Object.entries(environment)) {
    if (!variable.startsWith(VARIABLE_PREFIX) || text === '' || known.includes(variable)) continue
    if (READ_ELSEWHERE.includes(variable)) continue
    // Compared without the prefix, because with it all of them are similar.
    const endings = known.map((each) => each.slice(VARIABLE_PREFIX.length))
    const ending = variable.slice(VARIABLE_PREFIX.length)
    const hint = didYouMean(ending, endings, (each) => VARIABLE_PREFIX + each)
    throw new UsageError(
      `Unknown environment variable "${variable}".${hint || ` Known: ${known.join(', ')}.`}`,
    )
  }
}

/** The keys that a command inherits. Shorter values may be ordinary words. */
export function secretsIn(environment: Environment): string[] {
  return Object.entries(environment).flatMap(([name, value = '']) => {
    const isFolder = name === 'PWD' || name === 'OLDPWD'
    return !isFolder && value.length >= SHORTEST && isSecretName(name, 'variable') ? [value] : []
  })
}

const SHORTEST = 16
