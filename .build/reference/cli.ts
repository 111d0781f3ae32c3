import { entriesOf, type Command, type Entry, type Group } from '../../src/cli/command.js'
import { commandGroups } from '../../src/cli/commands/index.js'
import type { Argument, OptionDeclaration, DeclaredOptions } from '../../src/cli/options/declare.js'
import { servedOptions } from '../../src/cli/options/serve.js'
import { block, code, linkTo, page, table } from './markdown.js'

/** What says the kind of an option, or of an argument. */
type Kind = Pick<OptionDeclaration<unknown>, 'type' | 'choices' | 'takes' | 'array'>

/** The page that explains each command. */
const EXPLAINED: Readonly<Record<string, readonly [page: string, title: string] | undefined>> = {
  play: ['how-to/scenarios.md', 'Scenarios'],
  exec: ['how-to/ci.md', 'CI'],
  explore: ['how-to/explore.md', 'Explore'],
  sink: ['how-to/sink.md', 'The webhook sink'],
  'check-receiver': ['how-to/webhooks.md', 'Webhooks'],
  scenarios: ['how-to/scenarios.md', 'Scenarios'],
  snapshot: ['how-to/keep-state.md', 'Keep state'],
  trigger: ['how-to/webhooks.md', 'Webhooks'],
}

/** Describes the command line: the main options, and each command. */
export function cliPage(groups: readonly Group[] = commandGroups): string {
  const commands = commandsIn(entriesOf(groups))
  const optionGroups = [...new Set(Object.values(servedOptions).map(({ group = '' }) => group))]
  return page(
    'Command line',
    'The command without a name serves the emulator. It runs until you press Ctrl-C.',
    block('sh', 'npx svtrain-emulator --scenario failing-job'),
    table(
      ['to', 'command', 'what it does'],
      [
        ['', linkTo('Serve', code('svtrain-emulator')), 'Serve the emulator'],
        ...groups.flatMap((group) => {
          const rows = commandsIn(entriesOf([group]))
          return rows.map(({ name, describe }, index) => {
            const title = index === 0 ? group.title.toLowerCase() : ''
            return [title, linkTo(name, code(name)), describe]
          })
        }),
      ],
    ),
    '`svtrain-emulator --help` shows the commands of each day, and `svtrain-emulator help` shows all. Every command has `--help`. `svtrain-emulator --version` prints the version.',
    '## Serve',
    block('text', 'svtrain-emulator [options]'),
    'Each option can also be set by an environment variable: `SVTRAIN_EMULATOR_INFERENCE_PORT` sets `--inference-port`. The command line has priority. In a variable, commas separate the values of an option that you can repeat.',
    ...optionGroups.flatMap((group) => {
      const options = Object.entries(servedOptions).filter(([, option]) => option.group === group)
      return [`### ${group.replace(/:$/, '')}`, optionTable(Object.fromEntries(options))]
    }),
    '### Exit codes',
    table(
      ['code', 'meaning'],
      [
        ['`0`', 'The command succeeded, or the emulator was stopped.'],
        ['`1`', 'It cannot run, or it found something. For example, a port is taken.'],
        ['`2`', 'The command line, the environment or a scenario is wrong.'],
      ],
    ),
    'Some commands have their own meaning of `1`. Their sections say so.',
    ...commands.flatMap(sectionFor),
  )
}

/** Returns the commands with the commands inside groups. */
function commandsIn(entries: readonly Entry[]): Command[] {
  return entries.flatMap((each) => {
    const inside = commandsIn(each.commands ?? [])
    return each.load ? [each, ...inside] : inside
  })
}

function sectionFor(command: Command): string[] {
  const { name, argument, describe, examples = [], exits, emulator, options, takesRest } = command
  const all = { ...emulator, ...options }
  const words = [
    'svtrain-emulator',
    name,
    argument?.written ?? '',
    Object.keys(all).length > 0 ? '[options]' : '',
    takesRest ? '-- <command>' : '',
  ]
  const usage = words.filter((word) => word !== '')
  const [first = ''] = name.split(' ')
  const explained = EXPLAINED[first]
  const more = explained ? ` [${explained[1]}](../${explained[0]}) explains it.` : ''
  const isExec = name === 'exec'
  return [
    `## ${name}`,
    `${describe}.${more}`,
    block('text', usage.join(' ')),
    ...examples.map(([line, effect]) => {
      return `${upperFirst(effect)}:\n\n${block('console', `$ npx svtrain-emulator ${line}`)}`
    }),
    argumentTable(argument),
    isExec ? `It has all options of ${linkTo('Serve', 'the main command')}, and:` : '',
    optionTable((isExec ? options : all) ?? {}),
    exits === undefined ? '' : `Exit code: ${exits}.`,
  ]
}

function argumentTable(argument: Argument<string, unknown> | undefined): string {
  if (argument === undefined) return ''
  const { name, value, isRequired, defaultDescription } = argument
  const [meaning = '', otherwise = ''] = argument.describe.split('; default: ')
  const shown = isRequired ? 'required' : (defaultDescription ?? otherwise)
  return table(
    ['argument', 'value', 'default', 'meaning'],
    [[code(name), typeOf(value), shown, `${meaning}.`]],
  )
}

function optionTable(options: DeclaredOptions): string {
  const rows = Object.entries(options).map(([name, declared]) => [
    code(`--${name}`),
    typeOf(declared),
    declared.defaultDescription ?? '',
    `${declared.describe ?? ''}.`,
  ])
  return table(['option', 'value', 'default', 'meaning'], rows)
}

/** The kind of value, in words. */
function typeOf({ type, choices, takes = 'text', array }: Kind): string {
  if (type === 'boolean') return 'no value'
  const words = choices ? choices.map((choice) => code(String(choice))).join(', ') : takes
  return array ? `${words}; repeatable` : words
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
