import { expect, it } from 'vitest'
import { cliPage } from '../../.build/reference/cli.js'
import { command, entriesOf, entry, type Group, type Run } from '../../src/cli/command.js'
import { commandGroups } from '../../src/cli/commands/index.js'
import { listArgument, option } from '../../src/cli/options/declare.js'
import { anyText, oneOf } from '../../src/cli/values.js'
import { run } from './commands.js'

const greet = command({
  name: 'greet',
  argument: listArgument('names', anyText('one or more names'), { describe: 'Who is greeted' }),
  describe: 'Greet people',
  examples: [['greet Ada', 'say hello']],
  exits: '3 if nobody is awake',
  options: { language: option(oneOf(['latin', 'greek']), { describe: 'Language' }) },
})

const runCommand: Run<typeof greet> = async ({ names, language = 'english' }, { terminal }) => {
  terminal.write(`${names.join(' and ')}, in ${language}`)
  return 3
}

const politeness: Group = {
  title: 'Be polite',
  daily: [entry(greet, async () => ({ runCommand }))],
  more: [],
}
const all = { groups: [...commandGroups, politeness] }

it('no two commands have one name', () => {
  const names = entriesOf(all.groups).map(({ name }) => name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

it('a line in the list of commands is a command', async () => {
  const ran = await run('greet Ada Max --language latin', all)
  expect(ran).toEqual({ code: 3, stdout: 'Ada and Max, in latin', stderr: '' })
})

it('a line in the list of commands is in the help', async () => {
  for (const line of ['--help', 'help']) {
    expect((await run(line, all)).stdout).toMatch(/^Be polite +greet .*Greet people$/m)
  }
  const { stdout } = await run('greet --help', all)
  expect(stdout).toMatch(/svtrain-emulator greet Ada +say hello/)
  expect(stdout).toContain('Exit code: 3 if nobody is awake.')
})

it('a shell completes a line in the list of commands', async () => {
  const completed = async (line: string): Promise<string> => {
    return (await run(`--get-yargs-completions svtrain-emulator ${line}`, all)).stdout
  }
  expect(await completed('gree')).toMatch(/^greet\b/m)
  expect(await completed('greet --la')).toMatch(/^--language\b/m)
  expect(await completed('greet --language la')).toMatch(/^latin$/m)
})

it('a line in the list of commands is in the reference', () => {
  const [, section] = cliPage(all.groups).split('## greet\n')
  expect(section).toContain('svtrain-emulator greet <names..> [options]')
  expect(section).toContain('| `names` | one or more names | required | Who is greeted. |')
  expect(section).toContain('| `--language` | `latin`, `greek` |  | Language. |')
})
