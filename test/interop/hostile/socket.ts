import { connect } from 'node:net'

/** An answer as it came over the socket. */
export interface Answer {
  readonly status: number
  /** By name in lower case. A repeated one is joined by commas. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

/** How long a server may leave a request without an answer. */
const PATIENCE = 2000

/**
 * Sends bytes over a new connection, and returns the answers: one for each method, or fewer if the server closes the
 * connection or goes silent. Interim answers, such as 100, are among them.
 */
export function exchange(
  port: number,
  bytes: Buffer,
  methods: readonly string[],
): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    const reader = new AnswerReader(methods)
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(bytes))
    const finish = (): void => {
      socket.destroy()
      resolve(reader.answers)
    }
    socket.setTimeout(PATIENCE, finish)
    socket.on('data', (chunk) => {
      reader.add(chunk)
      if (reader.isDone) finish()
    })
    socket.on('end', () => {
      reader.end()
      finish()
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server answered and closed before it read all bytes.
      if (['ECONNRESET', 'EPIPE'].includes(error.code ?? '')) finish()
      else reject(error)
    })
  })
}

class AnswerReader {
  readonly answers: Answer[] = []
  readonly #methods: string[]
  #bytes = Buffer.alloc(0)

  constructor(methods: readonly string[]) {
    this.#methods = [...methods]
  }

  get isDone(): boolean {
    return this.#methods.length === 0
  }

  add(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk])
    while (!this.isDone && this.#next(false));
  }

  /** A body without a length ends with the connection. */
  end(): void {
    while (!this.isDone && this.#next(true));
  }

  #next(isEnd: boolean): boolean {
    const end = this.#bytes.indexOf('\r\n\r\n')
    if (end < 0) return false
    const [first = '', ...lines] = this.#bytes.subarray(0, end).toString('latin1').split('\r\n')
    const status = Number(first.split(' ')[1])
    const headers = headersOf(lines)
    const rest = this.#bytes.subarray(end + 4)
    const isBare = status < 200 || status === 204 || status === 304 || this.#methods[0] === 'HEAD'
    const read = isBare ? { body: Buffer.alloc(0), length: 0 } : bodyOf(headers, rest, isEnd)
    if (!read) return false
    this.answers.push({ status, headers, body: read.body })
    if (status >= 200) this.#methods.shift()
    this.#bytes = rest.subarray(read.length)
    return true
  }
}

function headersOf(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const at = line.indexOf(':')
    const name = line.slice(0, at).toLowerCase()
    const value = line.slice(at + 1).trim()
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return headers
}

interface Read {
  body: Buffer
  /** How many bytes it takes on the wire. */
  length: number
}

function bodyOf(
  headers: ReadonlyMap<string, string>,
  bytes: Buffer,
  isEnd: boolean,
): Read | undefined {
  if (headers.get('transfer-encoding') === 'chunked') return chunkedBody(bytes)
  const length = Number(headers.get('content-length') ?? Number.NaN)
  if (Number.isNaN(length)) return isEnd ? { body: bytes, length: bytes.length } : undefined
  return bytes.length < length ? undefined : { body: bytes.subarray(0, length), length }
}

function chunkedBody(bytes: Buffer): Read | undefined {
  const parts: Buffer[] = []
  for (let at = 0; ;) {
    const line = bytes.indexOf('\r\n', at)
    if (line < 0) return undefined
    const size = Number.parseInt(bytes.subarray(at, line).toString('latin1'), 16)
    const end = line + 2 + size + 2
    if (bytes.length < end) return undefined
    if (size === 0) return { body: Buffer.concat(parts), length: end }
    parts.push(bytes.subarray(line + 2, end - 2))
    at = end
  }
}
