import * as py from './python.js'
import type { Callable, Value } from './python.js'

type Table = Readonly<Record<string, Callable>>

/**
 * A function of Python.
 *
 * @param parameters - Their names: with a slash in front if callers cannot name them, and with a question mark behind
 *   those that may be missing.
 */
export function callable(parameters: string, work: (...values: Value[]) => Value): Callable {
  const names = parameters.split(' ')
  return ({ listed, named }) => {
    const values = [...listed]
    for (const [name, value] of named) {
      const at = names.findIndex((each) => each.replace('?', '') === name)
      if (at < listed.length) py.raise(`unexpected argument "${name}"`)
      values[at] = value
    }
    const isMissing = names.some((name, at) => !name.endsWith('?') && !(at in values))
    // A parameter that is undefined would count as missing.
    const isUndefined = values.some((value, at) => at > 0 && value === undefined)
    const isFit = !isMissing && !isUndefined && values.length <= names.length
    return isFit ? work(...values) : py.fail(`the arguments ${names.slice(1).join()}`, values)
  }
}

/** What Python counts as spaces: JavaScript has one more and lacks five. */
const SPACES = new RegExp(String.raw`(?:(?!\uFEFF)[\s\x1C-\x1F\x85])+`)
const LINE_END = new RegExp(String.raw`\r\n|[\n\r\v\f\x1C-\x1E\x85\u2028\u2029]`)

function stripping({ start = true, end = true }): Callable {
  return callable('/text /chars?', (text, chars = null) => {
    const all = Array.from(py.textOf(text))
    const isKept = (each: string): boolean => {
      return chars === null ? !SPACES.test(each) : !py.textOf(chars).includes(each)
    }
    const from = start ? all.findIndex(isKept) : 0
    const to = end ? all.findLastIndex(isKept) : all.length
    return from === -1 ? '' : all.slice(from, to + 1).join('')
  })
}

const onText = (work: (text: string) => Value): Callable => {
  return callable('/text', (text) => work(py.textOf(text)))
}

/** Whether a text begins or ends with another one, or with one of a tuple. */
const having = (has: (text: string, part: string) => boolean): Callable => {
  return callable('/text /part', (text, part) => {
    const parts = part instanceof py.Tuple ? part : [part]
    return parts.some((each) => has(py.textOf(text), py.textOf(each)))
  })
}

const TEXT_METHODS: Table = {
  capitalize: onText(capitalized),
  endswith: having((text, part) => text.endsWith(part)),
  join: callable('/text /values', (text, values) => {
    return Array.from(py.iterate(values), py.textOf).join(py.textOf(text))
  }),
  lower: onText((text) => text.toLowerCase()),
  lstrip: stripping({ end: false }),
  replace: callable('/text /old /new /count?', (text, old, by, most = -1n) => {
    const parts = split(text, py.textOf(old) || py.fail('a text to replace', old), most)
    return parts.join(py.textOf(by))
  }),
  rstrip: stripping({ start: false }),
  split: callable('/text sep? maxsplit?', split),
  startswith: having((text, part) => text.startsWith(part)),
  strip: stripping({}),
  upper: onText((text) => text.toUpperCase()),
}

/** Letters that have a form of their own at the start of a title. */
const TITLED = /[\u01C4-\u01CC\u01F1-\u01F3\p{Script=Georgian}]/u

function capitalized(text: string): string {
  const [first = ''] = text
  const upper = first.toUpperCase()
  if (TITLED.test(first) || Array.from(upper).length > 1)
    return py.fail('another first letter', text)
  return upper + text.slice(first.length).toLowerCase()
}

function split(text: Value, mark: Value = null, most: Value = -1n): string[] {
  const limit = py.integerOf(most)
  if (mark === null && limit < 0) {
    const words = py.textOf(text).split(SPACES)
    return words.filter((word) => word !== '')
  }
  const parts = py.textOf(text).split(py.textOf(mark) || py.fail('a text between parts', mark))
  if (limit < 0 || parts.length <= limit) return parts
  return [...parts.slice(0, limit), parts.slice(limit).join(py.textOf(mark))]
}

const onMap = (work: (map: Map<Value, Value>) => Value[]): Callable => {
  return callable('/map', (map) => py.View.from(work(map as Map<Value, Value>)))
}

const MAP_METHODS: Table = {
  get: callable('/map /key /default?', (map, key, absent = null) => {
    const all = map as Map<Value, Value>
    return all.has(py.keyOf(key)) ? all.get(key) : absent
  }),
  items: onMap(itemsOf),
  keys: onMap((map) => [...map.keys()]),
  values: onMap((map) => [...map.values()]),
}

function itemsOf(map: Map<Value, Value>): Value[] {
  return Array.from(map, (pair) => py.Tuple.from(pair))
}

/** The methods that templates can call. */
export const METHODS: readonly string[] = [TEXT_METHODS, MAP_METHODS].flatMap(Object.keys)

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
  if (typeof value === 'string') return taken.map(py.print).join('')
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

const test = (fits: (value: Value) => boolean): Callable => callable('/value', fits)

const compared = (sign: string): Callable => callable('/value /other', py.COMPARISONS[sign]!)

