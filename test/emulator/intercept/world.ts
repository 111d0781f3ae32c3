import { once } from 'node:events'
import { connect, type AddressInfo, type Server, type Socket } from 'node:net'
import { ProxyAgent, request } from 'undici'
import { onTestFinished } from 'vitest'
import { createEmulator, type Emulator } from '../../../src/index.js'
import { answerOf } from '../../../src/emulator/intercept/emulator-answer.js'
import { InterceptedHosts } from '../../../src/emulator/intercept/intercepted-hosts.js'
import {
  Interceptor,
  type InterceptorOptions,
} from '../../../src/emulator/intercept/interceptor.js'
import { Outside } from '../../../src/emulator/intercept/outside.js'
import { routesOf } from '../../../src/emulator/intercept/read-route.js'

export const HOSTS = [
  'training=https://api.training.test/v1',
  'inference=https://api.inference.test/v1',
  'platform=https://api.platform.test',
]

interface Around {
  hosts?: readonly string[]
  allowed?: readonly string[]
  environment?: Readonly<Record<string, string>>
  basePath?: string
  limits?: InterceptorOptions['limits']
  /** The address that the proxy listens at. */
  host?: string
  password?: string
}

export interface Intercepted {
  emulator: Emulator
  interceptor: Interceptor
  /** The certificate that a client has to trust. */
  authority: string
  /** Leads calls of `undici` through the proxy. It trusts the certificate. */
  agent: ProxyAgent
  /** Calls a host through the proxy, as a client that trusts the certificate. */
  call: (url: string, call?: CallOptions) => Promise<{ status: number; text: string }>
}

interface CallOptions {
  method?: 'GET' | 'POST' | 'PUT'
  headers?: Record<string, string>
  body?: string
}

/** Starts an interceptor with an emulator, and ends both with the test. */
export async function intercept({
  hosts: addresses = HOSTS,
  allowed = [],
  environment = {},
  basePath = '',
  limits = {},
  host = '127.0.0.1',
  password,
}: Around = {}): Promise<Intercepted> {
  const emulator = createEmulator({ clock: 'manual', basePath })
  const hosts = new InterceptedHosts(routesOf(addresses))
  const { authority } = hosts
  const interceptor = new Interceptor({
    hosts,
    answer: answerOf(emulator),
    outside: new Outside({ allowed, environment }),
    allowWith: (refused) => `--allow-host-out ${refused}`,
    limits,
    password,
  })
  await interceptor.listen({ host })
  const agent = new ProxyAgent({
    uri: interceptor.url,
    requestTls: { ca: authority },
    proxyTunnel: true,
  })
  onTestFinished(async () => {
    await agent.destroy()
    await interceptor.close()
    await emulator.close()
  })
  return {
    emulator,
    interceptor,
    authority,
    agent,
    async call(url, options = {}) {
      // The agent adds a header to the headers that it is given.
      const headers = { ...options.headers }
      const { statusCode, body } = await request(url, { dispatcher: agent, ...options, headers })
      return { status: statusCode, text: await body.text() }
    },
  }
}

/** Lets a server listen until the test is over. Returns its port. */
export async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Sends bytes to the proxy itself. Returns all that comes back until the proxy ends the connection. */
export async function send({ url }: Interceptor, text: string): Promise<string> {
  const socket = connectTo(url)
  socket.write(text)
  let received = ''
  for await (const chunk of socket) received += String(chunk)
  return received
}

/** Asks the proxy for a tunnel. Resolves with the answer, once its headers have arrived. */
export function openTunnel(
  { url }: Pick<Interceptor, 'url'>,
  authority: string,
): Promise<{ socket: Socket; answer: string }> {
  const socket = connectTo(url)
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n`)
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    let received = Buffer.alloc(0)
    socket.on('data', function read(chunk: Buffer) {
      received = Buffer.concat([received, chunk])
      const end = received.indexOf('\r\n\r\n')
      if (end === -1) return
      socket.off('data', read).pause()
      const rest = received.subarray(end + 4)
      if (rest.length > 0) socket.unshift(rest)
      resolve({ socket, answer: received.toString('latin1', 0, end) })
    })
  })
}

function connectTo(url: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  return socket
}

/** The next bytes from a tunnel. */
export async function textFrom(socket: Socket): Promise<string> {
  const next = once(socket, 'data') as Promise<[Buffer]>
  socket.resume()
  return String((await next)[0])
}
