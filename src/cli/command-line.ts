import { nearest } from '../text/nearest.js'
import { builtInScenarios, DEFAULT_SCENARIO, magicNames } from '../scenario/built-in-scenarios.js'
import { isFile } from './choose-scenario.js'
import { commandNames, commands, withCommands } from './commands/table.js'
import { flagNames, flags, type FlagName } from './flags.js'
import type { AllGiven, Given } from './given.js'
import {
  createParser,
  givenFor,
  runParser,
  toYargs,
  unknownOption,
  type ParsedArguments,
} from './parser.js'
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
  const parser = createParser(
    '',
    `[options]\n\nA local stand-in for a serverless training service.`,
  )
    .options(Object.fromEntries(flagNames.map((name) => [name, toYargs(flags[name])])))
    .example('$0', 'everything goes well')
    .example('$0 --scenario failing-job', 'a job fails, out of memory')
    .example('$0 --scenario ./mine.yaml --watch', 'your own, followed as you edit it')
    .example('$0 --speed 100 --port 0', 'a hundred times as fast, on any free port')
    .example('$0 --api-key one --api-key two', 'only these two keys are accepted')
    .epilogue(`Names of models that make their jobs behave so, in ${DEFAULT_SCENARIO}:\n${magic()}`)
    .epilogue(
      'Every option can also be set by environment: --inference-port as ' +
        'SVTRAIN_EMULATOR_INFERENCE_PORT, lists separated by commas. The command line goes first.',
    )
    .version(version)
  const { parsed, text } = await runParser(parser, argv)
  if (text !== '') return { kind: 'text', text: withCommands(text, commands) }
  const given = collect(parsed)
  refuseStrays(parsed._.map(String), given)
  return { kind: 'given', given }
}

function magic(): string {
  const names = magicNames()
  const width = Math.max(...names.map(({ name }) => name.length))
  return names.map(({ name, effect }) => `  ${name.padEnd(width)}…  ${effect}`).join('\n')
}

function collect(parsed: ParsedArguments): AllGiven {
  const given: Partial<Record<FlagName, Given>> = {}
  for (const name of flagNames) {
    const written = givenFor(parsed, { name, flag: flags[name] })
    if (written) given[name] = written
  }
  return given
}

/** Arguments that belong to no option. Raises `UsageError`. */
function refuseStrays(strays: readonly string[], given: AllGiven): void {
  const options = strays.filter((stray) => /^-+[^-]/.test(stray))
  if (options.length > 0) {
    throw new UsageError(options.map((each) => unknownOption(each, flagNames)).join('\n'))
  }
  const [first] = strays
  if (first === undefined) return
  // It may be a second key, which is not ours to print.
  if (given['api-key']) {
    throw new UsageError('Unexpected argument. Give several keys as --api-key one --api-key two.')
  }
  const command = Object.keys(given).length === 0 ? nearest(first, commandNames) : undefined
  const scenario = given.scenario || !looksLikeScenario(first) ? undefined : `--scenario ${first}`
  const meant = scenario ?? command
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
  throw new UsageError(`Unexpected argument "${first}".${hint}`)
}

function looksLikeScenario(text: string): boolean {
  const names = builtInScenarios.map(({ name }) => name)
  return isFile(text) || nearest(text, names) !== undefined
}
