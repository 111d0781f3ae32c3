import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  createServer as createRawServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net'
import type { Ledger } from './ledger.js'

export const SECRET = 'shared-with-the-soak'

/** The ways in which receivers misbehave. Each has its own path. */
export const manners = ['prompt', 'slow', 'hang', 'drop', 'gone', 'redirect', 'endless'] as const
/** The ways that are not valid HTTP. */
const rawManners = {
  nonsense: 'HELLO\r\n\r\n',
  lying: 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nno',
}

/**
 * Webhook receivers that hang, drop and lie, one that verifies signatures, and training data files.
 */
export class Receivers {
  /** The ids of the deliveries to the verifying receiver. */
  readonly verified = new Set<string>()
  /** While it is set, all receivers answer 200 at once. */
  recovered = false
  readonly #ledger: Ledger
  readonly #server = createServer((request, response) => void this.#answer(request, response))
  readonly #raw: Record<string, Server> = {}
  readonly #sockets = new Set<Socket>()
  readonly #waiting = new Set<ServerResponse>()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
    for (const [manner, answer] of Object.entries(rawManners)) {
      this.#raw[manner] = createRawServer((socket) => {
        this.#sockets.add(socket)
        socket.on('close', () => this.#sockets.delete(socket)).on('error', () => {})
        socket.on('data', () => {
          const well = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'
          socket.end(this.recovered ? well : answer)
        })
      })
    }
  }

  async open(): Promise<void> {
    for (const server of [this.#server, ...Object.values(this.#raw)]) {
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    }
  }

  /** The URLs of the receivers, by their behavior. */
  get hooks(): Record<string, string> {
    const own = manners.map((manner) => [manner, `${this.#origin(this.#server)}/${manner}`])
    const raw = Object.entries(this.#raw).map(([name, server]) => [name, this.#origin(server)])
    return Object.fromEntries([...own, ...raw]) as Record<string, string>
  }

  file(name: string): string {
    return `${this.#origin(this.#server)}/data/${name}`
  }

  /** Makes all receivers answer 200 from now on, also to waiting requests. */
  recover(): void {
    this.recovered = true
    for (const response of this.#waiting) response.end()
    this.#waiting.clear()
  }

  /** Closes all open connections. */
  hangUp(): void {
    this.#server.closeAllConnections()
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    const servers = [this.#server, ...Object.values(this.#raw)]
    const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
    this.hangUp()
    await Promise.all(closed)
  }

  #origin(server: Pick<Server, 'address'>): string {
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, manner = '', file = ''] = (request.url ?? '').split('/')
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer)
    } catch {
      return
    }
    if (manner === 'data') return sendFile(file, response)
    this.#ledger.count('deliveries received')
    if (manner === 'prompt') this.#verify(request, Buffer.concat(chunks))
    if (this.recovered || manner === 'prompt') return void response.end('ok')
    this.#misbehave(manner, response)
  }

  #misbehave(manner: string, response: ServerResponse): void {
    switch (manner) {
      case 'slow':
        return void setTimeout(() => response.end('at last'), 100)
      case 'hang':
        this.#waiting.add(response)
        return void response.on('close', () => this.#waiting.delete(response))
      case 'drop':
        return void response.destroy()
      case 'gone':
        return void response.writeHead(410).end()
      case 'redirect':
        return void response.writeHead(307, { location: '/prompt' }).end()
      default:
        return endless(response)
    }
  }

  #verify({ headers }: IncomingMessage, body: Buffer): void {
    const due = createHmac('sha256', SECRET).update(body).digest('hex')
    if (headers['x-service-signature'] !== due) {
      this.#ledger.find(
        'deliveries',
        `one came with a wrong signature: ${body.toString()}`,
        'the receiver',
      )
    }
    const id = headers['webhook-id']
    if (typeof id === 'string') this.verified.add(id)
  }
}

function endless(response: ServerResponse): void {
  const more = setInterval(() => response.write('and so on '.repeat(100)), 5)
  response.on('close', () => clearInterval(more)).on('error', () => {})
}

const line = `${JSON.stringify({
  messages: [
    { role: 'user', content: 'Name a colour.' },
    { role: 'assistant', content: 'Blue.' },
  ],
})}\n`

function sendFile(name: string, response: ServerResponse): void {
  if (name.startsWith('missing')) return void response.writeHead(404).end()
  if (name.startsWith('broken')) return void response.end(`${line}{"messages": 1}\n`)
  if (name.startsWith('torn')) {
    response.writeHead(200, { 'content-length': 10_000 })
    response.write(line, () => response.destroy())
    return
  }
  const send = (): void => void response.end(line.repeat(6))
  if (name.startsWith('slow')) setTimeout(send, 150)
  else send()
}
