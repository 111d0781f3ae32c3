import type { Outcome } from '../../service/contract/exchange.js'
import type { ReceivedDelivery } from './received-delivery.js'

export const PROBE_NOTE =
  'This is a webhook sink. It records POST requests at any path; this request was not recorded.'

/** The response body. It says what is wrong, for the log of the sender. */
export function acknowledgement({ id, verdict, diagnosis, problems }: ReceivedDelivery): unknown {
  const others = problems.length === 0 ? undefined : problems
  return { id, verdict, diagnosis: diagnosis?.text, problems: others }
}

export function responseOf(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Outcome {
  const isText = typeof body === 'string'
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json'
  return {
    kind: 'response',
    status,
    headers: {
      'content-type': type,
      ...Object.fromEntries(
        Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text]),
      ),
    },
    body: isText ? body : JSON.stringify(body),
  }
}
