import type { Entry, Group } from './command.js'
import type { DeclaredOptions } from './options/declare.js'
import { servedOptions } from './options/serve.js'
import { wrapped } from './text-width.js'

/** How the program is started without a command. The help of yargs begins with it, too. */
export const USAGE = 'svtrain-emulator [options]'

/** The options of the emulator that the first screen shows. */
const DAILY_OPTIONS = ['scenario', 'clock', 'port', 'webhook'] as const

/** The commands that are not needed each day are one word away. */
const ALL = 'help'

/** What other programs call the command without a name. */
const SERVE = 'serve'

/** A name, and what it stands for. */
type Row = readonly [name: string, describe: string]

/**
 * The first screen of the help: the commands and options of each day. It fits a terminal of 24 lines with 80 columns.
 *
 * @param width The width of the terminal, in characters.
 */
export function firstScreen(groups: readonly Group[], width: number): string {
  return [
    ...usage('svtrain-emulator --scenario <name>', width),
    ...groupedLines(
      groups
        .filter(({ daily }) => daily.length > 0)
        .map(({ title, daily }) => [title, daily.map(({ name, describe }) => [name, describe])]),
      width,
    ),
    '',
    'Options of the emulator:',
    ...rowLines(optionRows(servedOptions, DAILY_OPTIONS), { indent: 2, width }),
    '',
    ...wrapped(`All commands and options: svtrain-emulator ${ALL}`, width, 0),
  ].join('\n')
}

/**
 * The help of a command with many options: those of each day. The others are one word away.
 *
 * @param daily Names of options.
 */
export function shortHelp(entry: Entry, daily: readonly string[], width: number): string {
  const { name, describe, examples = [], emulator, options } = entry
  return [
    `svtrain-emulator ${name} [options]${entry.takesRest ? ' -- <command>' : ''}`,
    '',
    describe,
    '',
    ...rowLines(optionRows({ ...emulator, ...options }, daily), { indent: 2, width }),
    '',
    ...examples.flatMap(([line, effect]) => [
      ...wrapped(`  # ${effect}`, width, 4),
      ...wrapped(`  svtrain-emulator ${line}`, width, 4),
    ]),
    '',
    ...wrapped(`All options and exit codes: svtrain-emulator ${ALL} ${name}`, width, 0),
  ].join('\n')
}

function optionRows(options: DeclaredOptions, names: readonly string[]): Row[] {
  return names.map((name) => {
    const { describe = '', choices } = options[name]!
    return [`--${name}`, choices ? `${describe}: ${choices.join(', ')}` : describe]
  })
}

/** The top of the whole help: every command. */
export function allCommands(groups: readonly Group[], width: number): string {
  const all = groups.map(({ title, daily, more }): [string, Row[]] => {
    return [title, [...daily, ...more].map((each) => [usageText(each), each.describe])]
  })
  return [...usage(USAGE, width), ...groupedLines(all, width)].join('\n')
}

/** Reads `help sink replay` as `sink replay --help`, which yargs knows, and `serve` as no command. */
export function withoutAliases(args: readonly string[]): readonly string[] {
  if (args[0] === SERVE) return args.slice(1)
  return asksForAll(args)
    ? [...args.filter((word) => word !== ALL && word !== SERVE), '--help']
    : args
}

/** Whether arguments ask for the whole help. */
export function asksForAll([first]: readonly string[]): boolean {
  return first === ALL
}

function usage(line: string, width: number): string[] {
  const rows: Row[] = [
    [line, 'Serve an emulator of the training service'],
    ['svtrain-emulator <command> --help', 'Show what a command does'],
  ]
  return [...rowLines(rows, { indent: 0, width }), '']
}

/** The commands of each group, with its title before the first one. */
function groupedLines(
  groups: readonly (readonly [title: string, rows: readonly Row[]])[],
  width: number,
): string[] {
  const indent = Math.max(...groups.map(([title]) => title.length)) + 2
  const longest = Math.max(...groups.flatMap(([, rows]) => rows.map(([name]) => name.length)))
  return groups.flatMap(([title, rows]) => {
    const aligned = rows.map(([name, describe]): Row => [name.padEnd(longest), describe])
    const [first = '', ...others] = rowLines(aligned, { indent, width })
    return [title + first.slice(title.length), ...others]
  })
}

/** A command with its argument, as a user types it. */
function usageText({ name, argument, takesRest }: Entry): string {
  return [name, argument?.written ?? '', takesRest ? '-- <command>' : ''].filter(Boolean).join(' ')
}

/** Two columns. What does not fit goes on below the second one. */
function rowLines(
  rows: readonly Row[],
  { indent, width }: { readonly indent: number; readonly width: number },
): string[] {
  const longest = Math.max(...rows.map(([name]) => name.length))
  return rows.flatMap(([name, describe]) => {
    const start = ' '.repeat(indent) + name.padEnd(longest + 2)
    return wrapped(start + describe, width, start.length)
  })
}
