import { countsOf } from '../../base/text/counted.js'
import { mostSimilar, nearest } from '../../base/text/nearest.js'
import type { Operation } from './operation.js'

export type Match =
  | { kind: 'found'; operation: Operation; params: Readonly<Record<string, string>> }
  /** The path exists with other slashes at its end. `path` is that one, decoded. */
  | { kind: 'redirect'; path: string }
  /** The methods of the path, in the order of the rows. `nearest` names a row that was probably misspelled. */
  | { kind: 'wrong-method'; methods: readonly string[]; nearest?: () => string | undefined }
  /** `nearest` names a similar row. It is slow, so it is called only to explain an answer. */
  | { kind: 'unknown'; nearest?: () => string }

/** Why no row matched. */
export type MismatchReason = Exclude<Match, { kind: 'found' }>

interface Route {
  operation: Operation
  /** The segments that are texts, by index. */
  texts: readonly Segment[]
  /** The segments that are parameters, by index. */
  params: readonly Segment[]
}

interface Segment {
  index: number
  /** The text, or the name of the parameter. */
  name: string
}

/** Finds the row for a request. This is the only place that matches paths, for all transports. */
export class Router {
  /** Rows without a parameter, by path. */
  readonly #fixed = new Map<string, Route[]>()
  /** Rows with a parameter, by number of segments. */
  readonly #bySegments = new Map<number, Route[]>()
  /** The rows as `GET /v1/preview/models`. */
  readonly #names: readonly string[]

  constructor(operations: readonly Operation[]) {
    this.#names = operations.map(({ method, path }) => `${method} ${path}`)
    for (const operation of operations) {
      const { path } = operation
      const segments = path.split('/')
      const route = { operation, ...partsOf(segments) }
      if (route.params.length > 0) add(this.#bySegments, segments.length, route)
      else add(this.#fixed, path, route)
    }
  }

  /** `path` may contain percent-escapes. A broken one stays as it is. */
  match(method: string, path: string): Match {
    const decoded = decodePath(path)
    const segments = decoded.split('/')
    for (const route of this.#candidatesFor(decoded, segments)) {
      if (route.operation.method !== method || !matches(route, segments)) continue
      return { kind: 'found', operation: route.operation, params: valuesOf(route.params, segments) }
    }
    const routes = this.#routesFor(decoded)
    if (routes.length > 0) {
      const methods = routes.map(({ operation }) => operation.method)
      return { kind: 'wrong-method', methods, nearest: () => this.#misspelled(method, decoded) }
    }
    // The framework redirects to the existing spelling, for any method. It removes all slashes at the end.
    const other = decoded.endsWith('/') ? withoutSlashes(decoded) : `${decoded}/`
    if (this.#routesFor(other).length > 0) return { kind: 'redirect', path: other }
    return { kind: 'unknown', nearest: () => this.#nearestTo(method, segments) }
  }

  /** Parameters of a row can be anything, so they are as in the request, counted from either end of the path. */
  #nearestTo(method: string, segments: readonly string[]): string {
    const filled = this.#names.flatMap((name) => {
      const parts = name.split('/')
      return [0, segments.length - parts.length].map((shift) => {
        const same = parts.map((part, at) => (part.startsWith('{') ? segments[at + shift] : part))
        return [same.join('/'), name] as const
      })
    })
    const names = new Map(filled)
    const written = `${method} ${segments.join('/')}`
    // A path that lacks a word, such as `sft-jobs`, has fewer letters of the right one than of a short one.
    const longer = this.#names.filter((name) => !name.includes('{') && hasWordsOf(written, name))
    return names.get(mostSimilar(written, longer.length > 0 ? longer : [...names.keys()]))!
  }

  /** The row of a method whose last word is similar: another row took it for a parameter. */
  #misspelled(method: string, path: string): string | undefined {
    const [, folder = '', last = ''] = /^(.*\/)([^/]*)$/.exec(path) ?? []
    const before = `${method} ${folder}`
    const words = this.#names.flatMap((name) => {
      const word = name.startsWith(before) ? name.slice(before.length) : ''
      return /^[\w-]+$/.test(word) ? word : []
    })
    const meant = nearest(last, words)
    return meant === undefined ? undefined : before + meant
  }

  #routesFor(path: string): readonly Route[] {
    const segments = path.split('/')
    return this.#candidatesFor(path, segments).filter((route) => matches(route, segments))
  }

  /** The only routes that may match. */
  #candidatesFor(path: string, segments: readonly string[]): readonly Route[] {
    const fixed = this.#fixed.get(path)
    if (fixed) return fixed
    // The patterns of the framework end with `$`, which also matches before a line feed.
    if (path.endsWith('\n')) {
      const shorter = this.#fixed.get(path.slice(0, -1))
      if (shorter) return shorter
    }
    return this.#bySegments.get(segments.length) ?? []
  }
}

function hasWordsOf(written: string, name: string): boolean {
  const words = new Set(name.split(/[\W_]+/))
  return written.split(/[\W_]+/).every((word) => words.has(word))
}

/**
 * Decodes the whole path before it is routed, as the server of the framework does. A broken escape stays as it is.
 * Bytes that are not UTF-8 become replacement characters.
 */
function decodePath(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, (escapes) => {
      const bytes = escapes.slice(1).split('%')
      return utf8.decode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)))
    })
  }
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

function withoutSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}

/** Writes a decoded path as the framework writes it in a `Location`. */
export function encodePath(path: string): string {
  return quote(path.replaceAll(/[?#\\]/g, (character) => encodeURIComponent(character)))
}

/** Escapes what the framework escapes in a `Location`: all but letters, digits and these signs. */
export function quote(text: string): string {
  const printable = text.replaceAll(/[\ud800-\udfff]/gu, '\ufffd')
  return printable.replaceAll(/[^\w.~:/%#?=@[\]!$&'()*+,;-]+/g, encodeURIComponent)
}

function add<K>(routes: Map<K, Route[]>, key: K, route: Route): void {
  const sharing = routes.get(key)
  if (sharing) sharing.push(route)
  else routes.set(key, [route])
}

function partsOf(segments: readonly string[]): Pick<Route, 'texts' | 'params'> {
  const all = segments.map((name, index) => ({ index, name }))
  const isParam = ({ name }: Segment): boolean => name.startsWith('{')
  return {
    texts: all.filter((segment) => !isParam(segment)),
    params: all.filter(isParam).map(({ index, name }) => ({ index, name: name.slice(1, -1) })),
  }
}

function matches({ texts, params }: Route, segments: readonly string[]): boolean {
  const last = segments.length - 1
  for (const { index, name } of texts) {
    const segment = segments[index]
    if (segment !== name && (index !== last || segment !== `${name}\n`)) return false
  }
  return params.every(({ index }) => segments[index] !== '')
}

function valuesOf(params: readonly Segment[], segments: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {}
  for (const { index, name } of params) values[name] = segments[index]!
  return values
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
  const counts = countsOf([...new URLSearchParams(query).keys()])
  return [...counts].flatMap(([name, count]) => (count > 1 ? name : []))
}

const NONE: Readonly<Record<string, string>> = Object.freeze({})
