import yargs, { type Argv } from 'yargs'
import { DEFAULT_SCENARIO, magicNames } from '../service/scenario/built-in-scenarios.js'
import { didYouMean } from '../base/text/nearest.js'
import { removedCommands, removedFlags, removedText } from '../base/text/removed.js'
import { addCommands } from './add-commands.js'
import { entriesOf, type Group } from './command.js'
import { commandGroups } from './commands/index.js'
import { NO_CONFIG, readConfigFile } from './config-file.js'
import type { Call, CommandInfo, Context } from './context.js'
import { allCommands, asksForAll, firstScreen, shortHelp, USAGE, withoutAliases } from './help.js'
import { UsageError } from './usage-error.js'

/** The widths of the help, in characters. */
const NARROWEST = 60
const WIDEST = 200

/** Until yargs has found the command. */
const BEFORE: CommandInfo = { name: '', unexpected: (first) => `Unexpected argument "${first}".` }

export interface ProgramContext extends Omit<Context, 'args' | 'completing' | 'config' | 'given'> {
  version: string
  /** The width of the terminal, in characters. */
  columns: number
  /** The folder with the configuration of the project. Default: none is read. */
  folder?: string
  /** Default: all commands. */
  groups?: readonly Group[]
}

/**
 * Runs the command that the arguments name. Without a command, it serves the emulator.
 *
 * @returns The exit code. Undefined while the emulator is served.
 * @throws {UsageError} When the arguments or the environment cannot be used.
 * @throws {ScenarioError} When a scenario cannot be used.
 */
export async function runProgram(
  args: readonly string[],
  { version, columns, folder, groups = commandGroups, ...rest }: ProgramContext,
): Promise<number | undefined> {
  // The scripts that yargs prints for shells call the program with this option.
  const completing = args.includes('--get-yargs-completions')
  const config =
    folder === undefined || completing ? NO_CONFIG : await readConfigFile(folder, rest.environment)
  const context: Context = { ...rest, args, completing, config, given: new Map() }
  const call: Call = { command: BEFORE, code: undefined }
  const width = Math.min(Math.max(columns, NARROWEST), WIDEST)
  const program = parserOf({ version, width, call, completing, args })
  addCommands(program, entriesOf(groups), { context, call })
  let text = ''
  try {
    const parsed = completing ? withoutLastOption(args) : [...withoutAliases(args)]
    // Before yargs reads options that only the removed command had.
    const removed = removedCommandText(parsed)
    if (removed !== undefined) throw new UsageError(removed)
    await program.parseAsync(parsed, {}, (_error, argv, output) => {
      text = output
      const [first] = unexpectedIn(argv, call.command)
      // yargs has help for any word.
      if (argv.help && call.command.name === '' && first === parsed[0]) {
        throw new UsageError(call.command.unexpected(first!, argv))
      }
    })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(error.message, call.command.name)
  }
  if (text === '') return call.code
  const help = helpOf(call.command.name, text, { groups, width, isAll: asksForAll(args) })
  context.terminal.write(withSpacedTypes(help, width))
  return 0
}

interface HelpOptions extends Required<Pick<ProgramContext, 'groups'>> {
  readonly width: number
  /** Whether all commands and options are wanted. */
  readonly isAll: boolean
}

/** Chooses what is shown of the whole help of a command. The version is shown as it is. */
function helpOf(name: string, whole: string, { groups, width, isAll }: HelpOptions): string {
  if (name === '' && whole.startsWith(USAGE)) {
    return isAll
      ? allCommands(groups, width) + whole.slice(USAGE.length)
      : firstScreen(groups, width)
  }
  const entry = entriesOf(groups).find((each) => each.name === name)
  const isHelp = whole.startsWith('svtrain-emulator')
  return entry?.daily && isHelp && !isAll ? shortHelp(entry, entry.daily, width) : whole
}

