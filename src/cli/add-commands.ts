import type { Argv, CommandModule, Options } from 'yargs'
import { didYouMean } from '../base/text/nearest.js'
import { lastWord, type Entry } from './command.js'
import type { Call, Context } from './context.js'
import { givenOptions, refuseUnusable } from './config-file.js'
import { isNamed, type Argument, type DeclaredOptions, type ValuesOf } from './options/declare.js'
import { servedOptions } from './options/serve.js'
import { servedSettings } from './options/settings.js'
import { infoOf, unexpectedFor } from './unexpected-argument.js'

type OptionsOfYargs = Readonly<Record<string, Options>>

/** A run of the program, to which commands are added. */
interface Adding {
  readonly context: Context
  readonly call: Call
}

/** Adds commands to the program, and the one without a name, which serves the emulator. */
export function addCommands(program: Argv, commands: readonly Entry[], adding: Adding): void {
  // yargs completes the options of the program, but not those of a default command.
  if (adding.context.completing) {
    program.options(ofCommandAlone(optionsFor(servedOptions, adding.context)))
  } else program.command(serveModule(commands, adding))
  for (const each of commands) program.command(moduleOf(each, adding))
}

function serveModule(commands: readonly Entry[], { context, call }: Adding): CommandModule {
  return {
    command: '$0',
    describe: false,
    builder(parser) {
      call.command = { name: '', unexpected: unexpectedFor(commands.map(({ name }) => name)) }
      return addEmulatorOptions(parser, servedOptions, context)
    },
    handler(parsed) {
      const values = parsed as unknown as ValuesOf<typeof servedOptions>
      return context.serve(servedSettings(values, context.config))
    },
  }
}

function moduleOf(entry: Entry, adding: Adding): CommandModule {
  const { name, argument, describe, load } = entry
  const { context, call } = adding
  return {
    command: [lastWord(name), argument?.written ?? []].flat().join(' '),
    // The whole help lists the commands of the program by group.
    describe: name.includes(' ') || context.completing ? describe : false,
    builder: (parser) =>
      load ? addCommand(parser, entry, adding) : addCommandsBelow(parser, entry, adding),
    async handler(parsed) {
      if (!load) return
      const { runCommand } = await load()
      call.code = await runCommand(parsed as never, context)
    },
  }
}

function addCommandsBelow(
  parser: Argv,
  { name, describe, commands = [] }: Entry,
  adding: Adding,
): Argv {
  const names = commands.map((each) => lastWord(each.name))
  const known = `There are: ${names.join(', ')}.`
  adding.call.command = {
    name,
    unexpected(written) {
      const hint = didYouMean(written, names, (each) => `${name} ${each}`)
      return `Unknown command "${name} ${written}".${hint || ` ${known}`}`
    },
  }
  parser.usage(`$0 ${name} <command>\n\n${describe}`)
  for (const each of commands) parser.command(moduleOf(each, adding))
  const listed = commands.map((each) => `\n  ${each.name.padEnd(20)}${each.describe}`)
  return parser.demandCommand(1, `${name} takes a command:${listed.join('')}`)
}

function addCommand(parser: Argv, entry: Entry, adding: Adding): Argv {
  const { name, describe, argument, examples = [], exits, emulator, takesRest } = entry
  const { options: declared = {}, commands = [] } = entry
  const { context, call } = adding
  call.command = infoOf(entry)
  for (const [line, effect] of examples) parser.example(`$0 ${line}`, effect)
  if (exits !== undefined) parser.epilogue(`Exit code: ${exits}.`)
  if (argument) addArgument(parser, name, { argument, context })
  if (emulator) {
    const rest = takesRest ? ' -- <command>' : ''
    addEmulatorOptions(parser, emulator, context).usage(
      `$0 ${name} [options]${rest}\n\n${describe}`,
    )
  }
  for (const each of commands) parser.command(moduleOf(each, adding))
  const options = optionsFor(declared, context)
  return parser.options(commands.length === 0 ? options : ofCommandAlone(options))
}

function addArgument(
  parser: Argv,
  command: string,
  { argument, context }: { argument: Argument<string, unknown>; context: Context },
): void {
  const { name, value, describe, defaultDescription, canBeDash, suggested, read } = argument
  const choices = (context.completing ? suggested?.() : undefined) ?? value.choices
  parser.positional(name, {
    describe,
    type: 'string',
    ...(defaultDescription !== undefined && { defaultDescription }),
    ...(choices && { choices }),
    coerce: (given: unknown) => read(command, given),
  })
  // Without `nargs`, yargs reads `-` as an option.
  if (canBeDash) parser.nargs(name, 1)
}

/** Adds the options of an emulator, which the configuration of the project and variables set as well. */
function addEmulatorOptions(parser: Argv, options: DeclaredOptions, context: Context): Argv {
  const set = Object.entries(givenOptions(context))
  return parser
    .options(optionsFor(options, context))
    .config(Object.fromEntries(set.filter(([name]) => Object.hasOwn(options, name))))
    .check(() => {
      refuseUnusable(context)
      return true
    }, false)
}

/** The options for yargs. While a shell completes, the values that are only suggested are choices. */
function optionsFor(
  options: DeclaredOptions,
  { args, completing, given }: Context,
): OptionsOfYargs {
  const entries = Object.entries(options).map(([name, declared]): [string, Options] => {
    const choices = completing ? declared.suggested?.() : undefined
    const { alias } = declared
    const isAlias = args.some((each) => each.split('=', 1)[0] === `--${String(alias)}`)
    // Errors have the name that was typed.
    const typed = isAlias ? String(alias) : name
    const coerce = (value: unknown): unknown => {
      if (!isNamed(value)) given.set(name, declared)
      return declared.read(typed, value)
    }
    return [name, { ...declared, ...(choices && { choices }), coerce }]
  })
  return Object.fromEntries(entries)
}

/** Options that the commands below do not inherit. */
function ofCommandAlone(options: OptionsOfYargs): OptionsOfYargs {
  return Object.fromEntries(
    Object.entries(options).map(([name, each]) => [name, { ...each, global: false }]),
  )
}
