import { DEFAULT_SCENARIO } from '../../service/scenario/built-in-scenarios.js'
import { HIDDEN, withoutCredentials } from '../../base/text/redaction/redact.js'
import { isSecretName } from '../../base/text/redaction/secret-names.js'
import type { Mapping } from '../run/exec-environment.js'
import type { Command } from '../command.js'

/** Options whose values must not appear in the log of a build. */
const SECRET = ['api-key', 'control-token', 'webhook-secret']

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
    return optionText(name, declared.isChoice ? chosen[name] : values[name])
  })
  const command = (args['--'] ?? []).map(quoted)
  return [by.name, ...options, '--', ...command]
}

/** Returns the arguments of the program as they were given, so with the files to write, too. Secrets are hidden. */
export function sameCommand(
  { '--': command = [], ...options }: Arguments,
  by: 'exec' | 'explore',
): string[] {
  const given = Object.entries(options).filter(([name]) => !['_', '$0'].includes(name))
  const written = given.flatMap(([name, value]) => optionText(name, value))
  return [by, ...written, '--', ...command.map(quoted)]
}

/** Whether saved state brings the scenario and the seed. */
function continues({ data, import: imported }: Arguments): boolean {
  return data !== undefined || imported !== undefined
}

function optionText(name: string, value: unknown): string[] {
  if (value === undefined) return []
  if (name === 'env') {
    return (value as Mapping[]).flatMap(({ variable, template }) => {
      // A placeholder is not a secret.
      const isSecret = isSecretName(variable, 'variable') && !template.includes('{')
      return ['--env', quoted(`${variable}=${isSecret ? HIDDEN : template}`)]
    })
  }
  if (name === 'intercept') {
    const addresses = value as readonly string[]
    if (addresses.length === 0) return ['--intercept']
    return addresses.flatMap((address) => ['--intercept', quoted(address)])
  }
  if (name === 'bill' || name === 'checks') {
    const { value: given } = value as { value: string | boolean | undefined }
    if (given === false) return []
    const isBare = given === undefined || given === true
    return [isBare ? `--${name}` : quoted(`--${name}=${given}`)]
  }
  if (Array.isArray(value)) return value.flatMap((each) => optionText(name, each))
  if (typeof value === 'boolean') return [value ? `--${name}` : `--no-${name}`]
  const written = value as string | number
  return [`--${name}`, quoted(shownValue(name, String(written)))]
}

function shownValue(name: string, value: string): string {
  if (SECRET.includes(name)) return HIDDEN
  return name === 'webhook' ? withoutCredentials(value) : value
}

/** Quotes a word for a shell, if it needs quotes. */
function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}
