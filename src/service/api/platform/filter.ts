import { findPattern, findPatternProblem } from '../../../base/text/pattern.js'
import { didYouMean } from '../../../base/text/nearest.js'
import { PlatformError, quoted } from '../../platform/platform-error.js'

/** Reads a value of an item by its path, such as `config.lr`. */
export type ReadValue<Item> = (item: Item, path: string) => unknown

const MOST_CONDITIONS = 200

/**
 * Makes a filter from its JSON, in the operators of MongoDB, as clients send it.
 *
 * @throws {PlatformError} When it is not a filter.
 */
export function filterOf<Item>(
  json: string | null | undefined,
  read: ReadValue<Item>,
): (item: Item) => boolean {
  if (json === null || json === undefined || json === '') return () => true
  const filter = parsedFilter(json)
  const reader = new FilterReader(read)
  return reader.object(filter)
}

function parsedFilter(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (error) {
    throw new PlatformError('invalid', `The filter is not JSON: ${(error as Error).message}.`)
  }
}

type Test<Value> = (value: Value) => boolean

const OPERATORS: Readonly<Record<string, (wanted: unknown) => Test<unknown>>> = {
  $eq: (wanted) => (value) => isEqual(value, wanted),
  $ne: (wanted) => (value) => !isEqual(value, wanted),
  $gt: (wanted) => (value) => isComparable(value, wanted) && value! > wanted!,
  $gte: (wanted) => (value) => isComparable(value, wanted) && value! >= wanted!,
  $lt: (wanted) => (value) => isComparable(value, wanted) && value! < wanted!,
  $lte: (wanted) => (value) => isComparable(value, wanted) && value! <= wanted!,
  $in: (wanted) => (value) => listOf('$in', wanted).some((each) => isEqual(value, each)),
  $nin: (wanted) => (value) => !listOf('$nin', wanted).some((each) => isEqual(value, each)),
  $exists: (wanted) => (value) => (value !== undefined && value !== null) === wanted,
  $regex: (wanted) => {
    const pattern = String(wanted)
    const problem = findPatternProblem(pattern)
    if (problem !== undefined) {
      throw new PlatformError('invalid', `The $regex is ${quoted(pattern)}; ${problem}.`)
    }
    return (value) =>
      [value].flat().some((each) => findPattern(pattern, textOf(each)) !== undefined)
  },
  $contains: (wanted) => (value) => textOf(value).includes(textOf(wanted)),
}

/** Reads a filter once, so that each item is only tested. */
class FilterReader<Item> {
  readonly #read: ReadValue<Item>
  #conditions = 0

  constructor(read: ReadValue<Item>) {
    this.#read = read
  }

  object(filter: unknown): Test<Item> {
    if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) {
      throw new PlatformError(
        'invalid',
        'The filter is not a JSON object, such as {"state": "finished"}.',
      )
    }
    const tests = Object.entries(filter).map(([key, wanted]) => this.#entry(key, wanted))
    return (item) => tests.every((test) => test(item))
  }

  #entry(key: string, wanted: unknown): Test<Item> {
    if (++this.#conditions > MOST_CONDITIONS) {
      throw new PlatformError('limit', `The filter has more than ${MOST_CONDITIONS} conditions.`)
    }
    if (key === '$and' || key === '$or' || key === '$nor') {
      const tests = listOf(key, wanted).map((each) => this.object(each))
      if (key === '$and') return (item) => tests.every((test) => test(item))
      return (item) => tests.some((test) => test(item)) === (key === '$or')
    }
    if (key === '$not') {
      const test = this.object(wanted)
      return (item) => !test(item)
    }
    const test = this.#condition(wanted)
    return (item) => test(this.#read(item, key))
  }

  #condition(wanted: unknown): Test<unknown> {
    if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) {
      return OPERATORS['$eq']!(wanted)
    }
    const tests = Object.entries(wanted).map(([name, operand]): Test<unknown> => {
      if (name === '$not') {
        const test = this.#condition(operand)
        return (value) => !test(value)
      }
      const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined
      if (operator) return operator(operand)
      const known = Object.keys(OPERATORS)
      throw new PlatformError(
        'invalid',
        `The filter has the operator ${quoted(name)}.${didYouMean(name, known)} Allowed: ${known.join(', ')}, $and, $or, $nor, $not.`,
      )
    })
    return (value) => tests.every((test) => test(value))
  }
}

function listOf(operator: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new PlatformError('invalid', `The operand of ${operator} is not a list.`)
}

function isEqual(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(value) && !Array.isArray(wanted))
    return value.some((each) => isEqual(each, wanted))
  if (value === undefined || value === null) return wanted === null
  return value === wanted || JSON.stringify(value) === JSON.stringify(wanted)
}

function isComparable(value: unknown, wanted: unknown): boolean {
  return typeof value === typeof wanted && (typeof value === 'number' || typeof value === 'string')
}

function textOf(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Sorts items as clients ask for it: `-created_at`, or `+created_at`. */
export function ordered<Item>(
  items: readonly Item[],
  order: string | null | undefined,
  read: ReadValue<Item>,
): readonly Item[] {
  const [, sign, path = ''] = /^([+-]?)(.+)$/.exec(order?.split(',')[0] ?? '') ?? []
  if (path === '') return items
  const direction = sign === '-' ? -1 : 1
  return [...items].sort((one, other) => direction * compare(read(one, path), read(other, path)))
}

function compare(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  const [first, second] = [textOf(one), textOf(other)]
  if (first === second) return 0
  return first < second ? -1 : 1
}

/** Whether a text matches a pattern of SQL, in which `%` is any text and `_` one character. */
export function isLike(text: string, pattern: string): boolean {
  const escaped = pattern
    .replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('%', '.*')
    .replaceAll('_', '.')
  return findPattern(`^(?s:${escaped})$`, text) !== undefined
}
