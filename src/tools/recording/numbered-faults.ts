import { HIDDEN_CHANGES } from '../../emulator/har.js'
import { faultKinds } from '../../service/scenario/faults/kinds/index.js'
import type { ScenarioPart } from './exchanges.js'
import { formatDuration } from './times.js'

/** With more delays, one for all calls of the operation says enough. */
const MOST_DELAYS = 10

/** The kinds of faults behind which others only count the call. */
const ENDINGS = new Set<unknown>(
  Object.entries(faultKinds).flatMap(([kind, { damage }]) => (damage === 'lost' ? [kind] : [])),
)

/** The number of a call among those of its operation. */
interface NumberedCall {
  readonly number: number
  /** The model that it polls, and its number among the polls of that. */
  readonly model: string
  readonly ofModel: number
}

export interface LateCall extends NumberedCall {
  readonly waited: number
}

/** Faults with the numbers of their calls, for each operation. */
export class NumberedFaults {
  readonly #found = new Map<
    string,
    { operation: string; fault: ScenarioPart; calls: NumberedCall[] }
  >()
  /** How many calls each operation has, by model. */
  readonly #counts = new Map<string, Map<string, number>>()

  /** Counts a call, and returns its number. */
  count(operation: string, model: string): NumberedCall {
    const counts = this.#counts.get(operation) ?? new Map<string, number>()
    this.#counts.set(operation, counts)
    const ofModel = (counts.get(model) ?? 0) + 1
    counts.set(model, ofModel)
    return { number: sumOf(counts), model, ofModel }
  }

  add(operation: string, call: NumberedCall, fault: ScenarioPart): void {
    const key = JSON.stringify([operation, fault])
    const same = this.#found.get(key) ?? { operation, fault, calls: [] }
    same.calls.push(call)
    this.#found.set(key, same)
  }

  /**
   * Adds late calls. Those in a row within 10 % have one delay.
   *
   * @param what What they are, for the note about many: `answers to`.
   */
  addDelays(operation: string, late: readonly LateCall[], what: string): string[] {
    const groups: LateCall[][] = []
    for (const call of late) {
      const group = groups.at(-1)
      const isClose = group && Math.abs(call.waited - group[0]!.waited) <= 0.1 * group[0]!.waited
      if (isClose) group.push(call)
      else groups.push([call])
    }
    const isMany = groups.length > MOST_DELAYS
    for (const group of isMany ? [late] : groups) {
      const delay = formatDuration(medianOf(group, isMany ? 2 : 3))
      for (const call of group) this.add(operation, call, { fault: 'delay', delay })
    }
    if (!isMany) return []
    const waits = late.map(({ waited }) => waited)
    const [least, most] = [Math.min(...waits), Math.max(...waits)].map(formatDuration)
    return [
      `${late.length} ${what} ${operation} took ${least} to ${most}. Here each takes as long as the middle one.`,
    ]
  }

  /** Returns the faults as parts of a scenario. Those that end a call come last, or they would hide others. */
  parts(): ScenarioPart[] {
    const found = [...this.#found.values()]
    const endsCall = ({ fault }: { fault: ScenarioPart }): boolean => ENDINGS.has(fault['fault'])
    const sorted = [...found.filter((each) => !endsCall(each)), ...found.filter(endsCall)]
    return sorted.map(({ operation, fault: { fault, ...options }, calls }) => {
      const counts = this.#counts.get(operation)!
      const [{ model }] = calls as [NumberedCall]
      // One client may poll many jobs. Alone, that of one model makes only its own calls.
      const isOwn = model !== '' && counts.size > 1 && calls.every((call) => call.model === model)
      const numbers = calls
        .map(({ number, ofModel }) => (isOwn ? ofModel : number))
        .sort((one, other) => one - other)
      // What changed each answer changes others, too.
      const isAll =
        String(fault) in HIDDEN_CHANGES &&
        numbers.length === (isOwn ? counts.get(model) : sumOf(counts))
      return {
        fault,
        match: { operation, ...(isOwn && { model }) },
        ...(!isAll && { calls: callsIn(numbers) }),
        ...options,
      }
    })
  }
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

function medianOf(late: readonly LateCall[], digits: number): number {
  const sorted = late.map(({ waited }) => waited).sort((one, other) => one - other)
  return Number(sorted[sorted.length >> 1]!.toPrecision(digits))
}

/** Writes numbers with the same distance as a range. */
function callsIn(numbers: readonly number[]): unknown {
  const [first = 0, second] = numbers
  if (second === undefined) return first
  const every = second - first
  const isRange =
    numbers.length > 2 && numbers.every((each, index) => each === first + index * every)
  if (!isRange) return numbers
  return { ...(first > 1 && { from: first }), to: numbers.at(-1), ...(every > 1 && { every }) }
}
