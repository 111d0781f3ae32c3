import { DEFAULT_SCENARIO } from '../../service/scenario/built-in-scenarios.js'
import { HIDDEN, withoutCredentials } from '../../base/text/redaction/redact.js'
import { isSecretName } from '../../base/text/redaction/secret-names.js'
import type { Mapping } from '../run/exec-environment.js'
import { serveOptions } from '../options/serve.js'

/** Options whose values must not appear in the log of a build. */
const SECRET = ['api-key', 'control-token', 'webhook-secret']

/** The parsed arguments of `exec`, by the names of the options. */
export type Arguments = Readonly<Record<string, unknown>> & { '--'?: readonly string[] }

/**
 * Returns the arguments of the program that run the same again: with the scenario, the seed and the options of
 * this run. Words that need quotes have them.
 */
export function reproduction(
  args: Arguments,
  seed: number,
  by: 'exec' | 'explore' = 'exec',
): string[] {
  const values: Record<string, unknown> = {
    ...args,
    ...(continues(args) ? {} : { scenario: args.scenario ?? scenarioFor(args), seed }),
    log: undefined,
    'ready-file': undefined,
  }
  const own = [
    'env',
    'intercept',
    'allow-host-out',
    'network',
    'checks',
    'timeout',
    'runs',
    'crash-at',
    'state',
  ]
  const options = [...Object.keys(serveOptions), ...own].flatMap((name) => {
    return optionText(name, values[name])
  })
  const command = (args['--'] ?? []).map(quoted)
  return [by, ...options, '--', ...command]
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

/** The scenario to name, if the user named none. A kill needs none. */
function scenarioFor(args: Arguments): string | undefined {
  return args['crash-at'] === undefined ? DEFAULT_SCENARIO : undefined
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
