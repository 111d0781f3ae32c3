import { keysOf, WholeFloat } from '../pydantic/exact.js'

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
