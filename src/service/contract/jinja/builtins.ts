import { getItem } from './access.js'
import { callable, capitalized, itemsOf, TEXT_METHODS, type Table } from './methods.js'
import * as py from './python.js'
import type { Callable, Value } from './python.js'
import { COMPARISONS, OPERATORS } from './operators.js'
import { print, toJson } from './write.js'

const test = (fits: (value: Value) => boolean): Callable => callable('/value', fits)

const compared = (sign: string): Callable => callable('/value /other', COMPARISONS[sign]!)

/** The tests, each with the value before `is` as the first argument. */
export const TESTS: Table = {
  boolean: test((value) => typeof value === 'boolean'),
  defined: test((value) => value !== undefined),
  eq: compared('=='),
  equalto: compared('=='),
  even: test((value) => py.areEqual(OPERATORS['%']!(value, 2n), 0n)),
  false: test((value) => value === false),
  float: test((value) => typeof value === 'number'),
  ge: compared('>='),
  greaterthan: compared('>'),
  gt: compared('>'),
  in: compared('in'),
  integer: test((value) => typeof value === 'bigint'),
  iterable: test((value) => py.valuesOf(value) !== null),
  le: compared('<='),
  lessthan: compared('<'),
  lt: compared('<'),
  mapping: test((value) => value instanceof Map),
  ne: compared('!='),
  none: test((value) => value === null),
  number: test((value) => py.numberOf(value) !== undefined),
  odd: test((value) => py.areEqual(OPERATORS['%']!(value, 2n), 1n)),
  sequence: test((value) => {
    return value instanceof py.View ? py.fail('a list', value) : py.valuesOf(value) !== null
  }),
  string: test((value) => typeof value === 'string' || value instanceof py.Safe),
  true: test((value) => value === true),
  undefined: test((value) => value === undefined),
}

/** A method of texts as a filter, which first writes other values. */
const ofText = (method: string): Callable => {
  return ({ listed: [value, ...rest], named }) => {
    const text = value instanceof py.Safe ? value : print(value)
    return TEXT_METHODS[method]!({ listed: [text, ...rest], named })
  }
}

const count = callable('/value', (value) => {
  return value instanceof py.Once ? py.fail('a list', value) : BigInt([...py.iterate(value)].length)
})

const withDefault = callable('/value default_value? boolean?', (value, absent = '', alsoFalse) => {
  return value === undefined || (py.isTrue(alsoFalse) && !py.isTrue(value)) ? absent : value
})

const LINE_END = new RegExp(String.raw`\r\n|[\n\r\v\f\x1C-\x1E\x85\u2028\u2029]`)

