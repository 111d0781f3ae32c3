import { createHmac } from 'node:crypto'

export const secret = 's3cret'

interface Sent {
  method: 'POST'
  headers: Record<string, string>
  body: string
}

/** A signed delivery, as the service sends it. */
export function signed(payload: unknown, headers: Record<string, string> = {}): Sent {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-signature': signature, ...headers },
    body,
  }
}
