import { findJsonProblem } from '../../../base/text/json-text.js'
import { findPattern, findPatternProblem, patternSize } from '../../../base/text/pattern.js'
import { didYouMean } from '../../../base/text/nearest.js'
import { PlatformError, quoted } from '../../platform/platform-error.js'
import { QueryReading } from './query-reading.js'
import { difference, textOf } from './compare.js'
import { ordered } from './order.js'

/** Reads a value of an item by its path, such as `config.lr`. A moment is a `Date`. */
export type ReadValue<Item> = (item: Item, path: string, reading: QueryReading) => unknown

/** The name of a field in a path of a filter or an order: some clients write `created_at` for `createdAt`. */
export function fieldNamed(written: string): string {
  return written.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** What a client wants of a list. */
interface ListSelection {
  readonly filters?: string | null | undefined
  readonly order?: string | null | undefined
}

const MOST_CONDITIONS = 200

/**
 * The items of a list that a client asks for, in its order. Filters are JSON with the operators of MongoDB, as clients
 * send them.
 *
 * @param items The oldest item first.
 * @throws {PlatformError} When a filter is not valid, or when the query reads too much.
 */
export function selected<Item>(
  items: readonly Item[],
  { filters, order }: ListSelection,
  read: ReadValue<Item>,
  reading: QueryReading,
): readonly Item[] {
  reading.count(items.length)
  const reader = new FilterReader(read, reading)
  const found = filters ? items.filter(reader.object(parsedFilter(filters, reading))) : items
  return order ? ordered(found, order, (item, path) => read(item, path, reading), reading) : found
}

/**
 * Whether a filter finds an item. It reads no more than a query may.
 *
 * @throws {PlatformError} When the filter is not valid.
 */
export function matchesFilter<Item>(filter: string, item: Item, read: ReadValue<Item>): boolean {
  return selected([item], { filters: filter }, read, new QueryReading()).length > 0
}

/**
 * Checks all of a filter, also what no item would reach.
 *
 * @throws {PlatformError} When the filter is not valid.
 */
export function checkFilter(filter: string): void {
  const reading = new QueryReading()
  new FilterReader(() => undefined, reading).object(parsedFilter(filter, reading))
}

function parsedFilter(json: string, reading: QueryReading): unknown {
  reading.count(json.length)
  const problem = findJsonProblem(json)
  if (problem === undefined) return JSON.parse(json)
  throw new PlatformError('invalid', `The filter ${problem}.`)
}

type Test<Value> = (value: Value) => boolean

type Operator = (wanted: unknown, reading: QueryReading) => Test<unknown>

const OPERATORS: Readonly<Record<string, Operator>> = {
  $eq: (wanted, reading) => (value) => isEqual(value, wanted, reading),
  $ne: (wanted, reading) => (value) => !isEqual(value, wanted, reading),
  $gt: (wanted) => (value) => difference(value, wanted) > 0,
  $gte: (wanted) => (value) => difference(value, wanted) >= 0,
  $lt: (wanted) => (value) => difference(value, wanted) < 0,
  $lte: (wanted) => (value) => difference(value, wanted) <= 0,
  $in: (wanted, reading) => isOneOf(listOf('$in', wanted), reading),
  $nin: (wanted, reading) => {
    const isIn = isOneOf(listOf('$nin', wanted), reading)
    return (value) => !isIn(value)
  },
  $exists: (wanted) => (value) => (value !== undefined && value !== null) === Boolean(wanted),
  $regex: (wanted, reading) => {
    const pattern = String(wanted)
    reading.pattern(pattern.length)
    const problem = findPatternProblem(pattern)
    if (problem !== undefined) {
      throw new PlatformError('invalid', `The $regex is ${quoted(pattern)}; ${problem}.`)
    }
    const size = patternSize(pattern)
    reading.pattern(size)
    return (value) =>
      [value].flat().some((each) => {
        const text = textOf(each, reading)
        reading.search(size, text)
        return findPattern(pattern, text) !== undefined
      })
  },
  $contains: (wanted, reading) => (value) =>
    textOf(value, reading).includes(textOf(wanted, reading)),
}

/** Reads a filter once, so that each item is only tested. */
class FilterReader<Item> {
  readonly #read: ReadValue<Item>
  readonly #reading: QueryReading
  #conditions = 0

  constructor(read: ReadValue<Item>, reading: QueryReading) {
    this.#read = read
    this.#reading = reading
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
    return (item) => {
      this.#reading.count(1)
      return test(this.#read(item, key, this.#reading))
    }
  }

  #condition(wanted: unknown): Test<unknown> {
    if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) {
      return OPERATORS['$eq']!(wanted, this.#reading)
    }
    const tests = Object.entries(wanted).map(([name, operand]): Test<unknown> => {
      if (name === '$not') {
        const test = this.#condition(operand)
        return (value) => !test(value)
      }
      const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined
      if (operator) return operator(operand, this.#reading)
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

function isOneOf(wanted: readonly unknown[], reading: QueryReading): Test<unknown> {
  return (value) => wanted.some((each) => isEqual(value, each, reading))
}

function isEqual(value: unknown, wanted: unknown, reading: QueryReading): boolean {
  if (Array.isArray(value) && !Array.isArray(wanted))
    return value.some((each) => isEqual(each, wanted, reading))
  if (value === undefined || value === null) return wanted === null
  reading.count(1)
  if (value === wanted) return true
  if (value instanceof Date) return difference(value, wanted) === 0
  const areObjects = typeof value === 'object' && typeof wanted === 'object'
  return areObjects && textOf(value, reading) === textOf(wanted, reading)
}

/** Whether a text matches a pattern of SQL, in which `%` is any text and `_` one character. */
export function isLike(text: string, pattern: string, reading: QueryReading): boolean {
  const escaped = pattern
    .replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('%', '.*')
    .replaceAll('_', '.')
  reading.search(pattern.length, text)
  return findPattern(`^(?s:${escaped})$`, text) !== undefined
}
