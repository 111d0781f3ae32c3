import type { Exchange } from './exchanges.js'
import type { ScenarioPart } from './lifecycles.js'

/** Says which calls a fault applies to, as a scenario does: for each operation, the numbers of its calls. */
export function callNumbers(
  all: readonly Exchange[],
  affected: ReadonlySet<Exchange>,
): readonly ScenarioPart[] {
  const counts = new Map<string, number>()
  const numbers = new Map<string, number[]>()
  for (const exchange of all) {
    const { operation = '' } = exchange
    const number = (counts.get(operation) ?? 0) + 1
    counts.set(operation, number)
    if (!affected.has(exchange)) continue
    const own = numbers.get(operation)
    if (own) own.push(number)
    else numbers.set(operation, [number])
  }
  return [...numbers].map(([operation, own]) => ({ match: { operation }, calls: grouped(own) }))
}

/** Writes numbers with the same distance as a range. */
function grouped(numbers: readonly number[]): unknown {
  const [first, second] = numbers
  if (second === undefined) return first
  const every = second - first!
  const isRange =
    numbers.length > 2 && numbers.every((each, index) => each === first! + index * every)
  if (!isRange) return numbers
  return { ...(first! > 1 && { from: first }), to: numbers.at(-1), ...(every > 1 && { every }) }
}
