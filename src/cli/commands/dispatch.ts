import { nearest } from '../../text/nearest.js'
import { createParser, runParser } from '../parser.js'
import type { Terminal } from '../terminal.js'
import { UsageError } from '../usage-error.js'
import type { Called, Group } from './command.js'
import { commands, withCommands } from './table.js'

/**
 * Runs the command that the first argument names and gives its exit code; undefined where it names
 * none, and the emulator is to serve. Raises `UsageError`.
 */
export async function runCommand(
  argv: readonly string[],
  terminal: Terminal,
): Promise<number | undefined> {
  const [name = '', ...rest] = argv
  if (!Object.hasOwn(commands, name)) return undefined
  const row = commands[name]!
  if ('load' in row) return run({ name, row, argv: rest }, terminal)
  const [second = '', ...further] = rest
  if (Object.hasOwn(row.commands, second)) {
    const called = { name: `${name} ${second}`, row: row.commands[second]!, argv: further }
    return run(called, terminal)
  }
  terminal.write(await helpOfGroup(rest, { name, row }))
  return 0
}

async function run(called: Called, terminal: Terminal): Promise<number> {
  try {
    return await (
      await called.row.load()
    )(called, terminal)
  } catch (error) {
    if (!(error instanceof UsageError) || error.command !== '') throw error
    throw new UsageError(error.message, called.name)
  }
}

async function helpOfGroup(
  argv: readonly string[],
  { name, row }: { name: string; row: Group },
): Promise<string> {
  const help = `${row.usage}\n\n${row.summary}.`
  const { text } = await runParser(createParser('', help).version(false), argv)
  if (text !== '') return withCommands(text, row.commands)
  const [written] = argv
  const names = Object.keys(row.commands)
  const known = `There are: ${names.join(', ')}.`
  if (written === undefined) throw new UsageError(`${name} takes a command. ${known}`, name)
  const meant = nearest(written, names)
  const hint = meant === undefined ? known : `Did you mean ${name} ${meant}?`
  throw new UsageError(`Unknown command "${name} ${written}". ${hint}`, name)
}
