import type { Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import type { Agent, Dispatcher } from 'undici'
import { hostName } from '../../base/text/authority.js'
import type { Destination, Outside } from './outside.js'
import { trustedRoots } from './roots.js'

interface AgentOptions {
  /** The way there. */
  readonly outside: Outside
  /** The variables that were set before. They may name certificates. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly options: Agent.Options
}

/**
 * Connections to hosts, with the proxy and the certificates that were in use before. With TLS, a host whose certificate
 * is not trusted gets no byte of a call. No variable of Node turns that off.
 */
export async function verifiedAgent(agent: AgentOptions): Promise<Dispatcher> {
  const { outside, environment, options } = agent
  const { Agent: AgentOfUndici } = await import('undici')
  const secureContext = createSecureContext({ ca: trustedRoots(environment) })
  const verified = { rejectUnauthorized: true, secureContext, ALPNProtocols: ['http/1.1'] }
  const connect = (to: Destination, isSecure: boolean): Promise<Socket> =>
    isSecure ? outside.connectSecurely(to, verified) : outside.connect(to)
  return new AgentOfUndici({
    ...options,
    connect: ({ hostname, protocol, port }, done) => {
      const isSecure = protocol === 'https:'
      const to = { hostname: hostName(hostname), port: Number(port) || (isSecure ? 443 : 80) }
      // oxlint-disable promise/no-callback-in-promise -- undici takes a callback.
      connect(to, isSecure).then(
        (socket) => done(null, socket),
        (error: unknown) => done(error as Error, null),
      )
      // oxlint-enable promise/no-callback-in-promise
    },
  })
}
