import { entriesOf, type Command, type Entry, type Group } from '../../src/cli/command.js'
import { commandGroups } from '../../src/cli/commands/index.js'
import type { Argument, OptionDeclaration, DeclaredOptions } from '../../src/cli/options/declare.js'
import { servedOptions } from '../../src/cli/options/serve.js'
import { block, code, explanationOf, linkTo, pageFrom, table, upperFirst } from './markdown.js'

/** What says the kind of an option, or of an argument. */
type Kind = Pick<OptionDeclaration<unknown>, 'type' | 'choices' | 'takes' | 'array'>

/** Describes the command line: the main options, and each command. */
export function cliPage(groups: readonly Group[] = commandGroups): string {
  const commands = commandsIn(entriesOf(groups))
  const optionGroups = [...new Set(Object.values(servedOptions).map(({ group = '' }) => group))]
  return pageFrom('cli', {
    commands: table(
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
    options: optionGroups.flatMap((group) => {
      const options = Object.entries(servedOptions).filter(([, option]) => option.group === group)
      return [`### ${group.replace(/:$/, '')}`, optionTable(Object.fromEntries(options))]
    }),
    sections: commands.flatMap(sectionFor),
  })
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
  const isExec = name === 'exec'
  return [
    `## ${name}`,
    `${describe}.${explanationOf(first)}`,
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
