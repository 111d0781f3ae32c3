import { MAP_METHODS, TEXT_METHODS } from './methods.js'
import * as py from './python.js'
import type { Value } from './python.js'
import { print } from './write.js'

/** Names that maps have in Python and lack here. */
const LACKING = 'clear copy fromkeys pop popitem setdefault update'.split(' ')

/** `value.name`: the method, or else the part with that key. */
export function getAttribute(value: Value, name: string): Value {
  if (value === undefined) return py.fail(`a value that has "${name}"`, value)
  if (value instanceof py.Namespace) return value.all.get(name)
  const isMap = value instanceof Map
  const methods = isMap ? MAP_METHODS : TEXT_METHODS
  if ((isMap || typeof value === 'string') && Object.hasOwn(methods, name)) {
    return ({ listed, named }) => methods[name]!({ listed: [value, ...listed], named })
  }
  const isKnown = isMap ? !LACKING.includes(name) : value === null
  if (!isKnown) return py.raise(`no attribute "${name}" of such a value is supported`)
  return isMap ? value.get(name) : undefined
}

/** `value[key]`: the part with that key, or else the method. */
export function getItem(value: Value, key: Value): Value {
  if (value instanceof Map) {
    if (typeof key === 'boolean' || typeof key === 'number') return py.fail('another key', key)
    if (value.has(key)) return value.get(key)
  }
  if (value === undefined) return py.fail('a value with parts', value)
  if (typeof key === 'string') return getAttribute(value, key)
  if (value instanceof py.View) return py.fail('a list', value)
  const parts = typeof value === 'string' ? Array.from(value) : value
  const isIndex = typeof key === 'bigint' || typeof key === 'boolean'
  return Array.isArray(parts) && isIndex ? parts.at(Number(key)) : undefined
}

/** `value[start:stop:step]`. */
export function getSlice(value: Value, bounds: readonly Value[]): Value {
  const parts = typeof value === 'string' ? Array.from(value) : value
  if (!Array.isArray(parts) || value instanceof py.View) return py.fail('a text or a list', value)
  const [start, stop, step] = bounds.map((bound) => {
    return bound === undefined || bound === null ? undefined : py.integerOf(bound)
  })
  const taken = indexesIn(parts.length, start, stop, step).map((at) => parts[at]!)
  if (typeof value === 'string') return taken.map(print).join('')
  return value instanceof py.Tuple ? py.Tuple.from(taken) : taken
}

/** The places that a slice takes, as `slice.indices` of Python finds them. */
function indexesIn(length: number, start?: number, stop?: number, step = 1): number[] {
  if (step === 0) return py.raise('a slice needs a step other than 0')
  // Backwards, a slice ends before the first place.
  const [least, most] = step > 0 ? [0, length] : [-1, length - 1]
  const [from, to] = step > 0 ? [least, most] : [most, least]
  const placeOf = (at: number | undefined, absent: number): number => {
    return at === undefined ? absent : Math.min(Math.max(at < 0 ? at + length : at, least), most)
  }
  const [first, end] = [placeOf(start, from), placeOf(stop, to)]
  const count = Math.max(0, Math.ceil((end - first) / step))
  return Array.from({ length: count }, (_, index) => first + index * step)
}
