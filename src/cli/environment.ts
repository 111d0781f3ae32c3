import { nearest } from '../text/nearest.js'
import { flagNames, flags, type Flag, type FlagName } from './flags.js'
import type { AllGiven, Given } from './given.js'
import { UsageError } from './usage-error.js'

/** Not the plain `SVTRAIN_`, which clients read: pasting their exports must change no later start. */
const VARIABLE_PREFIX = 'SVTRAIN_EMULATOR_'

export type Environment = Readonly<Record<string, string | undefined>>

/** Flags set by `SVTRAIN_EMULATOR_…`; an empty variable sets none. Raises `UsageError`. */
export function readEnvironment(environment: Environment): AllGiven {
  const given: Partial<Record<FlagName, Given>> = {}
  for (const [named, text] of Object.entries(environment)) {
    if (!named.startsWith(VARIABLE_PREFIX) || text === undefined || text === '') continue
    const name = flagNames.find((flag) => variableOf(flag) === named)
    if (name === undefined) throw new UsageError(unknown(named))
    const { list }: Flag = flags[name]
    given[name] = { named, texts: list ? text.split(',').map((part) => part.trim()) : [text] }
  }
  return given
}

/** The variable that sets a flag: `SVTRAIN_EMULATOR_INFERENCE_PORT`. */
function variableOf(flag: string): string {
  return `${VARIABLE_PREFIX}${flag.toUpperCase().replaceAll('-', '_')}`
}

function unknown(variable: string): string {
  // Without the prefix, which all have in common and which would make anything look alike.
  const endings = flagNames.map((flag) => variableOf(flag).slice(VARIABLE_PREFIX.length))
  const meant = nearest(variable.slice(VARIABLE_PREFIX.length), endings)
  return meant === undefined
    ? `Unknown environment variable "${variable}". Known: ${flagNames.map(variableOf).join(', ')}.`
    : `Unknown environment variable "${variable}". Did you mean ${VARIABLE_PREFIX}${meant}?`
}