/** The filters, each with the value before `|` as the first argument. */
export const FILTERS: Table = {
  capitalize: ofText('capitalize'),
  count,
  d: withDefault,
  default: withDefault,
  dictsort: callable('/value case_sensitive? by? reverse?', (value, exact, by = 'key', reverse) => {
    const place = PLACES.get(py.textOf(by)) ?? py.fail('key or value', by)
    const pairs = value instanceof Map ? itemsOf(value) : py.fail('a map', value)
    return sorted(pairs, exact, place, reverse)
  }),
  float: callable('/value default?', (value, absent = 0) => {
    const number = numberIn(value)
    return number === undefined ? absent : Number(number)
  }),
  first: callable('/value', (value) => [...py.iterate(value)][0]),
  indent: callable('/value width? first?', (value, width = 4n, first) => {
    const space = typeof width === 'string' ? width : spaces(width)
    const lines = py.textOf(value).split(LINE_END)
    const start = py.isTrue(first) ? space : ''
    return start + lines.map((line, at) => (at > 0 && line ? space + line : line)).join('\n')
  }),
  int: callable('/value default?', (value, absent = 0n) => {
    const number = numberIn(value) ?? absent
    if (typeof number !== 'number') return number
    return Number.isFinite(number) ? BigInt(Math.trunc(number)) : py.fail('a finite number', number)
  }),
  items: callable('/value', (value = new Map()) => {
    return value instanceof Map ? py.Once.from(itemsOf(value)) : py.fail('a map', value)
  }),
  join: callable('/value d? attribute?', (value, mark = '', attribute) => {
    return Array.from(py.iterate(value), keyFor(attribute, true)).map(print).join(print(mark))
  }),
  last: callable('/value', (value) => {
    return value instanceof py.Once ? py.fail('a list', value) : [...py.iterate(value)].at(-1)
  }),
  length: count,
  list: callable('/value', (value) => [...py.iterate(value)]),
  lower: ofText('lower'),
  map: ({ listed: [value, name, ...rest], named }) => {
    if (name !== undefined) {
      const filter = functionIn(FILTERS, name) ?? py.fail('the name of a filter', name)
      return py.Once.from(py.iterate(value), (each) => filter({ listed: [each, ...rest], named }))
    }
    const partOf = keyFor(named.get('attribute') ?? py.fail('an attribute', name), true)
    return py.Once.from(py.iterate(value), (each) => {
      const part = partOf(each)
      return part === undefined ? named.get('default') : part
    })
  },
  max: extreme(true),
  min: extreme(false),
  reject: selecting({ keep: false, byAttribute: false }),
  rejectattr: selecting({ keep: false, byAttribute: true }),
  replace: ofText('replace'),
  reverse: callable('/value', (value) => {
    const values = [...py.iterate(value)].reverse()
    return typeof value === 'string' ? values.map(print).join('') : py.Once.from(values)
  }),
  safe: callable('/value', (value) => py.Safe.from(print(value))),
  select: selecting({ keep: true, byAttribute: false }),
  selectattr: selecting({ keep: true, byAttribute: true }),
  sort: callable('/value reverse? case_sensitive? attribute?', (value, reverse, exact, by) => {
    return sorted(value, exact, by, reverse)
  }),
  string: callable('/value', (value) => (value instanceof py.Safe ? value : print(value))),
  sum: callable('/value attribute? start?', (value, attribute, start = 0n) => {
    const parts = Array.from(py.iterate(value), keyFor(attribute, true))
    if (typeof start === 'string') return py.fail('numbers or lists', start)
    return parts.reduce((sum, part) => OPERATORS['+']!(sum, part), start)
  }),
  title: callable('/text', (text) => py.textOf(text).replaceAll(/[^-\s({[<]+/g, capitalized)),
  tojson: callable(
    '/value ensure_ascii? indent? separators?',
    (value, ascii, indent = null, marks) => {
      if (py.isTrue(ascii)) return py.fail('false as ensure_ascii', ascii)
      const given = Array.isArray(marks) ? { marks: marks.map(py.textOf) } : {}
      if (indent === null) return toJson(value, given)
      return toJson(value, { indent: spaces(indent), marks: [',', ': '], ...given })
    },
  ),
  trim: ofText('strip'),
  unique: callable('/value case_sensitive? attribute?', (value, exact, attribute) => {
    const key = keyFor(attribute, exact)
    const found: Value[] = []
    const isNew = (each: Value): boolean => {
      const own = key(each)
      if (typeof own === 'object' && own !== null) return py.fail('texts or numbers', own)
      return !found.some((other) => py.areEqual(own, other)) && found.push(own) > 0
    }
    return py.Once.from([...py.iterate(value)].filter(isNew))
  }),
  upper: ofText('upper'),
}

/** The function that a template names by a value. */
export function functionIn(table: Table, name: Value): Callable | undefined {
  const text = py.textOf(name)
  return Object.hasOwn(table, text) ? table[text] : undefined
}

/** The path to what pairs are sorted by. */
const PLACES: ReadonlyMap<string, string> = new Map([
  ['key', '0'],
  ['value', '1'],
])

/** Python takes a negative number of them for none. */
function spaces(width: Value): string {
  return ' '.repeat(Math.max(0, py.integerOf(width)))
}

/** Reads what a value is compared by: an attribute such as `function.name`, and texts without their case. */
function keyFor(attribute: Value, exact: Value): (value: Value) => Value {
  const path = attribute === undefined || attribute === null ? [] : py.textOf(attribute).split('.')
  return (value) => {
    let key = value
    for (const part of path) key = getItem(key, /^\d+$/.test(part) ? BigInt(part) : part)
    return typeof key === 'string' && !py.isTrue(exact) ? key.toLowerCase() : key
  }
}

function sorted(value: Value, exact: Value, attribute: Value, reverse: Value = false): Value[] {
  const key = keyFor(attribute, exact)
  const sign = py.isTrue(reverse) ? -1 : 1
  return [...py.iterate(value)].sort((one, other) => sign * py.compare(key(one), key(other)))
}

/** The greatest or the least value; the first of equal ones. */
function extreme(isGreatest: boolean): Callable {
  return callable('/value case_sensitive? attribute?', (value, exact, attribute) => {
    return sorted(value, exact, attribute, isGreatest)[0]
  })
}

function selecting({ keep, byAttribute }: Record<'keep' | 'byAttribute', boolean>): Callable {
  return ({ listed: [value, ...rest], named }) => {
    const partOf = keyFor(byAttribute ? py.textOf(rest.shift()) : null, true)
    const name = rest.shift()
    const known = name === undefined ? test(py.isTrue) : functionIn(TESTS, name)
    const fits = known ?? py.fail('the name of a test', name)
    const isKept = (each: Value): boolean => {
      return fits({ listed: [partOf(each), ...rest], named }) === keep
    }
    return py.Once.from([...py.iterate(value)].filter(isKept))
  }
}

/** The number that a value is, or has in its text. */
function numberIn(value: Value): bigint | number | undefined {
  if (value === undefined) return py.fail('a number', value)
  if (typeof value !== 'string') return py.numberOf(value)
  const text = value.trim()
  if (/^[+-]?\d+$/.test(text)) return BigInt(text.replace('+', ''))
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return Number(text)
  // Python reads more, such as `1_000` and `inf`.
  return /\p{Nd}|^[+-]?(?:inf|nan)/iu.test(text) ? py.fail('a plain number', value) : undefined
}

const CONSTANTS = { true: true, True: true, false: false, False: false, none: null, None: null }

/** The names that templates know at a time. */
export function namesAt(now: number): Record<string, Value> {
  return {
    ...CONSTANTS,
    namespace: ({ listed, named }) => {
      if (listed.length > 0) return py.fail('names', listed[0])
      return Object.assign(new py.Namespace(), { all: new Map(named) })
    },
    raise_exception: callable('message', (message) => py.raise(print(message))),
    range: callable('/start /stop? /step?', range),
    strftime_now: callable('format', (format) => formatTime(py.textOf(format), new Date(now))),
  }
}

function range(one: Value, two: Value, step: Value = 1n): Value {
  const [start, stop, by] = (two === undefined ? [0n, one, step] : [one, two, step]).map(
    py.integerOf,
  )
  if (by === 0) return py.raise('a range needs a step other than 0')
  const length = Math.max(0, Math.ceil((stop! - start!) / by!))
  // The sandbox of Jinja has the same limit.
  if (!(length <= 100_000)) return py.fail('a range of at most 100000 numbers', step)
  return py.View.from({ length }, (_, at) => BigInt(start! + at * by!))
}

/** Formats a time in UTC, as `strftime` does in Python. */
function formatTime(format: string, time: Date): string {
  const [a, d, b, Y, H, M, S] = time.toUTCString().split(/[ ,:]+/)
  const parts = { a, d, b, Y, H, M, S, y: Y!.slice(-2), '%': '%' }
  const values: Readonly<Record<string, string | undefined>> = {
    ...parts,
    m: String(time.getUTCMonth() + 1).padStart(2, '0'),
    A: time.toLocaleString('en-US', { weekday: 'long', timeZone: 'UTC' }),
    B: time.toLocaleString('en-US', { month: 'long', timeZone: 'UTC' }),
  }
  return format.replaceAll(/%[^]?/g, (code) => {
    return values[code.slice(1)] ?? py.fail('a code of strftime, such as %Y', code)
  })
}
