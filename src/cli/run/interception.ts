import type { Emulator } from '../../emulator/emulator.js'
import type { CalledHost } from '../../tools/intercept/called-hosts.js'
import type { Environment } from '../environment.js'
import { printable, type Output } from '../terminal.js'
import { UsageError } from '../usage-error.js'

interface InterceptArguments {
  /** Addresses of APIs. Empty: those of the documented service. */
  readonly intercept?: readonly string[] | undefined
  readonly 'allow-host-out'?: readonly string[] | undefined
}

/** The way of a command to the emulator, although it calls the real hosts. */
export interface Interception {
  /** The variables that lead it there. */
  readonly variables: Readonly<Record<string, string>>
  /** Prints which hosts were called. */
  report(output: Output): void
  end(): Promise<void>
}

/**
 * Starts a proxy for a command, if its arguments ask for one.
 *
 * @throws {UsageError} When hosts are allowed, and nothing is intercepted.
 */
export async function startInterception(
  { intercept, 'allow-host-out': allowed = [] }: InterceptArguments,
  emulator: Emulator,
  environment: Environment,
): Promise<Interception | undefined> {
  if (!intercept) {
    if (allowed.length === 0) return undefined
    throw new UsageError(
      '--allow-host-out needs --intercept. Without it, the command may call all hosts.',
    )
  }
  const { createInterceptor } = await import('../../tools/intercept/create-interceptor.js')
  const started = await createInterceptor(emulator, {
    addresses: intercept,
    allowed,
    environment,
    allowWith: (host) => `--allow-host-out ${host}`,
  })
  return {
    variables: started.variables,
    report: ({ write }) => {
      for (const line of reportLines(started.interceptor.called)) write(line)
    },
    end: () => started.end(),
  }
}

function reportLines(hosts: readonly CalledHost[]): string[] {
  if (hosts.length === 0) return ['No host was called through the proxy.']
  const width = Math.max(...hosts.map(({ host }) => host.length))
  return [
    'Hosts that the command called:',
    ...hosts.map((called) => `  ${printable(called.host).padEnd(width)}  ${outcome(called)}`),
  ]
}

function outcome({ host, answered, refused, passed, failures }: CalledHost): string {
  const parts = [
    answered > 0 && `${answered} answered by the emulator`,
    refused > 0 && `${refused} refused; to allow it: --allow-host-out ${printable(host)}`,
    passed > 0 && `${passed} passed on`,
    ...failures.map((failure) => printable(failure)),
  ]
  return parts.filter((part) => part !== false).join('; ')
}
