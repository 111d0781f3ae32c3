import { pythonFloat, quote } from '../pydantic/python-text.js'
import { fail, fromJson, Safe, Tuple, View, type Value } from './python.js'

/** How values are written. */
interface Style {
  readonly words: Readonly<Record<string, string>>
  readonly text: (text: string) => string
  readonly indent?: string | undefined
  /** What stands between parts, and behind a key. */
  readonly marks: readonly string[]
}

const MARKS = [', ', ': ']

const PYTHON: Style = {
  words: { null: 'None', true: 'True', false: 'False', undefined: 'Undefined' },
  text: quote,
  marks: MARKS,
}

const JSON_WORDS = { null: 'null', true: 'true', false: 'false' }

/** Writes a value as `str` does in Python. */
export function print(value: Value): string {
  if (value === undefined || value instanceof Safe) return value?.join('') ?? ''
  return typeof value === 'string' ? value : write(value, PYTHON)
}

/** Writes a value of JSON as `repr` does in Python: `{'a': [1, 'b', None]}`. Whole numbers are integers. */
export function pythonRepr(value: unknown): string {
  return write(fromJson(value ?? null), PYTHON)
}

/** Writes a value as `json.dumps` does in Python, without escapes of letters. */
export function toJson(value: Value, layout: Partial<Style> = {}): string {
  return write(value, { words: JSON_WORDS, text: jsonText, marks: MARKS, ...layout })
}

function write(value: Value, style: Style, margin = ''): string {
  if (typeof value === 'string') return style.text(value)
  if (typeof value === 'bigint') return String(value)
  const isFloat = typeof value === 'number'
  if (isFloat && (style === PYTHON || Number.isFinite(value))) return pythonFloat(value)
  if (typeof value !== 'object' || value === null) {
    return style.words[String(value)] ?? fail('a value that can be written', value)
  }
  const inner = margin + (style.indent ?? '')
  const [between = '', behindKey = ''] = style.marks
  const join = (parts: string[]): string => {
    if (parts.length === 0 || style.indent === undefined) return parts.join(between)
    return `\n${inner}${parts.join(`${between}\n${inner}`)}\n${margin}`
  }
  if (value instanceof Map) {
    const pairs = Array.from(value, ([key, part]) => {
      const name = write(key, style)
      const isName = style === PYTHON || name.startsWith('"')
      return `${isName ? name : `"${name}"`}${behindKey}${write(part, style, inner)}`
    })
    return `{${join(pairs)}}`
  }
  const isList = Array.isArray(value) && !(value instanceof View)
  // Of other values, Python writes where they are in its memory.
  if (!isList) return fail('a value that can be written', value)
  const parts = join(Array.from(value, (part) => write(part, style, inner)))
  if (style !== PYTHON || !(value instanceof Tuple)) return `[${parts}]`
  return `(${parts}${value.length === 1 ? ',' : ''})`
}

/** `JSON.stringify` also escapes halves of pairs. */
function jsonText(text: string): string {
  return `"${text.replaceAll(/["\\\p{Cc}]/gu, (each) => JSON.stringify(each).slice(1, -1))}"`
}
