import { ApiError } from './errors.js'
import type { Host } from './exchange.js'
import { defaultMessage } from './default-messages.js'

interface RefusalOptions extends Pick<ApiError['options'], 'headers' | 'form'> {
  message?: string | undefined
}

/** Makes a refusal of the chat layer. On both hosts it has the form of the inference host. */
export function chatRefusal(status: number, options: RefusalOptions = {}): ApiError {
  return refusalWith(status, 'inference', { ...options, form: 'envelope' })
}

/** Makes a refusal in the form of a host. By default with the message of the host for the status. */
export function refusalWith(
  status: number,
  host: Host,
  { message, headers = {}, form }: RefusalOptions = {},
): ApiError {
  return new ApiError(status, message ?? defaultMessage(status, host), {
    form,
    headers: { ...(status === 401 && { 'www-authenticate': 'Bearer' }), ...headers },
    // Observed: this is the only error whose code is a text.
    ...(status === 429 && { code: 'rate_limit_exceeded' }),
  })
}

/** Returns headers that say how long to wait: in whole seconds, rounded up, and in exact milliseconds. */
export function waitHeaders(wait: number | undefined): Record<string, string> {
  if (wait === undefined) return {}
  const exact = { 'retry-after-ms': String(Math.round(wait)) }
  return { 'retry-after': String(Math.ceil(wait / 1000)), ...(wait % 1000 !== 0 && exact) }
}
