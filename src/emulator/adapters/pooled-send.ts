import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { withoutBrackets } from '../../base/text/authority.js'
import { nextTurn } from '../../base/clock/wall.js'
import { beginning, type DeliveryRequest, type Send } from '../../webhooks/sending/transport.js'

export interface PooledSend {
  readonly send: Send
  /** Closes the connections. A later delivery opens new ones. */
  close: () => Promise<void>
}

/** The most connections to one receiver. */
const CONNECTIONS = 16
/** How long an idle connection stays open, in milliseconds. Most servers close theirs after 5 seconds. */
const IDLE = 4000

interface Pool {
  readonly agent: Agent
  readonly request: (options: RequestOptions) => ClientRequest
}

/**
 * Sends deliveries over connections that stay open, several times as fast as fetch. It uses `node:http`,
 * whose timers a test runner cannot fake: `undici` and fetch wait for those of the test. The first delivery
 * loads the library, because most runs have no delivery.
 */
export function poolOfConnections(): PooledSend {
  const pools = new Map<string, Promise<Pool>>()
  return {
    async send(request) {
      const { protocol } = new URL(request.url)
      const pool = await (pools.get(protocol) ?? open(protocol))
      // A receiver may have closed an idle connection. Its end is read before the connection is used again.
      await nextTurn()
      const answer = await answerOf(pool, request)
      return { status: answer.statusCode!, body: await beginning(answer) }
    },
    async close() {
      for (const { agent } of await Promise.all(pools.values())) agent.destroy()
    },
  }

  function open(protocol: string): Promise<Pool> {
    const pool = poolFor(protocol)
    pools.set(protocol, pool)
    return pool
  }
}

async function poolFor(protocol: string): Promise<Pool> {
  const { Agent, request } =
    protocol === 'https:' ? await import('node:https') : await import('node:http')
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, timeout: IDLE })
  return { agent, request }
}

function answerOf(
  { agent, request }: Pool,
  { url, headers, body, signal }: DeliveryRequest,
): Promise<IncomingMessage> {
  const { hostname, port, pathname, search } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = request({
      agent,
      method: 'POST',
      // Without the brackets of an IPv6 address. User and password of the URL are not sent.
      hostname: withoutBrackets(hostname),
      port,
      path: pathname + search,
      headers: { ...headers, 'content-length': body.byteLength },
      signal,
    })
    sent.on('response', resolve).on('error', reject)
    sent.on('close', () =>
      reject(new Error('the receiver closed the connection without an answer')),
    )
    sent.end(body)
  })
}
