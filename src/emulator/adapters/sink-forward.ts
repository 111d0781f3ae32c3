import { loginOf, withoutLogin } from '../../base/text/authority.js'
import { secretsInUrl } from '../../base/text/redaction/credentials.js'
import { Redactor } from '../../base/text/redaction/redact.js'
import type { ApiRequest, Outcome } from '../../service/contract/exchange.js'
import { connectionHeaders, OF_NEXT_CONNECTION } from './connection-headers.js'

/**
 * Creates a function that passes deliveries on to another receiver, byte for byte, and returns its answers as they are.
 *
 * @param url May have a user and a password: the receiver gets them as `Authorization`, unless the delivery has its own.
 */
export function forwardTo(url: string): (request: ApiRequest) => Promise<Outcome> {
  const redactor = new Redactor({ secrets: secretsInUrl(url) })
  const address = withoutLogin(url)
  const authorization = loginOf(new URL(url))
  return async ({ method, headers, body }) => {
    if (body === 'too-large') return failed('the body is too large')
    const dropped = connectionHeaders(headers.connection, OF_NEXT_CONNECTION)
    const forwarded = Object.entries<string | undefined>({ authorization, ...headers }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !dropped.has(entry[0]),
    )
    const bodiless = method === 'GET' || method === 'HEAD'
    try {
      // The global fetch of this moment, so that a mock that was installed later sees the call.
      const response = await globalThis.fetch(address, {
        method,
        headers: forwarded,
        redirect: 'manual',
        ...(!bodiless && { body: body as BodyInit }),
      })
      return await answerOf(response)
    } catch (error) {
      const { cause, message } = error as Error
      // An error may repeat the whole address.
      return failed(redactor.redact(cause instanceof Error ? cause.message : message))
    }
  }
}

/** Returns the answer in its own bytes, which need not be text in UTF-8. */
async function answerOf(response: Response): Promise<Outcome> {
  const body = new Uint8Array(await response.arrayBuffer())
  // The body was decoded as it was read.
  const changed = [...OF_NEXT_CONNECTION, 'content-encoding']
  const dropped = connectionHeaders(response.headers.get('connection') ?? undefined, changed)
  const headers = [...response.headers].filter(([name]) => !dropped.has(name))
  return {
    kind: 'stream',
    status: response.status,
    headers: { ...Object.fromEntries(headers), 'content-length': String(body.length) },
    chunks: body.length === 0 ? [] : [body],
  }
}

function failed(why: string): Outcome {
  const error = `The delivery was recorded, but could not be forwarded: ${why}`
  const headers = { 'content-type': 'application/json' }
  return { kind: 'response', status: 502, headers, body: JSON.stringify({ error }), reason: why }
}