/** The tests, each with the value before `is` as the first argument. */
export const TESTS: Table = {
  boolean: test((value) => typeof value === 'boolean'),
  defined: test((value) => value !== undefined),
  eq: compared('=='),
  equalto: compared('=='),
  even: test((value) => py.areEqual(py.OPERATORS['%']!(value, 2n), 0n)),
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
  odd: test((value) => py.areEqual(py.OPERATORS['%']!(value, 2n), 1n)),
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
    const text = value instanceof py.Safe ? value : py.print(value)
    return TEXT_METHODS[method]!({ listed: [text, ...rest], named })
  }
}

const count = callable('/value', (value) => {
  return value instanceof py.Once ? py.fail('a list', value) : BigInt([...py.iterate(value)].length)
})

const withDefault = callable('/value default_value? boolean?', (value, absent = '', alsoFalse) => {
  return value === undefined || (py.isTrue(alsoFalse) && !py.isTrue(value)) ? absent : value
})

/** The filters, each with the value before `|` as the first argument. */
export const FILTERS: Table = {
  capitalize: ofText('capitalize'),
  count,
  d: withDefault,
  default: withDefault,
  dictsort: callable('/value case_sensitive? by? reverse?', (value, exact, by = 'key', reverse) => {
    const place = { key: '0', value: '1' }[py.textOf(by)] ?? py.fail('key or value', by)
    const pairs = value instanceof Map ? itemsOf(value) : py.fail('a map', value)
    return sorted(pairs, exact, place, reverse)
  }),
  float: callable('/value default?', (value, absent = 0) => {
    const number = numberIn(value)
    return number === undefined ? absent : Number(number)
  }),
  first: callable('/value', (value) => [...py.iterate(value)][0]),
  indent: callable('/value width? first?', (value, width = 4n, first) => {
    const space = typeof width === 'string' ? width : ' '.repeat(py.integerOf(width))
    const lines = py.textOf(value).split(LINE_END)
    const start = py.isTrue(first) ? space : ''
    return start + lines.map((line, at) => (at > 0 && line ? space + line : line)).join('\n')
  }),
  int: callable('/value default?', (value, absent = 0n) => {
    const number = numberIn(value) ?? absent
    return typeof number === 'number' ? BigInt(Math.trunc(number)) : number
  }),
  items: callable('/value', (value = new Map()) => {
    return value instanceof Map ? py.Once.from(itemsOf(value)) : py.fail('a map', value)
  }),
  join: callable('/value d? attribute?', (value, mark = '', attribute) => {
    return Array.from(py.iterate(value), keyFor(attribute, true)).map(py.print).join(py.print(mark))
  }),
  last: callable('/value', (value) => {
    return value instanceof py.Once ? py.fail('a list', value) : [...py.iterate(value)].at(-1)
  }),
  length: count,
  list: callable('/value', (value) => [...py.iterate(value)]),
  lower: ofText('lower'),
  map: ({ listed: [value, name, ...rest], named }) => {
    if (name !== undefined) {
      const filter = FILTERS[py.textOf(name)] ?? py.fail('the name of a filter', name)
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
  reject: selecting(false, false),
  rejectattr: selecting(false, true),
  replace: ofText('replace'),
  reverse: callable('/value', (value) => {
    const values = [...py.iterate(value)].reverse()
    return typeof value === 'string' ? values.map(py.print).join('') : py.Once.from(values)
  }),
  safe: callable('/value', (value) => py.Safe.from(py.print(value))),
  select: selecting(true, false),
  selectattr: selecting(true, true),
  sort: callable('/value reverse? case_sensitive? attribute?', (value, reverse, exact, by) => {
    return sorted(value, exact, by, reverse)
  }),
  string: callable('/value', (value) => (value instanceof py.Safe ? value : py.print(value))),
  sum: callable('/value attribute? start?', (value, attribute, start = 0n) => {
    const parts = Array.from(py.iterate(value), keyFor(attribute, true))
    if (typeof start === 'string') return py.fail('numbers or lists', start)
    return parts.reduce((sum, part) => py.OPERATORS['+']!(sum, part), start)
  }),
  title: callable('/text', (text) => py.textOf(text).replaceAll(/[^-\s({[<]+/g, capitalized)),
  tojson: callable(
    '/value ensure_ascii? indent? separators?',
    (value, ascii, indent = null, marks) => {
      if (py.isTrue(ascii)) return py.fail('false as ensure_ascii', ascii)
      const given = Array.isArray(marks) ? { marks: marks.map(py.textOf) } : {}
      if (indent === null) return py.toJson(value, given)
      const space = ' '.repeat(py.integerOf(indent))
      return py.toJson(value, { indent: space, marks: [',', ': '], ...given })
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

function selecting(keep: boolean, ofAttribute: boolean): Callable {
  return ({ listed: [value, ...rest], named }) => {
    const partOf = keyFor(ofAttribute ? py.textOf(rest.shift()) : null, true)
    const name = rest.shift()
    const known = name === undefined ? test(py.isTrue) : TESTS[py.textOf(name)]
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
    raise_exception: callable('message', (message) => py.raise(py.print(message))),
    range: callable('/start /stop? /step?', range),
    strftime_now: callable('format', (format) => formatTime(py.textOf(format), new Date(now))),
  }
}

function range(one: Value, two: Value, step: Value = 1n): Value {
  const [start, stop, by] = (two === undefined ? [0n, one, step] : [one, two, step]).map(
    py.integerOf,
  )
  const length = Math.max(0, Math.ceil((stop! - start!) / by!))
  // Python has the same limit.
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
