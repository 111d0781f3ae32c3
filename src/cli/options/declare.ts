import type { Options } from 'yargs'
import { HIDDEN } from '../../base/text/redaction/hidden.js'
import { UsageError } from '../usage-error.js'
import { readValue, toggle, type Value } from '../values.js'

/** A text that does not come from the command line, and the name that errors use for its source. */
export interface NamedText {
  named: string
  text: string
}

/** Whether a value of an option does not come from the command line. */
export function isNamed(value: unknown): boolean {
  return [value].flat().some((each) => typeof each === 'object')
}

/** The group of the options that have no other group. */
const OPTIONS = 'Options:'

export interface Help extends Pick<Options, 'describe' | 'group' | 'defaultDescription'> {
  /** Values to complete, where others are allowed: yargs refuses all but `choices`. */
  suggested?: () => readonly string[]
  /** Whether it only says what is printed or written. A command that repeats a run leaves it out. */
  isOutput?: true
  /** Whether it says what an exploration tries. A command that repeats a run names that run instead. */
  isChoice?: true
  /** Whether its values must not appear in the log of a build. */
  isSecret?: true
}

type OwnHelp = Pick<Help, 'suggested' | 'isOutput' | 'isChoice' | 'isSecret'>

export interface OptionDeclaration<T> extends Options, OwnHelp {
  /** Reads what was given on the command line or in a variable. Errors name the option. */
  read: (name: string, given: unknown) => T | undefined
  /** Writes what was read as words of a command line, without secrets. */
  write: (name: string, value: unknown) => string[]
  /** The kind of value, in words for the reference. Undefined for a flag. */
  takes?: string
}

export type DeclaredOptions = Readonly<Record<string, OptionDeclaration<unknown>>>

interface ArgumentHelp extends Pick<Help, 'suggested'> {
  readonly describe: string
  readonly defaultDescription?: string
  /** Completes "docs takes …" where a surplus argument is refused. Default: the words of the value. */
  readonly takes?: string
  /** Whether it can be `-`, for stdin or stdout. */
  readonly canBeDash?: boolean
}

/** An argument that has no name in front of it. */
export interface Argument<N extends string, T> extends ArgumentHelp {
  readonly name: N
  /** As yargs writes it: `<file>`, `[file]`, `<files..>`. */
  readonly written: string
  readonly isRequired: boolean
  readonly value: Pick<Value<unknown>, 'takes' | 'choices'>
  /** Errors say what the command takes. */
  readonly read: (command: string, given: unknown) => T
}

/** Declares an option that has one value. */
export function option<T>(value: Value<T>, help: Help): OptionDeclaration<T> {
  return {
    group: OPTIONS,
    ...help,
    ...(value.choices && { choices: value.choices }),
    type: 'string',
    // Without a value, yargs reads an empty one.
    ...(value.mayBeEmpty && { requiresArg: true }),
    takes: value.takes,
    read(name, given) {
      const [first, ...more] = textsOf(name, given)
      if (more.length > 0) throw new UsageError(`${first!.named} can be given only once.`)
      return readOwn(first!, value, help)
    },
    write: (name, read) => [`--${name}`, textOf(read as T, value, help)],
  }
}

/** @throws {UsageError} When a secret was left out where the command was printed. */
function readOwn<T>({ named, text }: NamedText, value: Value<T>, { isSecret }: Help): T {
  if (isSecret && text === HIDDEN) throw new UsageError(`${named} ${leftOut('the secret')}.`)
  return readValue(named, value, text)
}

/** Says what to write where a printed command has no secret. */
export function leftOut(what: string): string {
  return `has ${HIDDEN} where ${what} was left out. Write yours there`
}

function textOf<T>(read: T, { write = String }: Value<T>, { isSecret }: Help): string {
  return isSecret ? HIDDEN : write(read)
}

/** Declares an option whose value can be left out: `--bill`, `--bill=prices.yaml`. */
export function optionalOption<T>(
  value: Value<T>,
  help: Help,
): OptionDeclaration<{ readonly value: T | undefined }> {
  const { read, ...declared } = option(value, help)
  return {
    ...declared,
    takes: `nothing, or ${value.takes}`,
    read: (name, given) => ({ value: given === '' ? undefined : read(name, given) }),
    write(name, optional) {
      const { value: given } = optional as { value: T | undefined }
      return [given === undefined ? `--${name}` : `--${name}=${textOf(given, value, help)}`]
    },
  }
}

