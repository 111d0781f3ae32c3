import type { Host } from '../contract/exchange.js'
import type { Listening } from './listen.js'

/** The origins under which bound ports are called from this machine. */
export function urlsOf({ host, port, inferencePort }: Listening): Record<Host, string> {
  const name = callable(host)
  return { training: `http://${name}:${port}`, inference: `http://${name}:${inferencePort}` }
}

/** A wildcard address cannot be called; IPv6 addresses stand in brackets. */
function callable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
