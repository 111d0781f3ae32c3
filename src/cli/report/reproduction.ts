import { DEFAULT_SCENARIO } from '../../service/scenario/built-in-scenarios.js'
import type { Command } from '../command.js'
import type { Context } from '../context.js'
import type { OptionDeclaration } from '../options/declare.js'
import { shellWord } from '../shell-word.js'

/** The parsed arguments of `exec`, by the names of the options. */
export type Arguments = Readonly<Record<string, unknown>> & { '--'?: readonly string[] }

/**
 * Returns the arguments of the program that run the same again: with the scenario, the seed and all options of this run
 * that change what happens. Words that need quotes have them.
 *
 * @param by The command that repeats it. It takes those of the options that it declares.
 * @param chosen What an exploration tries, instead of what the user chose.
 */
export function reproduction(
  by: Command,
  args: Arguments,
  { seed, chosen = {} }: { seed: number; chosen?: Arguments },
): string[] {
  const { scenario = chosen['crash-at'] ? undefined : DEFAULT_SCENARIO } = args
  const values: Arguments = { ...args, ...(continues(args) ? {} : { scenario, seed }) }
  const options = Object.entries({ ...by.emulator, ...by.options }).flatMap(([name, declared]) => {
    if (declared.isOutput) return []
    return optionText(declared, name, declared.isChoice ? chosen[name] : values[name])
  })
  const command = (args['--'] ?? []).map(shellWord)
  return [by.name, ...options, '--', ...command]
}

/** Returns the arguments of the program as they were given, so with the files to write, too. Secrets are hidden. */
export function sameCommand(
  args: Arguments,
  { by, given }: { by: 'exec' | 'explore'; given: Context['given'] },
): string[] {
  // In the order of the command line.
  const options = Object.entries(args).flatMap(([name, value]) => {
    const declared = given.get(name)
    return declared ? optionText(declared, name, value) : []
  })
  return [by, ...options, '--', ...(args['--'] ?? []).map(shellWord)]
}

/** Whether saved state brings the scenario and the seed. */
function continues({ data, import: imported }: Arguments): boolean {
  return data !== undefined || imported !== undefined
}

function optionText({ write }: OptionDeclaration<unknown>, name: string, value: unknown): string[] {
  return value === undefined ? [] : write(name, value).map(shellWord)
}
