import type { Argv, CommandModule } from 'yargs'
import { addCommands } from '../../src/cli/commands.js'
import { serveOptions } from '../../src/cli/options/serve.js'
import { block, code, linkTo, page, table } from './markdown.js'

/** An option or a positional argument, as the command declares it. */
interface Declared {
  describe?: string | undefined
  type?: string | undefined
  takes?: string | undefined
  choices?: readonly unknown[] | undefined
  array?: boolean | undefined
  group?: string | undefined
  defaultDescription?: string | undefined
  demandOption?: string | boolean | undefined
}

/** What the builder of a command declares. */
interface Recorded {
  options: Record<string, Declared>
  positionals: Record<string, Declared>
  examples: [line: string, effect: string][]
  epilogues: string[]
  modules: CommandModule[]
}

/** The page that explains each command. */
const EXPLAINED: Readonly<Record<string, readonly [page: string, title: string] | undefined>> = {
  play: ['scenarios.md', 'Scenarios'],
  exec: ['ci.md', 'CI'],
  explore: ['explore.md', 'Explore'],
  sink: ['sink.md', 'The webhook sink'],
  sign: ['sink.md', 'The webhook sink'],
  verify: ['sink.md', 'The webhook sink'],
  'check-receiver': ['webhooks.md', 'Webhooks'],
  drift: ['drift.md', 'Drift'],
  scenarios: ['scenarios.md', 'Scenarios'],
  snapshot: ['persistence.md', 'Keep state'],
  trigger: ['webhooks.md', 'Webhooks'],
}

/** Commands that run a command of the user. */
const RUNS_A_COMMAND = ['exec', 'explore']

/** Describes the command line: the main options, and each command. */
export function cliPage(): string {
  const commands = commandsIn(record(addAll).modules)
  const groups = [...new Set(Object.values(serveOptions).map(({ group = '' }) => group))]
  return page(
    'Command line',
    'The command without a name serves the emulator. It runs until you press Ctrl-C.',
    block('sh', 'npx svtrain-emulator --scenario failing-job'),
    table(
      ['command', 'what it does'],
      [
        [linkTo('Serve', code('svtrain-emulator')), 'Serve the emulator'],
        ...commands.map(({ name, describe }) => [linkTo(name, code(name)), describe]),
      ],
    ),
    'Every command has `--help`. `svtrain-emulator --version` prints the version.',
    '## Serve',
    block('text', 'svtrain-emulator [options]'),
    'Each option can also be set by an environment variable: `SVTRAIN_EMULATOR_INFERENCE_PORT` sets `--inference-port`. The command line has priority. In a variable, commas separate the values of an option that you can repeat.',
    ...groups.flatMap((group) => {
      const options = Object.entries(serveOptions).filter(([, option]) => option.group === group)
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

interface Listed extends Recorded {
  name: string
  args: string
  describe: string
}

function addAll(parser: Argv): void {
  const output = { write() {}, paint: (_: unknown, text: string) => text }
  const terminal = { ...output, writeError() {}, errors: output }
  const started = { environment: {}, program: '', completing: false }
  const context = { ...started, terminal, serve: async () => {} }
  addCommands(parser, context, { command: { name: '' }, code: undefined })
}

/** Returns the commands with the commands inside groups. */
function commandsIn(modules: readonly CommandModule[], group = ''): Listed[] {
  return modules.flatMap(({ command, describe, builder }) => {
    const [word = '', ...args] = String(command).split(' ')
    // The command without a name.
    if (word === '$0' || typeof builder !== 'function') return []
    const name = `${group}${word}`
    const recorded = record((parser) => void builder(parser))
    const inside = commandsIn(recorded.modules, `${name} `)
    // A group of commands has no options of its own.
    if (inside.length > 0 && Object.keys(recorded.options).length === 0) return inside
    const own = { ...recorded, name, args: args.join(' '), describe: String(describe) }
    return [own, ...inside]
  })
}

/** Calls a builder with a parser that only records what is declared. */
function record(build: (parser: Argv) => void): Recorded {
  const found: Recorded = { options: {}, positionals: {}, examples: [], epilogues: [], modules: [] }
  const methods: Readonly<Record<string, (...args: never[]) => void>> = {
    options: (options: Record<string, Declared>) => void Object.assign(found.options, options),
    positional: (name: string, declared: Declared) => void (found.positionals[name] = declared),
    example: (line: string, effect: string) => void found.examples.push([line, effect]),
    epilogue: (text: string) => void found.epilogues.push(text),
    command: (module: CommandModule) => void found.modules.push(module),
  }
  const recorder: Argv = new Proxy({} as Argv, {
    get: (_target, method: string) => {
      return (...args: never[]) => {
        methods[method]?.(...args)
        return recorder
      }
    },
  })
  build(recorder)
  return found
}

function sectionFor({ name, args, describe, ...declared }: Listed): string[] {
  const { options, positionals, examples, epilogues } = declared
  const hasOptions = Object.keys(options).length > 0
  const words = ['svtrain-emulator', name, args, hasOptions ? '[options]' : '']
  const usage = [...words, RUNS_A_COMMAND.includes(name) ? '-- <command>' : ''].filter(
    (word) => word !== '',
  )
  const own = Object.fromEntries(
    Object.entries(options).filter(([option]) => {
      return name !== 'exec' || !Object.hasOwn(serveOptions, option)
    }),
  )
  const [first = ''] = name.split(' ')
  const explained = EXPLAINED[first]
  const more = explained ? ` [${explained[1]}](../${explained[0]}) explains it.` : ''
  return [
    `## ${name}`,
    `${describe}.${more}`,
    block('text', usage.join(' ')),
    ...examples.map(([line, effect]) => {
      return `${upperFirst(effect)}:\n\n${block('console', `$ npx ${line.replace('$0', 'svtrain-emulator')}`)}`
    }),
    argumentTable(positionals),
    name === 'exec' ? `It has all options of ${linkTo('Serve', 'the main command')}, and:` : '',
    optionTable(own),
    ...epilogues,
  ]
}

function argumentTable(positionals: Readonly<Record<string, Declared>>): string {
  const rows = Object.entries(positionals).map(([name, declared]) => {
    const [meaning = '', otherwise = ''] = (declared.describe ?? '').split('; default: ')
    const shown = declared.defaultDescription ?? otherwise
    return [code(name), typeOf(declared), declared.demandOption ? 'required' : shown, `${meaning}.`]
  })
  return table(['argument', 'value', 'default', 'meaning'], rows)
}

function optionTable(options: Readonly<Record<string, Declared>>): string {
  const rows = Object.entries(options).map(([name, declared]) => [
    code(`--${name}`),
    typeOf(declared),
    declared.defaultDescription ?? '',
    `${declared.describe ?? ''}.`,
  ])
  return table(['option', 'value', 'default', 'meaning'], rows)
}

/** The kind of value, in words. */
function typeOf({ type, choices, takes = 'text', array }: Declared): string {
  if (type === 'boolean') return 'no value'
  const words = choices ? choices.map((choice) => code(String(choice))).join(', ') : takes
  return array ? `${words}; repeatable` : words
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
