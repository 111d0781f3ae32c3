import { decodedPart } from './redaction/readings.js'

/** Returns the part of a JSON value that a pointer such as `/$defs/name` leads to. Undefined if there is none. */
export function partAt(whole: unknown, pointer: string): unknown {
  return namesIn(pointer).reduce<unknown>(partOf, whole)
}

/** Returns the names in a pointer: `$defs` and `a/b` for `/$defs/a~1b`. Escapes of a URL count as well. */
export function namesIn(pointer: string): string[] {
  const [, ...names] = pointer.split('/')
  return names.map((name) => decodedPart(name).replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Returns a field of an object, or an item of a list. Undefined if there is none. */
export function partOf(value: unknown, name: string): unknown {
  const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
  return isThere ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}
