import type { CalledHost } from '../../emulator/intercept/called-hosts.js'
import type { Interception } from '../../emulator/intercept/interception.js'
import type { Environment } from '../environment.js'
import { SDK_BASE_URL } from '../../base/text/vendor/sdk-variables.js'
import type { InterceptedApi } from '../../base/text/vendor/hosts.js'
import { addressOf, type Route } from '../../emulator/adapters/routes.js'
import { printable, type Output } from '../terminal.js'
import { UsageError } from '../usage-error.js'

interface InterceptArguments {
  /** Addresses of APIs. Empty: those of the documented service. */
  readonly intercept?: readonly string[] | undefined
  readonly 'allow-host-out'?: readonly string[] | undefined
}

/**
 * Prepares the way of commands to emulators, although they call the real hosts, if the arguments ask for it.
 *
 * @throws {UsageError} When hosts are allowed, and nothing is intercepted.
 */
export async function startInterception(
  { intercept, 'allow-host-out': allowed = [] }: InterceptArguments,
  environment: Environment,
): Promise<Interception | undefined> {
  if (!intercept) {
    if (allowed.length === 0) return undefined
    throw new UsageError(
      '--allow-host-out needs --intercept. Without it, the command may call all hosts.',
    )
  }
  const { createInterception } = await import('../../emulator/intercept/interception.js')
  const { routesOf } = await import('../../emulator/intercept/read-route.js')
  return createInterception({
    routes: routesOf(intercept),
    allowed,
    environment,
    allowWith,
  })
}

/** Says how to allow a host. */
export function allowWith(host: string): string {
  return `--allow-host-out ${host}`
}

/** Prints which hosts were called, the outcome of calls to those that are intercepted, and what may have passed by. */
export function reportHosts(
  { called, notCalled }: Pick<Interception, 'called' | 'notCalled'>,
  { write }: Pick<Output, 'write'>,
  words: HostWords = ANSWERED,
): void {
  hostLines(called, words).forEach(write)
  if (notCalled.length > 0) write(notCalledText(notCalled, words))
}

interface HostWords {
  readonly answered: string
  /** What to add if no host was called. */
  readonly none: string
  /** What to do about clients that cannot be caught. */
  readonly instead: (apis: readonly InterceptedApi[]) => string
}

const ANSWERED: HostWords = {
  answered: 'answered by the emulator',
  none: ' Clients that read the address of the emulator from a variable call it directly.',
  instead(apis) {
    const variables = [...new Set(apis.map((api) => ADDRESS_VARIABLES[api]))]
    return `Give such a client the address in ${variables.join(' and ')}, which is set.`
  },
}

/** The words about a command whose calls are recorded. */
export const RECORDED: HostWords = {
  answered: 'recorded',
  none: '',
  instead: () =>
    'Start record without --intercept, and give such a client the address that it prints.',
}

/** The variables of a command that name the emulator, by API. */
const ADDRESS_VARIABLES: Readonly<Record<InterceptedApi, string>> = {
  training: 'SVTRAIN_BASE_URL',
  inference: 'SVTRAIN_INFERENCE_URL',
  platform: SDK_BASE_URL,
}

function notCalledText(routes: readonly Route[], { instead }: HostWords): string {
  const addresses = routes.map(addressOf).join(', ')
  const how = instead(routes.map(({ api }) => api))
  return `Nothing called ${addresses} through the proxy. A client that uses no proxy, or none for this machine, cannot be caught, such as programs in Go, http.client, urllib3.PoolManager() and aiohttp without trust_env=True. ${how}`
}

function hostLines(hosts: readonly CalledHost[], { answered, none }: HostWords): string[] {
  if (hosts.length === 0) return [`No host was called through the proxy.${none}`]
  const width = Math.max(...hosts.map(({ host }) => host.length))
  return [
    'Hosts that the command called:',
    ...hosts.map(
      (called) => `  ${printable(called.host).padEnd(width)}  ${outcome(called, answered)}`,
    ),
  ]
}

function outcome(
  { answered, troubled, refused, passed, failures }: CalledHost,
  how: string,
): string {
  const trouble = troubled > 0 ? `, ${troubled} of them with an error` : ''
  const parts = [
    answered > 0 && `${answered} ${how}${trouble}`,
    refused > 0 && `${refused} refused`,
    passed > 0 && `${passed} passed on`,
    ...failures.map((failure) => printable(failure)),
  ]
  return parts.filter((part) => part !== false).join('; ')
}
