import * as py from './python.js'
import type { Callable, Value } from './python.js'

/** Functions by their names. */
export type Table = Readonly<Record<string, Callable>>

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

export const TEXT_METHODS: Table = {
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

/** A text as `capitalize` of Python writes it. */
export function capitalized(text: string): string {
  const [first = ''] = text
  const upper = first.toUpperCase()
  if (TITLED.test(first) || Array.from(upper).length > 1)
    return py.fail('another first letter', text)
  // The last letter of a word may have a form of its own, which its context decides.
  return upper + text.toLowerCase().slice(first.toLowerCase().length)
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

export const MAP_METHODS: Table = {
  get: callable('/map /key /default?', (map, key, absent = null) => {
    const all = map as Map<Value, Value>
    return all.has(py.keyOf(key)) ? all.get(key) : absent
  }),
  items: onMap(itemsOf),
  keys: onMap((map) => [...map.keys()]),
  values: onMap((map) => [...map.values()]),
}

/** The pairs of a map, as tuples. */
export function itemsOf(map: Map<Value, Value>): Value[] {
  return Array.from(map, (pair) => py.Tuple.from(pair))
}

/** The methods that templates can call. */
export const METHODS: readonly string[] = [TEXT_METHODS, MAP_METHODS].flatMap(Object.keys)
