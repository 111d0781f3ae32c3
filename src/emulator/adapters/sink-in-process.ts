import type { ApiRequest, Outcome } from '../../service/contract/exchange.js'
import { beginning, type Answered, type DeliveryRequest } from '../../webhooks/sending/transport.js'
import { unlessAborted } from './fetch.js'
import { toResponse } from './fetch-response.js'

/** Hands a request to a receiver in this process. It rejects as the network does, also when it is aborted. */
export function handOver(
  request: DeliveryRequest,
  receive: (request: ApiRequest) => Outcome | Promise<Outcome>,
): Promise<Answered> {
  return unlessAborted(answerOf(request, receive), request)
}

async function answerOf(
  { url, headers, body }: DeliveryRequest,
  receive: (request: ApiRequest) => Outcome | Promise<Outcome>,
): Promise<Answered> {
  const { origin, pathname, search } = new URL(url)
  const outcome = await receive({
    method: 'POST',
    base: origin,
    path: pathname,
    query: search.slice(1),
    // Their names are in lower case, and in the order of the alphabet, as those of any request.
    headers: Object.fromEntries(new Headers(headers)),
    body,
  })
  if (outcome.kind !== 'response' && outcome.kind !== 'stream') {
    throw Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
  }
  const { status, body: answered } = toResponse(outcome, new Request(url, { method: 'POST' }))
  return { status, body: await beginning(answered) }
}
