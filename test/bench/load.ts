import { connect, type Socket } from 'node:net'

export interface LoadOptions {
  connections: number
  ms: number
  /** The load ends earlier after this number of answers. */
  most?: number
  /** The required status of each answer. */
  status: number
}

export interface Load {
  /** Answers per second. */
  rate: number
  answered: number
}

/**
 * Sends a request repeatedly on `connections` sockets that stay open. It uses bare sockets, so that
 * the client costs little. A function makes another request each time. Throws if an answer has another status.
 */
export async function load(
  url: URL,
  request: string | (() => string),
  options: LoadOptions,
): Promise<Load> {
  const { connections, ms, most = Infinity, status } = options
  const sockets = await Promise.all(Array.from({ length: connections }, () => connected(url)))
  const bytes = typeof request === 'string' ? Buffer.from(request) : request
  const start = performance.now()
  let left = most
  let answered = 0
  await Promise.all(sockets.map(repeat))
  return { rate: (answered / (performance.now() - start)) * 1000, answered }

  function repeat(socket: Socket): Promise<void> {
    return new Promise((resolve, reject) => {
      let answer = new Answer(status)
      socket.on('error', reject)
      socket.on('close', () => reject(new Error(`${url.href} closed the connection`)))
      socket.on('data', (chunk) => {
        try {
          answer.take(chunk)
        } catch (error) {
          socket.destroy(error as Error)
        }
        if (!answer.complete) return
        answered++
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
        socket.write(typeof bytes === 'function' ? bytes() : bytes)
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

/** A minimal HTTP parser that finds the end of an answer. */
class Answer {
  complete = false
  readonly #status: number
  #head = ''
  #body = false
  /** The missing bytes of the body. Undefined for a chunked body. */
  #left: number | undefined
  /** The last bytes of a chunked body. */
  #end = ''

  constructor(status: number) {
    this.#status = status
  }

  take(chunk: Buffer): void {
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
