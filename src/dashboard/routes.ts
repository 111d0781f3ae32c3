import { useEffect, useState } from 'preact/hooks'

export type Route =
  | { page: 'jobs' }
  | { page: 'job'; id: string }
  | { page: 'deliveries' }
  | { page: 'delivery'; id: string }
  | { page: 'sink' }
  | { page: 'requests' }
  | { page: 'scenario' }

/** The link to a route: `#/jobs/0f3a…`. */
export function hrefOf(route: Route): string {
  if (route.page === 'job') return `#/jobs/${encodeURIComponent(route.id)}`
  if (route.page === 'delivery') return `#/deliveries/${encodeURIComponent(route.id)}`
  return `#/${route.page}`
}

/** The route of a hash. Default: the jobs. */
export function routeOf(hash: string): Route {
  const [page, id = ''] = hash.replace(/^#\/?/, '').split('/')
  if (page === 'jobs' && id !== '') return { page: 'job', id: decoded(id) }
  if (page === 'deliveries' && id !== '') return { page: 'delivery', id: decoded(id) }
  if (isPlain(page)) return { page }
  return { page: 'jobs' }
}

const PLAIN = ['deliveries', 'sink', 'requests', 'scenario'] as const

function isPlain(page: string | undefined): page is (typeof PLAIN)[number] {
  return PLAIN.some((each) => each === page)
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const follow = (): void => setHash(location.hash)
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return routeOf(hash)
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}
