import type { Options, PositionalOptions } from 'yargs'
import { UsageError } from '../usage-error.js'
import { readValue, toggle, type Value } from '../values.js'

/** A text that does not come from the command line, and the name that errors use for its source. */
export interface NamedText {
  named: string
  text: string
}

/** The group of the options that have no other group. */
const OPTIONS = 'Options:'

export type Help = Pick<Options, 'describe' | 'group' | 'defaultDescription'>
export type Declared<T> = Options & {
  coerce: (given: unknown) => T | undefined
  /** The kind of value, in words for the reference. Undefined for a flag. */
  takes?: string
}

/** Declares an option that has one value. */
export function option<T>(name: string, value: Value<T>, help: Help): Declared<T> {
  return {
    group: OPTIONS,
    ...help,
    ...(value.choices && { choices: value.choices }),
    type: 'string',
    takes: value.takes,
    coerce(given) {
      const [first, ...more] = textsOf(name, given)
      if (more.length > 0) throw new UsageError(`${first!.named} can be given only once.`)
      return readValue(first!.named, value, first!.text)
    },
  }
}

/** Declares an option whose value can be left out: `--coverage`, `--coverage=coverage.json`. */
export function optionalOption<T>(
  name: string,
  value: Value<T>,
  help: Help,
): Declared<{ readonly value: T | undefined }> {
  const { coerce, ...declared } = option(name, value, help)
  return {
    ...declared,
    takes: `nothing, or ${value.takes}`,
    coerce: (given) => ({ value: given === '' ? undefined : coerce(given) }),
  }
}

/** Declares an option that can be given several times. Environment variables separate the values by commas. */
export function listOption<T>(name: string, value: Value<T>, help: Help): Declared<T[]> {
  return {
    group: OPTIONS,
    ...help,
    ...(value.choices && { choices: value.choices }),
    type: 'string',
    array: true,
    requiresArg: true,
    takes: value.takes,
    coerce(given) {
      const texts = textsOf(name, given)
      if (texts.length === 0) texts.push({ named: `--${name}`, text: '' })
      return texts.map(({ named, text }) => readValue(named, value, text))
    },
  }
}

/** Declares an option that has several values, separated by commas. It can also be given several times. */
export function commaOption<T>(name: string, value: Value<T>, help: Help): Declared<T[]> {
  const { coerce, ...declared } = listOption(name, value, help)
  return {
    ...declared,
    coerce(given) {
      const texts = textsOf(name, given).flatMap(({ named, text }) => {
        return text.split(',').map((part) => ({ named, text: part.trim() }))
      })
      return coerce(texts)
    },
  }
}

/** Declares an option without a value: `--watch`, `--no-watch`. */
export function flag(help: Help): Declared<boolean> {
  return {
    group: OPTIONS,
    ...help,
    type: 'boolean',
    // Without it, yargs would read `--watch=yes` as `--no-watch`.
    nargs: 0,
    coerce(given) {
      if (typeof given === 'boolean') return given
      const { named, text } = given as NamedText
      return readValue(named, toggle, text)
    },
  }
}

/** An argument that has no name in front of it, as yargs declares it. */
type DeclaredArgument<T> = PositionalOptions & {
  type: 'string'
  coerce: (given: string) => T
  takes: string
}

/** Declares an argument that can be left out. Errors say that the command takes it. */
export function argument<T>(
  command: string,
  value: Value<T>,
  describe: string,
): DeclaredArgument<T> {
  const coerce = (given: string): T => readValue(command, value, given)
  const { choices, takes } = value
  return { describe, type: 'string', takes, ...(choices && { choices }), coerce }
}

/** Declares an argument that must be given. */
export function requiredArgument<T>(
  command: string,
  value: Value<T>,
  describe: string,
): DeclaredArgument<T> & { demandOption: true } {
  return { ...argument(command, value, describe), demandOption: true }
}

/** @throws {UsageError} When the option was negated, which only flags can be. */
function textsOf(name: string, given: unknown): NamedText[] {
  return [given as string | false | NamedText].flat().map((each) => {
    if (each === false) throw new UsageError(`Unknown option "--no-${name}".`)
    return typeof each === 'string' ? { named: `--${name}`, text: each } : each
  })
}

/** The values of declared options. */
export type ValuesOf<O extends Readonly<Record<string, Declared<unknown>>>> = {
  [N in keyof O]: ReturnType<O[N]['coerce']>
}
