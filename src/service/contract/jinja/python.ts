import { keysOf, WholeFloat } from '../pydantic/exact.js'
import { pythonFloat, quote } from '../pydantic/python-text.js'

/** What a template raises, or what its values cannot do. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}

/** A list that is written with parentheses. */
export class Tuple extends Array<Value> {}

/** A range or the items of a map: it can be gone through, but it is no list. */
export class View extends Array<Value> {}

/** What a filter such as `map` finds. Python goes through it once, so a template cannot keep it. */
export class Once extends View {}

/** The characters of a text that the filter `safe` marked. It can be printed, joined with `~`, and tested. */
export class Safe extends View {}

/** What `namespace` makes: its fields can be set. */
export class Namespace {
  readonly all = new Map<string, Value>()
}

/** The arguments of a call. */
export interface Arguments {
  readonly listed: readonly Value[]
  readonly named: ReadonlyMap<string, Value>
}

export type Callable = (args: Arguments) => Value

/** Integers of Python are bigints here, its floats are numbers, and undefined is what has no value. */
export type Value = Scalar | Value[] | Map<Value, Value> | Namespace | Callable

type Scalar = undefined | null | boolean | bigint | number | string

/** Makes a value of JSON, which may be one that was read without loss, a value of a template. */
export function fromJson(value: unknown): Value {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  if (value instanceof WholeFloat) return value.value
  if (Array.isArray(value)) return value.map(fromJson)
  if (typeof value !== 'object' || value === null) return value as Value
  const fields = value as Readonly<Record<string, unknown>>
  const keys = keysOf(value).filter((key) => fields[key] !== undefined)
  return new Map(keys.map((key) => [key, fromJson(fields[key])]))
}

export function raise(problem: string): never {
  throw new TemplateError(problem)
}

export function fail(expected: string, found: Value): never {
  const type = found === null || Array.isArray(found) ? String(found && 'list') : typeof found
  return raise(`expected ${expected}, found ${type}`)
}

/** The number that a value is in arithmetic. */
export function numberOf(value: Value): bigint | number | undefined {
  if (typeof value === 'boolean') return BigInt(value)
  return typeof value === 'bigint' || typeof value === 'number' ? value : undefined
}

/** An integer that an argument must be. */
export function integerOf(value: Value): number {
  const number = numberOf(value)
  return typeof number === 'bigint' ? Number(number) : fail('an integer', value)
}

export function textOf(value: Value): string {
  return typeof value === 'string' ? value : fail('a text', value)
}

/** A key of a map. Others are equal to keys of other types in Python. */
export function keyOf(value: Value): Value {
  if (value === null || typeof value === 'string' || typeof value === 'bigint') return value
  return fail('a text, an integer or none as a key', value)
}

export function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value instanceof Once || value.length > 0
  return value instanceof Map ? value.size > 0 : Boolean(value)
}

/** What a loop over a value goes through. Null if it cannot be gone through. */
export function valuesOf(value: Value): Iterable<Value> | null {
  if (value instanceof Map) return value.keys()
  if (value instanceof Safe) return fail('a text without the filter safe', value)
  if (typeof value === 'string' || Array.isArray(value)) return value
  return value === undefined ? [] : null
}

export function iterate(value: Value): Iterable<Value> {
  return valuesOf(value) ?? fail('something to go through', value)
}

export function areEqual(one: Value, other: Value): boolean {
  if (one instanceof View || other instanceof View) return fail('a list', one)
  const [left, right] = [numberOf(one), numberOf(other)]
  if (left !== undefined && right !== undefined) {
    return left === right || (typeof left !== typeof right && Number(left) === Number(right))
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    if (one.constructor !== other.constructor || one.length !== other.length) return false
    return one.every((part, index) => areEqual(part, other[index]))
  }
  if (one instanceof Map && other instanceof Map) {
    if (one.size !== other.size) return false
    return [...one].every(([key, part]) => other.has(key) && areEqual(part, other.get(key)))
  }
  return one === other
}

/** Compares two values: negative if the first is less. */
export function compare(one: Value, other: Value): number {
  const [left, right] = [numberOf(one), numberOf(other)]
  if (left !== undefined && right !== undefined) return left < right ? -1 : Number(left > right)
  const [codes, others] = [codesOf(one), codesOf(other)]
  const at = codes.findIndex((code, index) => code !== others[index])
  return at === -1 ? codes.length - others.length : codes[at]! - (others[at] ?? -1)
}

/** The code points of a text: JavaScript compares halves of pairs. */
function codesOf(value: Value): number[] {
  const text = typeof value === 'string' ? value : fail('two texts or two numbers', value)
  return Array.from(text, (each) => each.codePointAt(0)!)
}

export function contains(whole: Value, part: Value): boolean {
  if (typeof whole === 'string') return whole.includes(textOf(part))
  if (whole instanceof Map) return part !== undefined && whole.has(keyOf(part))
  return Array.from(iterate(whole)).some((each) => areEqual(each, part))
}

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

/** The operators of two values, by how they are written. */
export const OPERATORS: Readonly<Record<string, (left: Value, right: Value) => Value>> = {
  '+': (left, right) => {
    if (typeof left === 'string' && typeof right === 'string') return left + right
    const areLists = Array.isArray(left) && Array.isArray(right) && !(left instanceof View)
    if (areLists && left.constructor === right.constructor) return left.concat(right)
    return calculate(left, right, (one, other) => one + other)
  },
  '-': (left, right) => calculate(left, right, (one, other) => one - other),
  '*': (left, right) => {
    const isRepeated = typeof left === 'string' && typeof right === 'bigint'
    if (isRepeated) return left.repeat(Math.max(0, Number(right)))
    return calculate(left, right, (one, other) => one * other)
  },
  '/': (left, right) => {
    const one = Number(numberOf(left) ?? fail('a number', left))
    return calculate(one, right, (_, other) => one / divisor(other))
  },
  '//': (left, right) => calculate(left, right, floorDivide),
  '%': (left, right) => calculate(left, right, remainder),
  '~': (left, right) => print(left) + print(right),
}

/** The comparisons, by how they are written. */
export const COMPARISONS: Readonly<Record<string, (left: Value, right: Value) => boolean>> = {
  '==': areEqual,
  '!=': (left, right) => !areEqual(left, right),
  '<': (left, right) => compare(left, right) < 0,
  '<=': (left, right) => compare(left, right) <= 0,
  '>': (left, right) => compare(left, right) > 0,
  '>=': (left, right) => compare(left, right) >= 0,
  in: (left, right) => contains(right, left),
  'not in': (left, right) => !contains(right, left),
}

function calculate(left: Value, right: Value, work: (one: number, other: number) => number): Value {
  const one = numberOf(left) ?? fail('a number', left)
  const other = numberOf(right) ?? fail('a number', right)
  const result = work(Number(one), Number(other))
  if (typeof one === 'number' || typeof other === 'number') return result
  if (Number.isSafeInteger(result)) return BigInt(result)
  throw new TemplateError('templates cannot calculate beyond 2^53 here')
}

function divisor(value: number): number {
  return value === 0 ? raise('division by zero') : value
}

/** The remainder has the sign of the divisor. */
function remainder(one: number, other: number): number {
  const rest = one % divisor(other)
  if (rest === 0) return other < 0 ? -0 : 0
  return rest < 0 === other < 0 ? rest : rest + other
}

function floorDivide(one: number, other: number): number {
  const quotient = Math.round((one - remainder(one, other)) / other)
  // Zero has the sign of the exact quotient.
  const zero = 1 / (one / other) < 0 ? -0 : 0
  return quotient === 0 ? zero : quotient
}
