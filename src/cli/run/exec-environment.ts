import { withoutBrackets } from '../../base/text/authority.js'
import { didYouMean } from '../../base/text/nearest.js'
import { HIDDEN } from '../../base/text/redaction/hidden.js'
import { isSecretName } from '../../base/text/redaction/secret-names.js'
import { keyLike } from '../../base/text/vendor/keys.js'
import { CHAT_KEY, SDK_KEY } from '../../base/text/vendor/sdk-variables.js'
import type { Emulator } from '../../emulator/emulator.js'
import { LOCAL_API_KEY } from '../../emulator/local-key.js'
import { clientVariables } from '../../emulator/control/client-variables.js'
import { secretsIn, type Environment } from '../environment.js'
import { leftOut } from '../options/declare.js'
import { UsageError } from '../usage-error.js'
import type { Value } from '../values.js'

/** The placeholders of `--env`. */
const PLACES = ['training', 'inference', 'control', 'key', 'sink', 'port'] as const
type Place = (typeof PLACES)[number]

export interface Mapping {
  variable: string
  /** The value, with placeholders in braces. */
  template: string
}

export const mapping: Value<Mapping> = {
  takes: 'a variable and its value, such as OPENAI_BASE_URL={inference}',
  read(text) {
    const [, variable, template] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? []
    return variable === undefined || template === undefined ? undefined : { variable, template }
  },
  refusal: (text) => (text.endsWith(`=${HIDDEN}`) ? leftOut('a secret') : undefined),
  write({ variable, template }) {
    const isSecret = isSecretName(variable, 'variable') && !hasPlace(template)
    return `${variable}=${isSecret ? HIDDEN : template}`
  },
}

/** Whether the emulator gives a part of the value, so that it is no secret of the user. */
function hasPlace(template: string): boolean {
  return PLACES.some((place) => template.includes(`{${place}}`))
}

/** The secrets of the user that a command may print: those that it inherits, and those that `--env` gives it. */
export function secretsOfCommand(
  environment: Environment,
  mappings: readonly Mapping[] = [],
): string[] {
  const given = mappings.filter(({ template }) => !hasPlace(template))
  const set = given.map(({ variable, template }) => [variable, template])
  return secretsIn({ ...environment, ...Object.fromEntries(set) })
}

/** @throws {UsageError} When a placeholder is unknown, or is {sink} and no sink was started. */
export function assertKnown(mappings: readonly Mapping[], has: { sink: boolean }): void {
  for (const { template } of mappings) {
    for (const [written, name] of template.matchAll(/\{(\w+)\}/g)) {
      if (name === 'sink' && !has.sink) {
        throw new UsageError('--env uses {sink}, but there is no sink. Start one with --sink.')
      }
      if (PLACES.includes(name as Place)) continue
      const hint = didYouMean(name!, PLACES, (place) => `{${place}}`)
      const known = PLACES.map((place) => `{${place}}`).join(', ')
      throw new UsageError(`--env knows ${known}, not ${written}.${hint}`)
    }
  }
}

/**
 * Adds the hosts of the emulator to `NO_PROXY` and `no_proxy`, so that the command calls the emulator
 * without a proxy. Programs read one of the two variables. A variable that is not set gets the value of
 * the other one.
 */
export function proxyExceptions(
  { trainingUrl, inferenceUrl, sink }: Pick<Emulator, 'trainingUrl' | 'inferenceUrl' | 'sink'>,
  environment: Environment,
): Record<'NO_PROXY' | 'no_proxy', string> {
  const urls = [trainingUrl, inferenceUrl, ...(sink ? [sink.url] : [])]
  // These lists have IPv6 addresses without brackets.
  const hosts = urls.map((url) => withoutBrackets(new URL(url).hostname))
  const merged = (own: string | undefined, other: string | undefined): string => {
    const listed = (own ?? other ?? '').split(',').map((entry) => entry.trim())
    // Programs understand the wildcard only if it stands alone.
    if (listed.includes('*')) return '*'
    return [...new Set([...listed, ...hosts, 'localhost'])].filter(Boolean).join(',')
  }
  const { NO_PROXY, no_proxy } = environment
  return { NO_PROXY: merged(NO_PROXY, no_proxy), no_proxy: merged(no_proxy, NO_PROXY) }
}

interface CommandNeeds {
  readonly mappings?: readonly Mapping[]
  /** The port of the receiver that the command starts. */
  readonly port?: number | undefined
  /**
   * The variables that lead it through a proxy. Its own key is replaced as well, so that none leaves: by one of the
   * same form, because a client may look at it.
   */
  readonly intercepted?: Readonly<Record<string, string>> | undefined
}

/** Returns the variables that a command needs to call the emulator. `environment` has those that it inherits. */
export function environmentFor(
  emulator: Emulator,
  environment: Environment,
  { mappings = [], port, intercepted }: CommandNeeds = {},
): Record<string, string> {
  const isAnyKeyAccepted = emulator.apiKey === LOCAL_API_KEY
  const invented = intercepted && isAnyKeyAccepted ? keyLike(environment[SDK_KEY] ?? '') : undefined
  const { sink } = emulator
  const variables = clientVariables(emulator, intercepted ? {} : environment, invented)
  const places: Readonly<Record<Place, string>> = {
    training: emulator.trainingUrl,
    inference: emulator.inferenceUrl,
    control: variables['SVTRAIN_CONTROL_URL']!,
    key: invented ?? emulator.apiKey,
    sink: sink?.url ?? '',
    port: String(port ?? ''),
  }
  // A client of chats that has no key ends before it calls anybody.
  const leadsChats = mappings.some(({ template }) => /\{(?:inference|training)\}/.test(template))
  const needsKey = leadsChats && !environment[CHAT_KEY]
  const [receiver] = emulator.receivers.filter(({ url }) => url !== sink?.url)
  return {
    ...proxyExceptions(emulator, environment),
    ...intercepted,
    ...variables,
    ...(invented !== undefined && { [SDK_KEY]: invented }),
    ...(sink && { SVTRAIN_SINK_URL: sink.url }),
    ...(port !== undefined && {
      SVTRAIN_WEBHOOK_PORT: places.port,
      ...(receiver && { SVTRAIN_WEBHOOK_SECRET: receiver.secret }),
    }),
    ...(needsKey && { [CHAT_KEY]: places.key }),
    ...Object.fromEntries(
      mappings.map(({ variable, template }) => {
        return [variable, template.replaceAll(/\{(\w+)\}/g, (_, name) => places[name as Place])]
      }),
    ),
  }
}