/** Declares an option that can be given several times. Environment variables separate the values by commas. */
export function listOption<T>(value: Value<T>, help: Help): OptionDeclaration<T[]> {
  return {
    group: OPTIONS,
    ...help,
    ...(value.choices && { choices: value.choices }),
    type: 'string',
    array: true,
    requiresArg: true,
    takes: value.takes,
    read(name, given) {
      const texts = textsOf(name, given)
      if (texts.length === 0) texts.push({ named: `--${name}`, text: '' })
      return texts.map((each) => readOwn(each, value, help))
    },
    write: (name, read) => {
      // A command that repeats a run may name one value.
      return ([read].flat() as T[]).flatMap((each) => [`--${name}`, textOf(each, value, help)])
    },
  }
}

/** Declares an option that can be given several times, and whose value can be left out: an empty list. */
export function optionalListOption<T>(value: Value<T>, help: Help): OptionDeclaration<T[]> {
  const { read, write, ...declared } = listOption(value, help)
  return {
    ...declared,
    requiresArg: false,
    takes: `nothing, or ${value.takes}`,
    read: (name, given) => (isNothing(name, given) ? [] : read(name, given)),
    write: (name, values) => {
      return (values as T[]).length === 0 ? [`--${name}`] : write(name, values)
    },
  }
}

function isNothing(name: string, given: unknown): boolean {
  const texts = textsOf(name, given)
  // A variable cannot leave its value out, so `true` stands for nothing.
  return texts.every(({ text }) => text === '') || (texts.length === 1 && texts[0]!.text === 'true')
}

/** Declares an option that has several values, separated by commas. It can also be given several times. */
export function commaOption<T>(value: Value<T>, help: Help): OptionDeclaration<T[]> {
  const { read, ...declared } = listOption(value, help)
  return {
    ...declared,
    read(name, given) {
      const texts = textsOf(name, given).flatMap(({ named, text }) => {
        return text.split(',').map((part) => ({ named, text: part.trim() }))
      })
      return read(name, texts)
    },
  }
}

/** Declares an option without a value: `--watch`, `--no-watch`. */
export function flag(help: Help): OptionDeclaration<boolean> {
  return {
    group: OPTIONS,
    ...help,
    type: 'boolean',
    // Without it, yargs would read `--watch=yes` as `--no-watch`.
    nargs: 0,
    read(_name, given) {
      if (typeof given === 'boolean') return given
      const { named, text } = given as NamedText
      return readValue(named, toggle, text)
    },
    write: (name, isOn) => [isOn ? `--${name}` : `--no-${name}`],
  }
}

/** Declares an argument that must be given. */
export function requiredArgument<const N extends string, T>(
  name: N,
  value: Value<T>,
  help: ArgumentHelp,
): Argument<N, T> {
  return {
    ...help,
    name,
    value,
    written: `<${name}>`,
    isRequired: true,
    read: (command, given) => readValue(command, value, given as string),
  }
}

/** Declares an argument that can be left out. */
export function optionalArgument<const N extends string, T>(
  name: N,
  value: Value<T>,
  help: ArgumentHelp,
): Argument<N, T | undefined> {
  return { ...requiredArgument(name, value, help), written: `[${name}]`, isRequired: false }
}

/** Declares an argument that must be given, and can be given several times. */
export function listArgument<const N extends string, T>(
  name: N,
  value: Value<T>,
  help: ArgumentHelp,
): Argument<N, T[]> {
  return {
    ...requiredArgument(name, value, help),
    written: `<${name}..>`,
    read: (command, given) => (given as string[]).map((each) => readValue(command, value, each)),
  }
}

/** @throws {UsageError} When the option was negated, which only flags can be. */
function textsOf(name: string, given: unknown): NamedText[] {
  return [given as string | false | NamedText].flat().map((each) => {
    if (each === false) throw new UsageError(`Unknown option "--no-${name}".`)
    return typeof each === 'string' ? { named: `--${name}`, text: each } : each
  })
}

/** The values of declared options. */
export type ValuesOf<O extends DeclaredOptions> = {
  [N in keyof O]: ReturnType<O[N]['read']>
}
