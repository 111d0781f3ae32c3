import type { Flag } from '../flags.js'
import { onlyOf, valuesOf, type Given } from '../given.js'
import { createParser, givenFor, runParser, toYargs, unknownOption } from '../parser.js'
import { UsageError } from '../usage-error.js'
import type { Value } from '../values.js'
import type { Called } from './command.js'

export interface Wanted<F extends Readonly<Record<string, Flag>>> {
  flags: F
  /** Completes "play takes …"; left out where there are no arguments. */
  takes?: string
  /** It may be given several. */
  several?: boolean
  /** It may be left out. */
  optional?: boolean
}

type ValuesOf<F extends Readonly<Record<string, Flag>>> = {
  [N in keyof F]: F[N] extends { list: true } ? ValueOf<F[N]>[] : ValueOf<F[N]> | undefined
}

type ValueOf<F extends Flag> = F['value'] extends Value<infer T> ? T : never

export type Arguments<F extends Readonly<Record<string, Flag>>> =
  /** `--help`: what to print. */
  { kind: 'text'; text: string } | { kind: 'read'; positionals: string[]; flags: ValuesOf<F> }

/** Reads what follows a command's name. Raises `UsageError`. */
export async function readArguments<const F extends Readonly<Record<string, Flag>>>(
  { name, row, argv }: Called,
  wanted: Wanted<F>,
): Promise<Arguments<F>> {
  const parser = createParser('', `${row.usage}\n\n${row.summary}.`)
    .options(
      Object.fromEntries(Object.entries(wanted.flags).map(([flag, of]) => [flag, toYargs(of)])),
    )
    .version(false)
  const { parsed, text } = await runParser(parser, argv)
  if (text !== '') return { kind: 'text', text }
  const given = Object.entries(wanted.flags).map(([flag, of]): [string, unknown] => {
    const written: Given | undefined = givenFor(parsed, { name: flag, flag: of })
    return [flag, of.list ? valuesOf(written, of.value) : onlyOf(written, of.value)]
  })
  const positionals = parsed._.map(String)
  refuseWrong(positionals, { name, ...wanted })
  return { kind: 'read', positionals, flags: Object.fromEntries(given) as ValuesOf<F> }
}

interface Asked {
  name: string
  flags: Readonly<Record<string, Flag>>
  takes?: string
  several?: boolean
  optional?: boolean
}

function refuseWrong(positionals: readonly string[], asked: Asked): void {
  const { name, flags, takes, several, optional } = asked
  const options = positionals.filter((each) => /^-+[^-]/.test(each))
  if (options.length > 0) {
    const known = Object.keys(flags)
    throw new UsageError(options.map((each) => unknownOption(each, known)).join('\n'))
  }
  const [first, second] = positionals
  if (takes === undefined) {
    if (first !== undefined) {
      throw new UsageError(`Unexpected argument "${first}". ${name} takes none.`)
    }
    return
  }
  if (first === undefined && optional) return
  if (first === undefined || positionals.includes('')) {
    throw new UsageError(`${name} takes ${takes}; none was given.`)
  }
  if (second !== undefined && !several) {
    throw new UsageError(`Unexpected argument "${second}". ${name} takes ${takes}.`)
  }
}
