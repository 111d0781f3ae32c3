import { didYouMean } from '../text/nearest.js'
import { flags, type Flag, type FlagName } from './flags.js'
import { UsageError } from './usage-error.js'
import type { Value } from './values.js'

/** What one source (the command line or the environment) says of one flag, as it was written. */
export interface Given {
  /** How the source calls it: `--port` or `SVTRAIN_EMULATOR_PORT`. */
  named: string
  texts: readonly string[]
}

export type AllGiven = Readonly<Partial<Record<FlagName, Given>>>

type ValueOf<N extends FlagName> = NonNullable<ReturnType<(typeof flags)[N]['value']['read']>>

/** The value of a flag that can be given once. Raises `UsageError` that says what it takes. */
export function only<N extends FlagName>(given: AllGiven, name: N): ValueOf<N> | undefined {
  const { value }: Flag = flags[name]
  return onlyOf(given[name], value) as ValueOf<N> | undefined
}

/** The values of a flag that can be given several times. Raises `UsageError`. */
export function every<N extends FlagName>(given: AllGiven, name: N): ValueOf<N>[] {
  const { value }: Flag = flags[name]
  return valuesOf(given[name], value) as ValueOf<N>[]
}

/** Reads what was written as such a value. Raises `UsageError` that says what it takes. */
export function valuesOf<T>(given: Given | undefined, value: Value<T>): T[] {
  const { named, texts } = given ?? { named: '', texts: [] }
  return texts.map((text) => {
    if (text === '') throw new UsageError(`${named} takes ${value.takes}; none was given.`)
    const read = value.read(text)
    if (read !== undefined) return read
    const hint = didYouMean(text, value.choices ?? [])
    throw new UsageError(`${named} takes ${value.takes}, not "${text}".${hint}`)
  })
}

/** Of a flag that can be given once. Raises `UsageError`. */
export function onlyOf<T>(given: Given | undefined, value: Value<T>): T | undefined {
  if (given && given.texts.length > 1)
    throw new UsageError(`${given.named} can be given only once.`)
  return valuesOf(given, value)[0]
}
