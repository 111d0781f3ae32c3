import type { Api, Host } from './exchange.js'

/**
 * What each host says about a status. The inference host uses the messages of its documentation: see
 * docs/explain/contract.md#the-inference-host. The training host uses those of its framework, which are the names of the
 * statuses but for 401, and for 524, which is no status of HTTP.
 */
const messages: Readonly<Record<Host, Readonly<Record<number, string>>>> = {
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

/** Returns the default message of a host for a status. */
export function defaultMessage(status: number, host: Api): string {
  const own = host === 'inference' ? messages.inference : messages.training
  return own[status] ?? messages.training[status] ?? 'Error'
}
