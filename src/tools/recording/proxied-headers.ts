import type { Dispatcher } from 'undici'
import { connectionHeaders } from '../../emulator/adapters/connection-headers.js'

/** Whether a URL is one of an origin. */
export function isBelow(url: string, origin: string): boolean {
  return url.startsWith(origin) && /^(?:[/?#]|$)/.test(url.slice(origin.length))
}

/** Raw headers of undici: names and values in turn. */
export function texts(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  if (!Array.isArray(raw)) return []
  return raw.map((each) => (typeof each === 'string' ? each : each.toString('latin1')))
}

/** Names in lower case, and equal ones joined. */
export function joined(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase()
    const value = raw[at + 1]!
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value
  }
  return headers
}

/** Raw headers without those of one connection, and without those named. */
export function endToEnd(raw: readonly string[], without: readonly string[]): string[] {
  const framing = ['expect', 'transfer-encoding']
  const dropped = connectionHeaders(joined(raw).connection, [...framing, ...without])
  const passed: string[] = []
  for (let at = 0; at < raw.length; at += 2) {
    if (!dropped.has(raw[at]!.toLowerCase())) passed.push(raw[at]!, raw[at + 1]!)
  }
  return passed
}
