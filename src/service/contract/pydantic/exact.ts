/**
 * A float of a JSON text whose value is a whole number: `1.0`, `1e300`, `-0.0`. Python keeps it apart from an
 * integer. Only an exact reading has it: see docs/explain/contract.md#exact-values.
 */
export class WholeFloat {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

const KEYS = Symbol('keys')

/** Gives an object, whose keys came in this order, an order of its own if it needs one. */
export function keepOrder(record: object, keys: readonly string[]): void {
  if (keys.some(isMoved)) Object.defineProperty(record, KEYS, { value: [...new Set(keys)] })
}

/** Whether JavaScript may move the key to the front of an object: it begins with a digit. */
function isMoved(key: string): boolean {
  const code = key.charCodeAt(0)
  return code >= 0x30 && code <= 0x39
}

/** Returns the keys of an object in the order of its JSON text, as far as it is known. */
export function keysOf(record: object): readonly string[] {
  return (record as { [KEYS]?: readonly string[] })[KEYS] ?? Object.keys(record)
}

/**
 * Turns exact values into the values that `JSON.parse` gives. Integers and floats become numbers, and the order of
 * keys is lost.
 */
export function plainOf(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof WholeFloat) return value.value
  if (Array.isArray(value)) return value.map(plainOf)
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plainOf(part)]))
}
