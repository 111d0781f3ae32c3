import type { CalledHost } from '../../tools/intercept/called-hosts.js'
import type { Interception } from '../../tools/intercept/interception.js'
import type { Environment } from '../environment.js'
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
  const { createInterception } = await import('../../tools/intercept/interception.js')
  const { routesOf } = await import('../../tools/intercept/read-route.js')
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

/** Prints which hosts were called, and the outcome of calls to those that are intercepted. */
export function reportHosts(
  { called }: Pick<Interception, 'called'>,
  { write }: Pick<Output, 'write'>,
  { answered = 'answered by the emulator', none = CALLED_DIRECTLY } = {},
): void {
  hostLines(called, { answered, none }).forEach(write)
}

/** The words about a command whose calls are recorded. */
export const RECORDED: HostWords = { answered: 'recorded', none: '' }

const CALLED_DIRECTLY =
  ' Clients that read the address of the emulator from a variable call it directly.'

interface HostWords {
  readonly answered: string
  /** What to add if no host was called. */
  readonly none: string
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

function outcome(called: CalledHost, how: string): string {
  const { host, answered, refused, passed, failures } = called
  const parts = [
    answered > 0 && `${answered} ${how}`,
    refused > 0 && `${refused} refused; to allow it: ${allowWith(printable(host))}`,
    passed > 0 && `${passed} passed on`,
    ...failures.map((failure) => printable(failure)),
  ]
  return parts.filter((part) => part !== false).join('; ')
}
