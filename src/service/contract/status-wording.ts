import { ApiError } from './errors.js'
import type { Host } from './exchange.js'

/**
 * The default message of each host for a status. The inference host uses the messages of its documentation: see
 * docs/explain/contract.md#the-inference-host. The training host uses those of its framework: the names of the statuses.
 */
const wording: Readonly<Record<Host, Readonly<Record<number, string>>>> = {
  training: {
    400: 'Bad Request',
    401: 'Not authenticated',
    402: 'Payment Required',
    403: 'Forbidden',
    404: 'Not Found',
    405: 'Method Not Allowed',
    408: 'Request Timeout',
    409: 'Conflict',
    410: 'Gone',
    413: 'Request Entity Too Large',
    415: 'Unsupported Media Type',
    429: 'Too Many Requests',
    500: 'Internal Server Error',
    501: 'Not Implemented',
    502: 'Bad Gateway',
    503: 'Service Unavailable',
    504: 'Gateway Timeout',
    524: 'A timeout occurred',
  },
  inference: {
    400: 'The request is invalid',
    401: 'Authentication failed',
    402: 'You exceeded your current quota, please check your plan and billing details',
    403: 'Country, region, or territory not supported',
    404: 'The requested resource was not found',
    429: 'Concurrency limit reached for requests',
    500: 'The server had an error while processing your request',
    503: 'The engine is currently overloaded, please try again later',
  },
}

interface RefusalOptions {
  message?: string | undefined
  headers?: Record<string, string>
  /** Whether the body is `{"error": {…}}`. Default: only on the inference host. */
  envelope?: boolean
  /** Whether the body has the form of GraphQL. Default: false. */
  isGraphql?: boolean
}

/** Makes a refusal of the chat layer. On both hosts it has the form of the inference host. */
export function chatRefusal(status: number, options: RefusalOptions = {}): ApiError {
  return refusalWith(status, 'inference', { ...options, envelope: true })
}

/** Returns the default message of a host for a status. */
export function meaningOf(status: number, host: Host): string {
  return wording[host][status] ?? wording.training[status] ?? 'Error'
}

/** Makes a refusal in the form of a host. By default with the message of the host for the status. */
export function refusalWith(
  status: number,
  host: Host,
  { message, headers = {}, envelope = host === 'inference', isGraphql }: RefusalOptions = {},
): ApiError {
  return new ApiError(status, message ?? meaningOf(status, host), {
    envelope,
    ...(isGraphql && { isGraphql }),
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
