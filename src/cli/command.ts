import type { Context } from './context.js'
import type { Argument, DeclaredOptions, ValuesOf } from './options/declare.js'

/** What a command says about itself. Its work is in another file, which takes longer to load. */
export interface Command {
  /** `play`, `scenarios show`. */
  readonly name: string
  readonly argument?: Argument<string, unknown>
  readonly describe: string
  /** Lines that a user could type, without the name of the program, each with what it does. */
  readonly examples?: readonly (readonly [line: string, effect: string])[]
  /** When the exit code is not 0, if that is worth knowing. */
  readonly exits?: string
  /** Options of the emulator that the command starts. Environment variables set them, too. */
  readonly emulator?: DeclaredOptions
  /** The options that the help shows first. Default: all. */
  readonly daily?: readonly string[]
  readonly options?: DeclaredOptions
  /** Whether a command of the user follows two dashes. */
  readonly takesRest?: true
}

/** Declares a command. The result has the type of each option. */
export function command<const C extends Command>(declared: C): C {
  return declared
}

/** What a user gave to a command, by name. What was not given is undefined. */
export type ArgumentsOf<C extends Command> = ArgumentIn<C['argument']> &
  OptionsIn<C['emulator']> &
  OptionsIn<C['options']> &
  RestIn<C['takesRest']>

type ArgumentIn<A> = A extends Argument<infer N, infer T> ? { [K in N]: T } : unknown
type OptionsIn<O> = O extends DeclaredOptions ? ValuesOf<O> : unknown
/** The command of the user and its arguments. */
type RestIn<R> = R extends true ? { '--'?: readonly string[] } : unknown

/** Does the work of a command and returns the exit code. */
export type Run<C extends Command> = (args: ArgumentsOf<C>, context: Context) => Promise<number>

/** A line of the list of commands: a command, or the first word of several. */
export interface Entry extends Command {
  /** Loads the work. The other commands start without it. Undefined for a first word. */
  readonly load?: Load<never>
  /** The commands whose names begin with this name. */
  readonly commands?: readonly Entry[]
}

/** Commands for one purpose. */
export interface Group {
  /** A verb. The help shows it. */
  readonly title: string
  /** On the first screen of the help. */
  readonly daily: readonly Entry[]
  /** Only in the whole help. */
  readonly more: readonly Entry[]
}

/** Returns the commands of all groups, in the order of the help. */
export function entriesOf(groups: readonly Group[]): Entry[] {
  return groups.flatMap(({ daily, more }) => [...daily, ...more])
}

type Load<A> = () => Promise<{ runCommand: (args: A, context: Context) => Promise<number> }>

/** Adds to a command how its work is loaded. */
export function entry<C extends Command>(
  declared: C,
  load: Load<ArgumentsOf<C>>,
  commands: readonly Entry[] = [],
): Entry {
  return { ...declared, load, commands }
}

/** The last word of the name of a command: `show` of `scenarios show`. */
export function lastWord(name: string): string {
  return name.split(' ').at(-1)!
}
