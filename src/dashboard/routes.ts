import { useCallback, useLayoutEffect, useMemo, useState } from 'preact/hooks'

/** The pages of one record, with the page of all of them. The id of a run and an artifact is its path. */
const LISTS = {
  job: 'jobs',
  delivery: 'deliveries',
  request: 'requests',
  run: 'runs',
  artifact: 'artifacts',
} as const

/** The list of pages. Each has its tabs, and the first one has its name. */
export const TABS = [
  ['jobs', 'curves'],
  ['models', 'runs', 'artifacts', 'lineage'],
  ['chat'],
  ['requests'],
  ['timeline', 'schedule'],
  ['webhooks', 'deliveries', 'sink', 'automations', 'secrets'],
  ['faults'],
  ['scenario'],
] as const

/** A page that the list of pages, or a tab, links to. */
export type ListedPage = (typeof TABS)[number][number]

/** A page of one record. */
export type PageOfOne = keyof typeof LISTS

export type Route = { page: PageOfOne; id: string } | { page: ListedPage }

export type Query = Readonly<Record<string, string>>

/** The page in the list that a route belongs to. */
export function listedOf(route: Route): ListedPage {
  return 'id' in route ? LISTS[route.page] : route.page
}

/** The link to a route: `#/jobs/0f3a…`, or `#/curves?metric=loss` with a query. */
export function hrefOf(route: Route, query: Query = {}): string {
  const search = new URLSearchParams(query).toString()
  const id = 'id' in route ? `/${encodeURIComponent(route.id)}` : ''
  return `#/${listedOf(route)}${id}${search && `?${search}`}`
}

/** The names that pages had before. */
const BEFORE = new Map<string, ListedPage>([['agenda', 'schedule']])

/** The route of a hash. Default: the jobs. */
export function routeOf(hash: string): Route {
  const [path = ''] = hash.replace(/^#\/?/, '').split('?')
  const [name = '', id = ''] = path.split('/')
  const page = BEFORE.get(name) ?? TABS.flat().find((each) => each === name) ?? 'jobs'
  const ofOne = (Object.keys(LISTS) as PageOfOne[]).find((each) => LISTS[each] === page)
  if (ofOne === undefined || id === '') return { page }
  return { page: ofOne, id: decoded(id) }
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

/** What `read` finds in the query of the address, now and after each change. */
function useQueryText(read: (query: URLSearchParams) => string, key: string): string {
  const readNow = (): string => read(queryOf(location.hash))
  const [text, setText] = useState(readNow)
  useLayoutEffect(() => {
    const follow = (): void => setText(readNow())
    follow()
    const names = ['hashchange', QUERY_CHANGED]
    for (const each of names) addEventListener(each, follow)
    return () => {
      for (const each of names) removeEventListener(each, follow)
    }
  }, [key])
  return text
}

/**
 * A value in the query of the address, so that a reload, Back and a copied link show the same. The default
 * is not in the address. The entry of the history is replaced: Back leaves the page.
 */
export function useQuery(name: string, initial = ''): [string, (value: string) => void] {
  const value = useQueryText((query) => query.get(name) ?? initial, `${name} ${initial}`)
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
  const query = new URLSearchParams(useQueryText(String, 'all'))
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

/**
 * Whether the detail with that id is open. What somebody opened is in the address, and with a minus what somebody closed
 * that is open at first: it stays closed when it would not be open at first any more.
 */
export function useOpen(id: string, isOpenAtFirst = false): [boolean, () => void] {
  const [open] = useQuery('open')
  const ids = open.split(',').filter(Boolean)
  // A name may have commas.
  const opened = id.replaceAll('%', '%25').replaceAll(',', '%2C')
  const closed = `-${opened}`
  const isOpen = ids.includes(opened) || (isOpenAtFirst && !ids.includes(closed))
  const toggle = (): void => {
    const next = ids.filter((each) => each !== opened && each !== closed)
    if (!isOpen) next.push(opened)
    else if (isOpenAtFirst) next.push(closed)
    changeQuery('open', next.length === 0 ? undefined : next.join(','))
  }
  return [isOpen, toggle]
}

/** The ids of the open details that begin with this. It is the same array until they change. */
export function useOpenIds(prefix: string): readonly string[] {
  const [open] = useQuery('open')
  const ids = open.split(',').filter((each) => each.startsWith(prefix))
  return useMemo(() => ids, [ids.join()])
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