interface ParserOptions
  extends Pick<ProgramContext, 'version'>, Pick<Context, 'completing' | 'args'> {
  /** The width of the help, in characters. */
  readonly width: number
  readonly call: Call
}

/** The parser of the arguments, with the help of the program. It has no commands yet. */
function parserOf({ version, width, call, completing, args }: ParserOptions): Argv {
  const program = yargs()
    .scriptName('svtrain-emulator')
    .usage(USAGE)
    .parserConfiguration({
      // Values stay as they are written: a key can be `007`.
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'short-option-groups': false,
      'populate--': true,
    })
    .alias('help', 'h')
    .version(version)
    // Without it, yargs would read `--help=x` as `--no-help`.
    .nargs({ help: 0, version: 0 })
    .example('$0', 'every job succeeds')
    .example('$0 --scenario failing-job', 'a job runs out of memory')
    .example('$0 --scenario ./mine.yaml --watch', 'your scenario, reloaded as you edit it')
    .example('$0 --speed 100 --port 0', '100 times as fast, on a free port')
    .example('$0 --api-key one --api-key two', 'only these two keys are accepted')
    .epilogue(`Model names that change what ${DEFAULT_SCENARIO} does:\n${magicTable()}\n`)
    .epilogue(
      'svtrain.config.yaml sets options, too: "inference-port: 4700". So does the key "svtrain-emulator" of ' +
        'package.json. Environment variables have priority over it: SVTRAIN_EMULATOR_INFERENCE_PORT sets ' +
        '--inference-port. Commas separate the values of a list. The command line has priority over both.',
    )
    .locale('en')
    .updateStrings({
      'Argument unexpected for: %s':
        '--%s takes no value; leave it out, or put "no-" before the name to turn the option off.',
      'Not enough arguments following: %s': '--%s takes a value; none was given.',
      'Arguments %s and %s are mutually exclusive':
        '--%s and --%s exclude each other; leave one of them out.',
    })
    .wrap(width)
    .exitProcess(false)
    .strict()
    .check((argv) => {
      return unexpectedIn(argv, call.command).length === 0 && !argumentAsOption(args, call.command)
    })
    .fail((message) => {
      const { argv, aliases } = program.parsed as DetailedArguments
      // yargs checks the other arguments even then.
      if (argv.help || argv.version || completing) return
      throw new UsageError(problemsIn({ argv, aliases, args }, call.command) ?? message)
    })
  return program
}

/**
 * yargs does not suggest an option that was given already, and takes the word before the cursor for one:
 * `--webhook` would only complete to `--webhook-secret`. The shell compares the suggestions with the word.
 */
function withoutLastOption(args: readonly string[]): string[] {
  return args.at(-1)!.startsWith('--') ? [...args.slice(0, -1), '--?'] : [...args]
}

/** Says that the words begin with a command that was removed. */
function removedCommandText(words: readonly string[]): string | undefined {
  const name = Object.keys(removedCommands).find((each) => {
    return words.slice(0, each.split(' ').length).join(' ') === each
  })
  return name === undefined ? undefined : removedText(removedCommands, name)
}

/** If a description and its type fill a line exactly, yargs leaves no space between them. */
function withSpacedTypes(help: string, width: number): string {
  return help.replaceAll(/(?<=\S)\[(?:string|boolean|array)\].*$/gm, (type) => {
    return `\n${type.padStart(width)}`
  })
}

/** Names and effects, in two columns. yargs aligns them at the tabs. */
function magicTable(): string {
  return magicNames()
    .map(({ name, effect }) => `  ${name}…  \t${effect}`)
    .join('\n')
}

type ParsedArguments = DetailedArguments['argv']
type Aliases = DetailedArguments['aliases']
type DetailedArguments = Exclude<Argv['parsed'], false>

interface CommandLine extends Pick<DetailedArguments, 'argv' | 'aliases'>, Pick<Context, 'args'> {}

