import { page, table } from './markdown.js'

const contents = [
  ['Command line', 'cli.md', 'every command and option, with examples and exit codes'],
  ['Keys of a scenario', 'scenario.md', 'type, default, meaning and an example of each key'],
  ['Built-in scenarios', 'scenarios.md', 'what each scenario does, and model names that decide'],
  ['TypeScript API', 'api/README.md', 'every export of each entry point'],
  ['Python API', 'python.md', 'fixtures, settings of pytest, every method and type'],
  ['Operations', 'operations.md', 'the operations of the emulated APIs, with their ids'],
  ['Control API', 'control.md', 'every call below `/_emulator`, with parameters and responses'],
  ['Tools of MCP', 'mcp.md', 'every tool of coding assistants, with its arguments'],
  ['Client checks', 'checks.md', 'the mistakes of clients that tests find'],
  ['Error codes', 'errors.md', 'when each error happens, and what to do'],
] as const

/** Lists the reference pages. */
export function indexPage(): string {
  return page(
    'Reference',
    'These pages are generated from the code, so they list everything. To get something done, begin with a page of [the documentation](../README.md).',
    table(
      ['page', 'what it lists'],
      contents.map(([name, file, what]) => [`[${name}](${file})`, what]),
    ),
    'In a terminal, `svtrain-emulator docs reference/cli` prints a page, and `svtrain-emulator docs --search <words>` finds one.',
  )
}
