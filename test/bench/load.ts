import { connect, type Socket } from 'node:net'

export interface LoadOptions {
  connections: number
  ms: number
  /** It ends earlier once so many were answered. */
  most?: number
  /** What each answer has to have. Default: 200. */
  status?: number
}

export interface Load {
  /** Answers per second. */
  rate: number
  answered: number
  /** Of each answer, milliseconds until its last byte. */
  latencies: number[]
  /** Of each answer, milliseconds until its first bytes. */
  firsts: number[]
}

/**
 * Sends one request over and over on `connections` kept-alive sockets. Written on bare sockets so
 * that the client is not what is measured. Throws where an answer has another status.
 */
export async function load(url: URL, request: string, options: LoadOptions): Promise<Load> {
  const { connections, ms, most = Infinity, status } = options
  const sockets = await Promise.all(Array.from({ length: connections }, () => connected(url)))
  const latencies: number[] = []
  const firsts: number[] = []
  const bytes = Buffer.from(request)
  const start = performance.now()
  let left = most
  await Promise.all(sockets.map(repeat))
  const rate = (latencies.length / (performance.now() - start)) * 1000
  return { rate, answered: latencies.length, latencies, firsts }

  function repeat(socket: Socket): Promise<void> {
    return new Promise((resolve, reject) => {
      let sent = 0
      let answer = new Answer(status)
      socket.on('error', reject)
      socket.on('close', () => reject(new Error(`${url.href} closed the connection`)))
      socket.on('data', (chunk) => {
        if (!answer.begun) firsts.push(performance.now() - sent)
        try {
          answer.take(chunk)
        } catch (error) {
          socket.destroy(error as Error)
        }
        if (!answer.complete) return
        latencies.push(performance.now() - sent)
        next()
      })
      next()

      function next(): void {
        if (left-- <= 0 || performance.now() >= start + ms) {
          resolve()
          socket.destroy()
          return
        }
        answer = new Answer(status)
        sent = performance.now()
        socket.write(bytes)
      }
    })
  }
}

function connected({ hostname, port }: URL): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.off('error', reject)
      resolve(socket)
    })
    socket.setNoDelay()
    socket.on('error', reject)
  })
}

/** As much of HTTP as tells where an answer ends. */
class Answer {
  begun = false
  complete = false
  readonly #status: number
  #head = ''
  #body = false
  /** Bytes that are missing; none where the body comes in chunks. */
  #left: number | undefined
  /** The last bytes of what came in chunks. */
  #end = ''

  constructor(status = 200) {
    this.#status = status
  }

  take(chunk: Buffer): void {
    this.begun = true
    if (this.#body) return this.#takeBody(chunk, chunk.length)
    this.#head += chunk.toString('latin1')
    const end = this.#head.indexOf('\r\n\r\n')
    if (end === -1) return
    if (!this.#head.startsWith(`HTTP/1.1 ${this.#status}`)) throw new Error(this.#head)
    this.#body = true
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.#head.slice(0, end + 2))
    if (length) this.#left = Number(length[1])
    this.#takeBody(Buffer.from(this.#head.slice(end + 2), 'latin1'), this.#head.length - end - 4)
  }

  #takeBody(chunk: Buffer, length: number): void {
    if (this.#left === undefined) {
      this.#end = (this.#end + chunk.subarray(-7).toString('latin1')).slice(-7)
      this.complete = this.#end === '\r\n0\r\n\r\n'
      return
    }
    this.#left -= length
    this.complete = this.#left <= 0
  }
}

export function rawRequest(method: string, url: URL, body = ''): string {
  const length = Buffer.byteLength(body)
  return [
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `host: ${url.host}`,
    'authorization: Bearer any-key',
    ...(body === '' ? [] : ['content-type: application/json', `content-length: ${length}`]),
    '',
    body,
  ].join('\r\n')
}
