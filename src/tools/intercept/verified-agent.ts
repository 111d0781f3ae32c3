import { connect as connectTls, createSecureContext, type TLSSocket } from 'node:tls'
import type { Agent, Dispatcher } from 'undici'
import { connected, type Destination, type Outside } from './outside.js'
import { trustedRoots } from './roots.js'

const HTTPS_PORT = 443

interface AgentOptions {
  /** The way there. */
  readonly outside: Outside
  /** The variables that were set before. They may name certificates. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly options: Agent.Options
}

/**
 * Connections to hosts over TLS, with the proxy and the certificates that were in use before. A host whose certificate
 * is not trusted gets no byte of a call. No variable of Node turns that off.
 */
export async function verifiedAgent(agent: AgentOptions): Promise<Dispatcher> {
  const { outside, environment, options } = agent
  const { Agent: AgentOfUndici } = await import('undici')
  const secureContext = createSecureContext({ ca: trustedRoots(environment) })
  const connect = async ({ hostname, port }: Destination): Promise<TLSSocket> => {
    const socket = await outside.connect({ hostname, port })
    const servername = hostname
    const ALPNProtocols = ['http/1.1']
    const verified = { rejectUnauthorized: true, secureContext }
    return connected(
      connectTls({ socket, servername, ALPNProtocols, ...verified }),
      'secureConnect',
    )
  }
  return new AgentOfUndici({
    ...options,
    connect: ({ hostname, port }, done) => {
      // oxlint-disable promise/no-callback-in-promise -- undici takes a callback.
      connect({ hostname, port: Number(port) || HTTPS_PORT }).then(
        (socket) => done(null, socket),
        (error: unknown) => done(error as Error, null),
      )
      // oxlint-enable promise/no-callback-in-promise
    },
  })
}
