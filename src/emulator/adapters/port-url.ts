import type { Host } from '../../service/contract/exchange.js'

/** The two ports of an emulator. */
export interface BoundPorts {
  /** The address that is bound. */
  readonly host: string
  /** The port of the training API. */
  readonly port: number
  /** The port of the inference API. */
  readonly inferencePort: number
}

/** The origins of bound ports, for clients on this machine. */
export function urlsOf({ host, port, inferencePort }: BoundPorts): Record<Host, string> {
  const name = callableHost(host)
  return { training: `http://${name}:${port}`, inference: `http://${name}:${inferencePort}` }
}

/** The origin of a bound port, for clients on this machine. */
export function urlOf({ host, port }: { host: string; port: number }): string {
  return `http://${callableHost(host)}:${port}`
}

/** Replaces a wildcard address, which can't be called, and puts IPv6 addresses in brackets. */
function callableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