/** Describes unknown options, surplus arguments and a missing argument, all of them if there are several. */
function problemsIn(
  { argv, aliases, args }: CommandLine,
  command: CommandInfo,
): string | undefined {
  const known = Object.keys(aliases)
  const { name, takes, argument } = command
  // It follows options.
  const removed = removedCommandText(argv._.map(String))
  if (removed !== undefined) return removed
  const [first] = unexpectedIn(argv, command)
  const options = Object.keys(argv).filter((key) => !['_', '--', '$0', ...known].includes(key))
  const written = argumentAsOption(args, command)
  if (written !== undefined) options.unshift(written)
  const isWithout = argument?.isRequired === true && isMissing(argv[argument.name])
  const problems = options.map((key) => {
    const isFile = argument?.name === 'file' && ['to', 'out', 'output'].includes(key)
    const instead =
      isWithout && isFile
        ? ` The file comes without it: ${name} <file>.`
        : optionsText(aliases, command)
    return unknownOption(key, { isNegated: argv[key] === false, known, command, instead })
  })
  if (first !== undefined) {
    problems.unshift(command.unexpected(first, argv))
  }
  if (problems.length > 0) return problems.join('\n')
  if (!isWithout) return undefined
  return `${name} takes ${takes}; none was given.`
}

/** The name of the argument of a command, if it was written as an option, which yargs accepts. */
function argumentAsOption(args: readonly string[], { argument }: CommandInfo): string | undefined {
  const end = args.indexOf('--')
  const own = end === -1 ? args : args.slice(0, end)
  const options = own.map((each) => /^--?(?:no-)?([^=]+)/.exec(each)?.[1])
  return options.find((name) => name !== undefined && name === argument?.name)
}

/** The arguments that belong neither to the name of the command nor to its positional arguments. */
function unexpectedIn(argv: ParsedArguments, { name, takesRest }: CommandInfo): string[] {
  const written = argv._.map(String)
  const words = name === '' ? [] : name.split(' ')
  const own = words.every((word, index) => written[index] === word) ? words.length : 0
  const { '--': rest = [] } = argv as { '--'?: string[] }
  return [...written.slice(own), ...(takesRest ? [] : rest)]
}

function isMissing(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : value === undefined
}

/** The most options of a command that an error lists. */
const MOST_OPTIONS = 12

/** Lists the options of a command, with a space in front. Empty if they are many. */
function optionsText(aliases: Aliases, { name: command, argument }: CommandInfo): string {
  const names = Object.keys(aliases).filter((name) => ![...OF_ALL, argument?.name].includes(name))
  // An option comes before its aliases.
  const own = names.filter((name, at) => {
    return !names.slice(0, at).some((each) => aliases[each]!.includes(name))
  })
  if (own.length > MOST_OPTIONS) return ''
  return ` ${command} has ${own.map((name) => `--${name}`).join(', ') || 'no options'}.`
}

const OF_ALL: readonly string[] = ['help', 'h', 'version']

interface UnknownOption {
  readonly isNegated: boolean
  readonly known: readonly string[]
  readonly command: CommandInfo
  /** What to say if no option is similar, with a space in front. */
  readonly instead: string
}

function unknownOption(key: string, { isNegated, known, command, instead }: UnknownOption): string {
  const { name, argument } = command
  const dashes = key.length === 1 ? '-' : '--'
  const written = `${dashes}${isNegated ? 'no-' : ''}${key}`
  // One-letter options are similar to everything.
  const names = known.filter((each) => each.length > 1)
  const shown = (each: string): string => {
    return each === argument?.name ? `${name} ${argument.written}, without dashes` : `--${each}`
  }
  const hint = didYouMean(key, names, shown) || instead
  const removed =
    removedText(removedFlags, `${name} --${key}`, written) ??
    removedText(removedFlags, `--${key}`, written)
  return removed ?? `Unknown option "${written}".${hint}`
}
