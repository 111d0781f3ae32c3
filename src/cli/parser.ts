import yargs, { type Argv, type Options } from 'yargs'
import { nearest } from '../text/nearest.js'
import type { Flag } from './flags.js'
import type { Given } from './given.js'
import { UsageError } from './usage-error.js'
import { toggle } from './values.js'

/** What our commands have in common: how arguments are read, and how the help looks. */
export function createParser(command: string, usage: string): Argv {
  return yargs()
    .scriptName('svtrain-emulator')
    .usage(['$0', command, usage].filter((part) => part !== '').join(' '))
    .parserConfiguration({
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'short-option-groups': false,
      // They reach us as they were written, and we say what was probably meant.
      'unknown-options-as-args': true,
    })
    .alias('help', 'h')
    .locale('en')
    .wrap(100)
    .exitProcess(false)
    .fail((message: string | null, error: unknown) => {
      throw message === null ? error : new UsageError(explain(message), command)
    })
}

export type ParsedArguments = Readonly<Record<string, unknown>> & { _: (string | number)[] }

/** `text` is the help or the version where they were asked for, else empty. */
export async function runParser(
  parser: Argv,
  argv: readonly string[],
): Promise<{ parsed: ParsedArguments; text: string }> {
  let text = ''
  const parsed = await parser.parseAsync([...argv], {}, (_error, _argv, output) => {
    text = output
  })
  return { parsed, text }
}

export function toYargs({ describe, value, defaultText }: Flag): Options {
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

/** What was written for a flag. Raises `UsageError`. */
export function givenFor(
  parsed: ParsedArguments,
  { name, flag }: { name: string; flag: Flag },
): Given | undefined {
  const written = parsed[name]
  if (written === undefined) return undefined
  const isToggle = flag.value === toggle
  const negated = written === false && !isToggle
  if (negated) throw new UsageError(`Unknown option "--no-${name}".`)
  return { named: `--${name}`, texts: textsOf(written, isToggle) }
}

function textsOf(written: unknown, isToggle: boolean): string[] {
  // Of several --watch and --no-watch the last counts, as shells' users expect.
  if (isToggle) return [String([written].flat().at(-1))]
  // A flag at the end of the line, or before another, has no text.
  return [written].flat().map((text) => (text === true ? '' : String(text)))
}

export function unknownOption(written: string, known: readonly string[]): string {
  // What follows the `=` may be a key.
  const [name = ''] = written.split('=')
  const meant = nearest(name.replace(/^-+/, ''), [...known, 'help', 'version'])
  return `Unknown option "${name}".${meant === undefined ? '' : ` Did you mean --${meant}?`}`
}
