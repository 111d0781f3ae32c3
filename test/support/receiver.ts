import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { served } from './served.js'

export const SECRET = 'a secret of the team'

export interface Received {
  method: string
  path: string
  headers: IncomingHttpHeaders
  /** The header names as they were sent. */
  rawHeaders: readonly string[]
  body: Buffer
  /** Whether `X-Service-Signature` is the HMAC of the received body. */
  valid: boolean
}

/** Answers a delivery. By default with 200. */
export type Answer = (response: ServerResponse, received: Received) => void

export interface Receiver {
  url: string
  received: Received[]
  /** The received bodies, parsed. */
  // Tests know what they sent.
  // oxlint-disable-next-line typescript/no-explicit-any
  bodies: () => any[]
}

/** Starts a webhook receiver on plain node:http. It is closed at the end of the test. */
export async function startReceiver(
  answer: Answer = (response) => response.end('ok'),
): Promise<Receiver> {
  const received: Received[] = []
  const url = await served((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url: path = '', headers, rawHeaders } = request
      const body = Buffer.concat(chunks)
      const signature = createHmac('sha256', SECRET).update(body).digest('hex')
      const valid = headers['x-service-signature'] === signature
      const one = { method, path, headers, rawHeaders, body, valid }
      received.push(one)
      answer(response, one)
    })
  })
  return {
    url: `${url}/hook`,
    received,
    bodies: () => received.map(({ body }) => JSON.parse(body.toString()) as unknown),
  }
}
