import { useCallback, useLayoutEffect, useState } from 'preact/hooks'

export type Route =
  | { page: 'job'; id: string }
  | { page: 'delivery'; id: string }
  | { page: 'request'; id: string }
  /** The id is the path of the run: `team/verse/poem`. */
  | { page: 'run'; id: string }
  /** The id is the path of the version: `team/verse/rows:v0`. */
  | { page: 'artifact'; id: string }
  | { page: ListedPage }

/** A page that the list of pages links to. */
export type ListedPage = 'jobs' | (typeof PLAIN)[number]

export type Query = Readonly<Record<string, string>>

/** The link to a route: `#/jobs/0f3a…`, or `#/curves?metric=loss` with a query. */
export function hrefOf(route: Route, query: Query = {}): string {
  const search = new URLSearchParams(query).toString()
  return `#/${pathOf(route)}${search && `?${search}`}`
}

function pathOf(route: Route): string {
  if (route.page === 'job') return `jobs/${encodeURIComponent(route.id)}`
  if (route.page === 'delivery') return `deliveries/${encodeURIComponent(route.id)}`
  if (route.page === 'request') return `requests/${encodeURIComponent(route.id)}`
  if (route.page === 'run') return `runs/${encodeURIComponent(route.id)}`
  if (route.page === 'artifact') return `artifacts/${encodeURIComponent(route.id)}`
  return route.page
}

/** The route of a hash. Default: the jobs. */
export function routeOf(hash: string): Route {
  const [path = ''] = hash.replace(/^#\/?/, '').split('?')
  const [page, id = ''] = path.split('/')
  if (page === 'jobs' && id !== '') return { page: 'job', id: decoded(id) }
  if (page === 'deliveries' && id !== '') return { page: 'delivery', id: decoded(id) }
  if (page === 'requests' && id !== '') return { page: 'request', id: decoded(id) }
  if (page === 'runs' && id !== '') return { page: 'run', id: decoded(id) }
  if (page === 'artifacts' && id !== '') return { page: 'artifact', id: decoded(id) }
  if (isPlain(page)) return { page }
  return { page: 'jobs' }
}

const PLAIN = [
  'curves',
  'models',
  'runs',
  'artifacts',
  'lineage',
  'chat',
  'requests',
  'timeline',
  'deliveries',
  'sink',
  'agenda',
  'faults',
  'webhooks',
  'scenario',
] as const

function isPlain(page: string | undefined): page is (typeof PLAIN)[number] {
  return PLAIN.some((each) => each === page)
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  // An ordinary effect runs after a frame. It would miss a click that comes before it.
  useLayoutEffect(() => {
    const follow = (): void => setHash(location.hash)
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return routeOf(hash)
}

/** Fired when a component changed the query of the address. */
const QUERY_CHANGED = 'svtrain-query'

/** Stands for the whole query. */
const ALL = ''

/**
 * A value in the query of the address, so that a reload, Back and a copied link show the same. The default
 * is not in the address. The entry of the history is replaced: Back leaves the page.
 */
export function useQuery(name: string, initial = ''): [string, (value: string) => void] {
  const read = (): string => {
    const query = queryOf(location.hash)
    return name === ALL ? query.toString() : (query.get(name) ?? initial)
  }
  const [value, setValue] = useState(read)
  useLayoutEffect(() => {
    const follow = (): void => setValue(read())
    follow()
    const names = ['hashchange', QUERY_CHANGED]
    for (const each of names) addEventListener(each, follow)
    return () => {
      for (const each of names) removeEventListener(each, follow)
    }
  }, [name, initial])
  const change = useCallback(
    (next: string) => changeQuery(name, next === initial ? undefined : next),
    [name, initial],
  )
  return [value, change]
}

/** Several values in the query of the address. The default of each is an empty text. */
export function useQueries(
  names: readonly string[],
): [Readonly<Record<string, string>>, (values: Readonly<Record<string, string>>) => void] {
  const [all] = useQuery(ALL)
  const query = new URLSearchParams(all)
  const change = (values: Readonly<Record<string, string>>): void => {
    for (const [name, value] of Object.entries(values)) changeQuery(name, value || undefined)
  }
  return [Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])), change]
}

/** A value in the query of the address that is one of these. The default is the first one. */
export function useChoice<T extends string>(
  name: string,
  values: readonly T[],
): [T, (value: T) => void] {
  const [first] = values as readonly [T]
  const [written, change] = useQuery(name, first)
  return [values.find((each) => each === written) ?? first, change]
}

/** Whether the detail with that id is open. Open details are in the address. */
export function useOpen(id: string): [boolean, () => void] {
  const [open] = useQuery('open')
  const ids = open.split(',').filter(Boolean)
  const isOpen = ids.includes(id)
  const toggle = (): void => {
    const next = isOpen ? ids.filter((each) => each !== id) : [...ids, id]
    changeQuery('open', next.length === 0 ? undefined : next.join(','))
  }
  return [isOpen, toggle]
}

function queryOf(hash: string): URLSearchParams {
  return new URLSearchParams(hash.split('?').slice(1).join('?'))
}

function changeQuery(name: string, value: string | undefined): void {
  const query = queryOf(location.hash)
  if (value === undefined) query.delete(name)
  else query.set(name, value)
  const href = hrefOf(routeOf(location.hash), Object.fromEntries(query))
  if (href === location.hash) return
  history.replaceState(history.state, '', href)
  dispatchEvent(new Event(QUERY_CHANGED))
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}
