import { connect } from 'node:net'

/**
 * Sends one request over and over on `connections` kept-alive sockets, for `ms`, and returns the
 * answers per second. Written on bare sockets so that the client is not what is measured.
 */
export async function load(
  url: URL,
  request: string,
  { connections, ms }: { connections: number; ms: number },
): Promise<number> {
  const bytes = Buffer.from(request)
  const start = performance.now()
  const end = start + ms
  const counts = await Promise.all(
    Array.from({ length: connections }, () => repeat(url, bytes, end)),
  )
  const answered = counts.reduce((sum, count) => sum + count, 0)
  return (answered / (performance.now() - start)) * 1000
}

function repeat({ hostname, port }: URL, request: Buffer, end: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0
    let left = 0
    let head = ''
    const socket = connect(Number(port), hostname, () => socket.write(request))
    socket.setNoDelay()
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      if (left === 0) {
        head += chunk.toString('latin1')
        const body = head.indexOf('\r\n\r\n')
        if (body === -1) return
        if (!head.startsWith('HTTP/1.1 200')) return reject(new Error(head))
        const length = /\r\ncontent-length: (\d+)/i.exec(head)
        // Without a length it comes in chunks, the last of which is empty.
        if (!length && !head.endsWith('\r\n0\r\n\r\n')) return
        left = length ? Number(length[1]) - (head.length - body - 4) : 0
        head = ''
      } else left -= chunk.length
      if (left > 0) return
      count++
      if (performance.now() < end) socket.write(request)
      else {
        socket.destroy()
        resolve(count)
      }
    })
  })
}

export function rawRequest(method: string, url: URL, body = ''): string {
  return [
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `host: ${url.host}`,
    'authorization: Bearer svtrain-local-key',
    ...(body === '' ? [] : ['content-type: application/json', `content-length: ${body.length}`]),
    '',
    body,
  ].join('\r\n')
}
