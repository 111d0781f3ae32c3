import yargs, { type Options } from 'yargs'
import { nearest } from '../engine/nearest.js'
import { builtInScenarios } from '../built-in-scenarios.js'
import { isFile } from './choose-scenario.js'
import { flagNames, flags, type Flag, type FlagName } from './flags.js'
import type { AllGiven, Given } from './given.js'
import { toggle } from './values.js'
import { UsageError } from './usage-error.js'

export type CommandLine =
  | { kind: 'given'; given: AllGiven }
  /** `--help` or `--version`: what to print. */
  | { kind: 'text'; text: string }

/** Reads the arguments into what was written for each flag. Raises `UsageError`. */
export async function readCommandLine(
  argv: readonly string[],
  version: string,
): Promise<CommandLine> {
  const parser = yargs()
    .scriptName('svtrain-emulator')
    .usage('$0 [options]\n\nA local stand-in for a serverless training service.')
    .parserConfiguration({
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'short-option-groups': false,
      // They reach us as they were written, and we say what was probably meant.
      'unknown-options-as-args': true,
    })
    .options(Object.fromEntries(flagNames.map((name) => [name, toYargs(flags[name])])))
    .alias('help', 'h')
    .example('$0', 'everything goes well')
    .example('$0 --scenario failing-job', 'a job fails, out of memory')
    .example('$0 --scenario ./mine.yaml --watch', 'your own, followed as you edit it')
    .example('$0 --speed 100 --port 0', 'a hundred times as fast, on any free port')
    .example('$0 --api-key one --api-key two', 'only these two keys are accepted')
    .epilogue(
      'Every option can also be set by environment: --inference-port as ' +
        'SVTRAIN_EMULATOR_INFERENCE_PORT, lists separated by commas. The command line goes first.',
    )
    .locale('en')
    .wrap(100)
    .version(version)
    .exitProcess(false)
    .fail((message: string | null, error: unknown) => {
      throw message === null ? error : new UsageError(explain(message))
    })
  let text = ''
  const parsed = await parser.parseAsync([...argv], {}, (_error, _argv, output) => {
    text = output
  })
  if (text !== '') return { kind: 'text', text }
  const given = collect(parsed)
  refuseStrays(parsed._.map(String), given)
  return { kind: 'given', given }
}

function toYargs({ describe, value, defaultText }: Flag): Options {
  return {
    describe,
    // Values stay untyped: what is wrong with one is told in words of ours (given.ts).
    ...(value === toggle && { type: 'boolean', nargs: 0 }),
    ...(defaultText && { defaultDescription: defaultText }),
  }
}

function explain(message: string): string {
  const [, name] = /^Argument unexpected for: (.*)$/.exec(message) ?? []
  return name === undefined
    ? message
    : `--${name} takes no value; leave it out, or say --no-${name}.`
}

function collect(parsed: Readonly<Record<string, unknown>>): AllGiven {
  const given: Partial<Record<FlagName, Given>> = {}
  for (const name of flagNames) {
    const written = parsed[name]
    if (written === undefined) continue
    const { value }: Flag = flags[name]
    const negated = written === false && value !== toggle
    if (negated) throw new UsageError(`Unknown option "--no-${name}".`)
    given[name] = { named: `--${name}`, texts: textsOf(written, value === toggle) }
  }
  return given
}

function textsOf(written: unknown, isToggle: boolean): string[] {
  // Of several --watch and --no-watch the last counts, as shells' users expect.
  if (isToggle) return [String([written].flat().at(-1))]
  // A flag at the end of the line, or before another, has no text.
  return [written].flat().map((text) => (text === true ? '' : String(text)))
}

/** Arguments that belong to no option. Raises `UsageError`. */
function refuseStrays(strays: readonly string[], given: AllGiven): void {
  const options = strays.filter((stray) => /^-+[^-]/.test(stray))
  if (options.length > 0) throw new UsageError(options.map(unknownOption).join('\n'))
  const [first] = strays
  if (first === undefined) return
  // It may be a second key, which is not ours to print.
  if (given['api-key']) {
    throw new UsageError('Unexpected argument. Give several keys as --api-key one --api-key two.')
  }
  const hint =
    given.scenario || !looksLikeScenario(first) ? '' : ` Did you mean --scenario ${first}?`
  throw new UsageError(`Unexpected argument "${first}".${hint}`)
}

function unknownOption(written: string): string {
  // What follows the `=` may be a key.
  const [name = ''] = written.split('=')
  const meant = nearest(name.replace(/^-+/, ''), [...flagNames, 'help', 'version'])
  return `Unknown option "${name}".${meant === undefined ? '' : ` Did you mean --${meant}?`}`
}

function looksLikeScenario(text: string): boolean {
  const names = builtInScenarios.map(({ name }) => name)
  return isFile(text) || nearest(text, names) !== undefined
}
