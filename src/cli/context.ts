import type { ConfigFile } from './config-file.js'
import type { Environment } from './environment.js'
import type { Argument, OptionDeclaration } from './options/declare.js'
import type { Settings } from './options/settings.js'
import type { Terminal } from './terminal.js'

/** What each command receives. */
export interface Context {
  terminal: Terminal
  environment: Environment
  /** What the project sets for each start. */
  config: ConfigFile
  /** The options of the command line. Others that have a value come from the environment or the project. */
  given: Map<string, OptionDeclaration<unknown>>
  /** The arguments of the command line. */
  args: readonly string[]
  /** What a user types to start this program: `npx svtrain-emulator`. */
  program: string
  /** Starts the emulator, which then runs until the process is interrupted. */
  serve: (settings: Settings) => Promise<void>
  /** Whether a shell asks how to complete the arguments. In that case, nothing is checked or run. */
  completing: boolean
}

/** Facts about a command for errors. */
export interface CommandInfo {
  /** `scenarios show`; the empty string for the command that serves. */
  name: string
  /** Completes "play takes …". Undefined if the command has no arguments. */
  takes?: string | undefined
  argument?: Argument<string, unknown> | undefined
  /** Whether arguments may follow two dashes. */
  takesRest?: boolean | undefined
  /** Explains an argument that the command does not take. */
  unexpected: (argument: string, options: Readonly<Record<string, unknown>>) => string
}

/** A run of the program: its command and how it ended. */
export interface Call {
  command: CommandInfo
  code: number | undefined
}
