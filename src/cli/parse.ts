import yargs, { type Options } from 'yargs'
import { DEFAULT_SCENARIO } from '../built-in-scenarios.js'
import { nearest } from '../engine/nearest.js'
import { readEnvironment } from './environment.js'
import { flags, type Flag, type FlagName, type Settings } from './flags.js'
import { UsageError } from './usage-error.js'

export type Parsed =
  | { kind: 'settings'; settings: Settings }
  /** `--help` or `--version`: what to print. */
  | { kind: 'text'; text: string }

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the command line and the environment, the first going before the second. Raises `UsageError`. */
export async function parse(
  argv: readonly string[],
  environment: Environment,
  version: string,
): Promise<Parsed> {
  const parser = yargs()
    .scriptName('svtrain-emulator')
    .usage('$0 [options]\n\nA local stand-in for a serverless training service.')
    .parserConfiguration({ 'camel-case-expansion': false, 'greedy-arrays': false })
    .options(Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, toYargs(flag)])))
    .config(readEnvironment(environment))
    .example('$0', 'everything goes well')
    .example('$0 --scenario failing-job', 'a job fails, out of memory')
    .example('$0 --scenario ./mine.yaml --watch', 'your own, followed as you edit it')
    .example('$0 --speed 100 --port 0', 'a hundred times as fast, on any free ports')
    .epilogue(
      'Every option can also be set by environment: --inference-port as ' +
        'SVTRAIN_EMULATOR_INFERENCE_PORT, lists separated by commas.',
    )
    .locale('en')
    .wrap(100)
    .version(version)
    .strict()
    .exitProcess(false)
    .fail((message: string | null, error: unknown) => {
      throw message === null ? error : new UsageError(explain(message))
    })
  let text = ''
  const given = await parser.parseAsync([...argv], {}, (_error, _argv, output) => {
    text = output
  })
  if (text !== '') return { kind: 'text', text }
  return { kind: 'settings', settings: toSettings(given as Given) }
}

function toYargs(flag: Flag): Options {
  return {
    // Left untyped, a number that is none reaches us as it was written, and can be named.
    ...(flag.type !== 'number' && { type: flag.type }),
    describe: flag.describe,
    requiresArg: flag.type !== 'boolean',
    ...(flag.list && { array: true }),
    ...(flag.choices && { choices: flag.choices }),
    ...(flag.defaultText && { defaultDescription: flag.defaultText }),
    ...(flag.defaultText && { default: undefined }),
  }
}

/** yargs names what it does not know; we add what was probably meant. */
function explain(message: string): string {
  const [, unknown] = /^Unknown arguments?: (.*)$/.exec(message) ?? []
  if (unknown === undefined) return message
  const told = unknown.split(', ').map((name) => {
    const meant = nearest(name, Object.keys(flags))
    return `Unknown option "${name}".${meant === undefined ? '' : ` Did you mean --${meant}?`}`
  })
  return told.join('\n')
}

type Given = Readonly<Partial<Record<FlagName, unknown>>>

function toSettings(given: Given): Settings {
  for (const [name, flag] of Object.entries(flags)) {
    if (!('list' in flag) && Array.isArray(given[name as FlagName])) {
      throw new UsageError(`--${name} can be given only once.`)
    }
  }
  return {
    scenario: text(given, 'scenario') ?? DEFAULT_SCENARIO,
    port: port(given, 'port'),
    inferencePort: port(given, 'inference-port'),
    host: text(given, 'host') ?? '127.0.0.1',
    allowedHosts: list(given, 'allow-host'),
    corsOrigins: list(given, 'cors'),
    apiKeys: list(given, 'api-key'),
    clock: text(given, 'clock') as Settings['clock'],
    speed: number(given, 'speed', { above: 0, allowed: 'a number greater than 0' }),
    seed: integer(given, 'seed', { most: Number.MAX_SAFE_INTEGER, allowed: 'a whole number' }),
    basePath: text(given, 'base-path'),
    dataRoot: text(given, 'data-root'),
    watch: given.watch === true,
    log: (text(given, 'log') ?? 'pretty') as Settings['log'],
  }
}

function text(given: Given, name: FlagName): string | undefined {
  const value = given[name]
  if (value === '') throw new UsageError(`--${name} must not be empty.`)
  return value as string | undefined
}

function list(given: Given, name: FlagName): readonly string[] {
  const values = (given[name] ?? []) as string[]
  if (values.includes('')) throw new UsageError(`--${name} must not be empty.`)
  return values
}

function number(
  given: Given,
  name: FlagName,
  { above, allowed }: { above: number; allowed: string },
): number | undefined {
  const value = given[name]
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isFinite(value) && value > above) return value
  throw new UsageError(`--${name} takes ${allowed}, not "${String(value)}".`)
}

function integer(
  given: Given,
  name: FlagName,
  { most, allowed }: { most: number; allowed: string },
): number | undefined {
  const value = number(given, name, { above: -1, allowed })
  if (value === undefined || (Number.isInteger(value) && value <= most)) return value
  throw new UsageError(`--${name} takes ${allowed}, not "${value}".`)
}

function port(given: Given, name: FlagName): number | undefined {
  return integer(given, name, { most: 65_535, allowed: 'a port number, 0 to 65535' })
}
