import { distance } from 'fastest-levenshtein'
import type { Operation } from './operation.js'

export type Match =
  | { kind: 'found'; operation: Operation; params: Readonly<Record<string, string>> }
  /** The path exists, with a slash more or less. */
  | { kind: 'redirect'; path: string }
  | { kind: 'wrong-method'; allow: string }
  | { kind: 'unknown'; nearest: string }

interface Route {
  operation: Operation
  segments: readonly string[]
}

/** Finds the row for a request. Paths are matched once, here, for every transport. */
export class Router {
  readonly #bySegments = new Map<number, Route[]>()
  readonly #operations: readonly Operation[]

  constructor(operations: readonly Operation[]) {
    this.#operations = operations
    for (const operation of operations) {
      const segments = operation.path.split('/')
      const sharing = this.#bySegments.get(segments.length)
      if (sharing) sharing.push({ operation, segments })
      else this.#bySegments.set(segments.length, [{ operation, segments }])
    }
  }

  /** `path` may hold percent-escapes; broken ones are taken as they stand. */
  match(method: string, path: string): Match {
    const segments = decodePath(path).split('/')
    const routes = this.#routesFor(segments)
    const route = routes.find(({ operation }) => operation.method === method)
    if (route) {
      const { operation } = route
      return { kind: 'found', operation, params: paramsOf(route.segments, segments) }
    }
    if (routes.length > 0) {
      const allow = routes.map(({ operation }) => operation.method).sort()
      return { kind: 'wrong-method', allow: allow.join(', ') }
    }
    // The real framework redirects to the spelling that exists, whatever the method.
    const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`
    if (this.#routesFor(decodePath(other).split('/')).length > 0) {
      return { kind: 'redirect', path: other }
    }
    return { kind: 'unknown', nearest: this.#nearest(`${method} ${path}`) }
  }

  #routesFor(segments: readonly string[]): Route[] {
    const candidates = this.#bySegments.get(segments.length) ?? []
    return candidates.filter((route) => fits(route.segments, segments))
  }

  #nearest(asked: string): string {
    const names = this.#operations.map(({ method, path }) => `${method} ${path}`)
    return names.reduce((best, name) =>
      distance(asked, name) < distance(asked, best) ? name : best,
    )
  }
}

// As the server that the real framework runs on: the whole path is decoded before it is routed.
function decodePath(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return pattern.every((part, index) =>
    part.startsWith('{') ? segments[index] !== '' : part === segments[index],
  )
}

function paramsOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {}
  pattern.forEach((part, index) => {
    if (part.startsWith('{')) params[part.slice(1, -1)] = segments[index]!
  })
  return params
}
