import { isUnawaited } from '../../../service/contract/operation-names.js'
import { SeededRandom } from '../../../base/random/random.js'
import type { FaultInput, ScenarioInput } from '../../../service/scenario/scenario.js'
import type { Observation } from '../exploration.js'
import { describeScenario } from '../describe-scenario.js'
import { signatureOf } from '../judge.js'
import type { DrawnPart } from '../part.js'
import { mayBecome } from '../recoverable.js'
import { kindsFor, type DrawnFaultKind } from './drawn-kinds.js'

/** Faults drawn from the seed. Calls that the code is known not to survive are left alone. */
export const drawnFaults: DrawnPart = {
  kind: 'faults',
  share: 0.3,
  counted: ['combination of drawn faults', 'combinations of drawn faults'],
  *plan({ observed, problems, seed }) {
    const known = new Set(problems.map(signatureOf))
    const draws = new FaultDraws(new SeededRandom(seed), observed, (operation, outcome) => {
      return known.has(signatureOf({ operation, outcome }))
    })
    for (let number = 1; ; number++) {
      const scenario = draws.scenario(number)
      if (!scenario) return
      yield { name: `faults ${number}`, scenario, expects: 'success' }
    }
  },
  mayBecome,
}

/** Returns whether calls of an operation with such an outcome are known to be a failure. */
export type IsKnown = (operation: string, outcome: string) => boolean

/** Faults that a careful client survives: none of them stays, and none hits more than two calls in a row. */
export const MOST_IN_A_ROW = 2

const MOST_FAULTS = 3
/** Faults hit one of the first calls, so that each run soon has them behind it. */
const LATEST_CALL = 12
const MOST_ATTEMPTS = 20

/** Draws combinations of faults from a seed. No combination comes twice. */
export class FaultDraws {
  readonly #random: SeededRandom
  readonly #observed: Observation
  readonly #operations: readonly string[]
  readonly #isKnown: IsKnown
  readonly #seen = new Set<string>()

  constructor(random: SeededRandom, observed: Observation, isKnown: IsKnown = () => false) {
    this.#random = random
    this.#observed = observed
    this.#operations = Object.keys(observed.calls)
      .filter((operation) => !isUnawaited(operation))
      .sort()
    this.#isKnown = isKnown
  }

  /** Returns the combination of that number. Undefined if there are no more. */
  scenario(number: number): ScenarioInput | undefined {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const parts = this.#draw(number, attempt)
      const key = JSON.stringify(parts)
      if (Object.keys(parts).length === 0 || this.#seen.has(key)) continue
      this.#seen.add(key)
      const drawn = { name: `faults-${number}`, ...parts }
      return { ...drawn, description: describeScenario(drawn).description }
    }
    return undefined
  }

  #draw(number: number, attempt: number): Omit<ScenarioInput, 'name'> {
    const draw = new Draw(this.#random, `${number} ${attempt}`)
    const hasWebhooks = this.#observed.deliveries > 0 && draw.unit('webhooks') < WEBHOOK_SHARE
    const webhooks = hasWebhooks ? [drawnWebhook(draw)] : undefined
    // Without other faults, a run shows what deliveries alone cause.
    if (webhooks && draw.unit('webhooks alone') < 0.5) return { webhooks }
    const faults = this.#faults(draw)
    return { ...(faults.length > 0 && { faults }), ...(webhooks && { webhooks }) }
  }

  #faults(draw: Draw): FaultInput[] {
    if (this.#operations.length === 0) return []
    const count = 1 + draw.below(MOST_FAULTS, 'count')
    const hits = new Map<string, Set<number>>()
    const faults: FaultInput[] = []
    for (let index = 0; index < count; index++) {
      const part = draw.of(`fault ${index}`)
      const operation = part.one(this.#operations, 'operation')
      const kind = part.one(kindsFor(operation), 'kind')
      if (this.#isKnown(operation, kind.outcome)) continue
      const calls = this.#calls(part, operation, kind)
      const taken = hits.get(operation) ?? new Set()
      hits.set(operation, taken)
      if (calls.some((call) => taken.has(call))) continue
      if (kind.isFaulty && longestRun([...taken, ...calls]) > MOST_IN_A_ROW) continue
      // A call with an odd answer counts, too: a client may repeat it.
      for (const call of calls) taken.add(call)
      faults.push({
        ...kind.fault,
        match: { operation },
        ...callsOrWindow(kind, calls),
      } as FaultInput)
    }
    return faults
  }

  #calls(draw: Draw, operation: string, { isFirst, isFaulty }: DrawnFaultKind): number[] {
    const made = Math.min(this.#observed.calls[operation] ?? 1, LATEST_CALL)
    const first = isFirst ? 1 : 1 + draw.below(made, 'first call')
    const isTwice = isFaulty && draw.unit('twice') < 0.3
    return isTwice ? [first, first + 1] : [first]
  }
}

function callsOrWindow(
  { isWindow }: DrawnFaultKind,
  calls: readonly number[],
): Partial<FaultInput> {
  if (isWindow) return { during: { to: '2s' } }
  return { calls: calls.length === 1 ? calls[0]! : [...calls] }
}

/** The longest run of numbers that follow each other. */
export function longestRun(numbers: readonly number[]): number {
  const sorted = [...new Set(numbers)].sort((one, other) => one - other)
  let longest = 0
  let run = 0
  for (const [index, number] of sorted.entries()) {
    run = sorted[index - 1] === number - 1 ? run + 1 : 1
    longest = Math.max(longest, run)
  }
  return longest
}

/** Draws for one purpose. */
class Draw {
  readonly #random: SeededRandom
  readonly #purpose: string

  constructor(random: SeededRandom, purpose: string) {
    this.#random = random
    this.#purpose = purpose
  }

  of(purpose: string): Draw {
    return new Draw(this.#random, `${this.#purpose} ${purpose}`)
  }

  unit(purpose: string): number {
    return this.#random.unit('explore', this.#purpose, purpose)
  }

  below(end: number, purpose: string): number {
    return Math.floor(this.unit(purpose) * end)
  }

  one<T>(values: readonly T[], purpose: string): T {
    return values[this.below(values.length, purpose)]!
  }
}

/** The share of combinations with webhooks, if the code receives any. */
const WEBHOOK_SHARE = 0.3

type Webhook = NonNullable<ScenarioInput['webhooks']>[number]
type Adversary = NonNullable<Webhook['adversary']>[number]

const adversaries: readonly Adversary[] = [
  { do: 'duplicate' },
  { do: 'duplicate', deliveries: { from: 2, every: 2 }, times: 3 },
  { do: 'reordered', deliveries: { every: 2 } },
  { do: 'delayed', deliveries: 1 },
  { do: 'late', deliveries: 1 },
]

function drawnWebhook(draw: Draw): Webhook {
  const adversary = draw.one(adversaries, 'adversary')
  if (draw.unit('down') < 0.25) {
    const down: Adversary = { do: 'down', from: '1s', to: '3s' }
    return { name: 'receiver', retries: ['1s', '2s', '4s'], adversary: [down, adversary] }
  }
  return { name: 'receiver', adversary: [adversary] }
}
