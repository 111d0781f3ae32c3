import { connect } from 'node:net'

export interface Spoken {
  status: number
  headers: Record<string, string>
  body: string
}

/**
 * Sends bytes to a port of this machine exactly as they are, waits for the connection to be closed,
 * and gives the answers. What Node's own clients would refuse to send can be sent.
 */
export async function talk(port: number, ...pieces: readonly string[]): Promise<Spoken[]> {
  return answersIn(await talkRaw(port, ...pieces))
}

/** The same as `talk`, but gives the received text. */
export async function talkRaw(port: number, ...pieces: readonly string[]): Promise<string> {
  const received: Buffer[] = []
  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('data', (chunk) => void received.push(chunk))
    // A server that refuses an incomplete request may reset the connection.
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    for (const piece of pieces) socket.write(piece, 'latin1')
  })
  return Buffer.concat(received).toString('latin1')
}

/** How many handles of a kind this process has open. */
export function openHandles(kind: 'TCPServerWrap' | 'TCPSocketWrap'): number {
  return process.getActiveResourcesInfo().filter((name) => name === kind).length
}

/** The text of a request that closes its connection. */
export function request(
  line: string,
  headers: Record<string, string | undefined> = {},
  body = '',
): string {
  const all: Record<string, string | undefined> = {
    host: '127.0.0.1',
    connection: 'close',
    ...(body !== '' && { 'content-length': String(body.length) }),
    ...headers,
  }
  const written = Object.entries(all).flatMap(([name, value]) => {
    return value === undefined ? [] : [`${name}: ${value}`]
  })
  return [`${line} HTTP/1.1`, ...written, '', body].join('\r\n')
}

function answersIn(text: string): Spoken[] {
  const answers: Spoken[] = []
  let rest = text
  while (rest !== '') {
    const [head = '', ...tail] = rest.split('\r\n\r\n')
    const [first = '', ...lines] = head.split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => {
        const [name = '', ...value] = line.split(': ')
        return [name.toLowerCase(), value.join(': ')]
      }),
    )
    const after = tail.join('\r\n\r\n')
    const length = Number(headers['content-length'] ?? 0)
    const answer = { status: Number(first.split(' ')[1]), headers, body: after.slice(0, length) }
    if (answer.status !== 100) answers.push(answer)
    rest = after.slice(length)
  }
  return answers
}
