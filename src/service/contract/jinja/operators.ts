import {
  areEqual,
  compare,
  contains,
  fail,
  numberOf,
  raise,
  TemplateError,
  View,
  type Value,
} from './python.js'
import { print } from './write.js'

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
