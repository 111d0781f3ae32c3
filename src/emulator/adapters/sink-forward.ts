import { secretsInUrl } from '../../base/text/redaction/credentials.js'
import { Redactor } from '../../base/text/redaction/redact.js'
import type { ApiRequest, Outcome } from '../../service/contract/exchange.js'
import { connectionHeaders, OF_NEXT_CONNECTION } from './connection-headers.js'

/** Creates a function that passes deliveries on to another receiver, byte for byte, and returns its answers. */
export function forwardTo(url: string): (request: ApiRequest) => Promise<Outcome> {
  const redactor = new Redactor({ secrets: secretsInUrl(url) })
  return async ({ method, headers, body }) => {
    if (body === 'too-large') return failed('the body is too large')
    const dropped = connectionHeaders(headers.connection, OF_NEXT_CONNECTION)
    const forwarded = Object.entries(headers).filter((entry): entry is [string, string] => {
      return entry[1] !== undefined && !dropped.has(entry[0])
    })
    const bodiless = method === 'GET' || method === 'HEAD'
    try {
      // The global fetch of this moment, so that a mock that was installed later sees the call.
      const response = await globalThis.fetch(url, {
        method,
        headers: forwarded,
        redirect: 'manual',
        ...(!bodiless && { body: body as BodyInit }),
      })
      const type = response.headers.get('content-type') ?? 'application/octet-stream'
      const { status } = response
      return {
        kind: 'response',
        status,
        headers: { 'content-type': type },
        body: await response.text(),
      }
    } catch (error) {
      const { cause, message } = error as Error
      // An error may repeat the whole address.
      return failed(redactor.redact(cause instanceof Error ? cause.message : message))
    }
  }
}

function failed(why: string): Outcome {
  const error = `The delivery was recorded, but could not be forwarded: ${why}`
  const headers = { 'content-type': 'application/json' }
  return { kind: 'response', status: 502, headers, body: JSON.stringify({ error }), reason: why }
}
