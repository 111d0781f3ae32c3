import { mostSimilar } from '../text/nearest.js'
import type { Operation } from './operation.js'

export type Match =
  | { kind: 'found'; operation: Operation; params: Readonly<Record<string, string>> }
  /** The path exists with one slash more or less at its end. */
  | { kind: 'redirect'; path: string }
  | { kind: 'wrong-method'; allow: string }
  | { kind: 'unknown'; nearest?: string }

/** Why no row matched. */
export type Unmatched = Exclude<Match, { kind: 'found' }>

interface Route {
  operation: Operation
  segments: readonly string[]
}

/** Finds the row for a request. This is the only place that matches paths, for all transports. */
export class Router {
  /** Rows without a parameter, by path. */
  readonly #fixed = new Map<string, Route[]>()
  /** Rows with a parameter, by number of segments. */
  readonly #bySegments = new Map<number, Route[]>()
  readonly #operations: readonly Operation[]

  constructor(operations: readonly Operation[]) {
    this.#operations = operations
    for (const operation of operations) {
      const { path } = operation
      const route = { operation, segments: path.split('/') }
      if (path.includes('{')) add(this.#bySegments, route.segments.length, route)
      else add(this.#fixed, path, route)
    }
  }

  /** `path` may contain percent-escapes. A path with a broken one is not decoded. */
  match(method: string, path: string): Match {
    const decoded = decodePath(path)
    const routes = this.#routesFor(decoded)
    for (const { operation, segments } of routes) {
      if (operation.method !== method) continue
      return { kind: 'found', operation, params: paramsOf(segments, decoded) }
    }
    if (routes.length > 0) {
      const allow = routes.map(({ operation }) => operation.method).sort()
      return { kind: 'wrong-method', allow: allow.join(', ') }
    }
    // The real framework redirects to the existing spelling for any method.
    const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`
    if (this.#routesFor(decodePath(other)).length > 0) return { kind: 'redirect', path: other }
    return { kind: 'unknown', nearest: this.#nearest(`${method} ${path}`) }
  }

  #routesFor(path: string): readonly Route[] {
    const fixed = this.#fixed.get(path)
    if (fixed) return fixed
    const segments = path.split('/')
    return this.#bySegments.get(segments.length)?.filter((route) => fits(route, segments)) ?? []
  }

  #nearest(request: string): string {
    const names = this.#operations.map(({ method, path }) => `${method} ${path}`)
    return mostSimilar(request, names)
  }
}

// The real framework's server also decodes the whole path before it is routed.
function decodePath(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function add<K>(routes: Map<K, Route[]>, key: K, route: Route): void {
  const sharing = routes.get(key)
  if (sharing) sharing.push(route)
  else routes.set(key, [route])
}

function fits(route: Route, segments: readonly string[]): boolean {
  return route.segments.every((part, index) =>
    part.startsWith('{') ? segments[index] !== '' : part === segments[index],
  )
}

function paramsOf(pattern: readonly string[], path: string): Record<string, string> {
  const params: Record<string, string> = {}
  if (!pattern.some((part) => part.startsWith('{'))) return params
  path.split('/').forEach((segment, index) => {
    const part = pattern[index]!
    if (part.startsWith('{')) params[part.slice(1, -1)] = segment
  })
  return params
}

/** A query string as a record. The last value of a repeated key counts, as in the real framework. */
export function lastOfEach(query: string): Readonly<Record<string, string>> {
  if (query === '') return NONE
  const values: Record<string, string> = Object.create(null)
  for (const [key, value] of new URLSearchParams(query)) values[key] = value
  return values
}

/** The keys that a query string repeats. */
export function repeatedIn(query: string): string[] {
  const names = [...new URLSearchParams(query).keys()]
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))]
}

const NONE: Readonly<Record<string, string>> = Object.freeze({})
