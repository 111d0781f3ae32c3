import { DOCUMENTED_ADDRESSES } from '../../base/text/vendor/hosts.js'
import type { Host } from '../../service/contract/exchange.js'
import { fieldsOf, hostsOf, type Fields } from './exchanges.js'

/** What a call of a file was made to. */
export interface Place {
  readonly origin: string
  readonly method: string
  /** The part of the address below the base URL. An address without one is that of something else. */
  readonly path: string
  readonly query: string
  /** The APIs that have such a call. */
  readonly hosts: readonly Host[]
}

/** Returns where the call of an entry went. */
export function calledPlace({ request }: Fields): Place {
  const { method: given, url } = fieldsOf(request)
  const method = String(given)
  const { origin, pathname, search } = new URL(String(url))
  const to = { origin, method, query: search.slice(1) }
  for (const { index } of pathname.matchAll(/\/v1(?=\/)/g)) {
    const path = pathname.slice(index + '/v1'.length)
    const hosts = hostsOf(method, path)
    if (hosts.length > 0) return { ...to, path, hosts }
  }
  return { ...to, path: `${origin}${pathname}`, hosts: [] }
}

/**
 * The origins of the inference API: those whose calls it has, beside others with calls that only the training API has.
 * The path of a chat alone does not tell them apart.
 */
export function inferenceOrigins(places: readonly Place[]): ReadonlySet<string> {
  const calls = places.filter(({ hosts }) => hosts.length > 0)
  const ofTraining = new Set(
    calls.filter(({ hosts }) => !hosts.includes('inference')).map(({ origin }) => origin),
  )
  const others = calls.map(({ origin }) => origin).filter((origin) => !ofTraining.has(origin))
  const known = DOCUMENTED_ADDRESSES.filter(({ api }) => api === 'inference')
  return new Set([
    ...known.map(({ url }) => new URL(url).origin),
    ...(ofTraining.size > 0 ? others : []),
  ])
}
