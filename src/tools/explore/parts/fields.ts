import { SeededRandom } from '../../../base/random/random.js'
import { operations } from '../../../service/api/table.js'
import {
  variationsOf,
  type Variation,
  type VariationKind,
} from '../../../service/contract/variations.js'
import type { FaultInput } from '../../../service/scenario/scenario.js'
import { describeScenario } from '../describe-scenario.js'
import type { DrawnPart } from '../part.js'
import { mayBecome } from '../recoverable.js'

/** Answers whose fields differ as the contract allows. A run has one kind of change, in an answer of each operation. */
export const fields: DrawnPart = {
  kind: 'fields',
  // 50 runs have one of each kind but the last.
  share: 0.06,
  counted: ['run with changed fields', 'runs with changed fields'],
  isFinite: true,
  *plan({ observed: { calls }, seed }) {
    const random = new SeededRandom(seed)
    const varied = Object.keys(calls)
      .sort()
      .map((operation) => ({ operation, made: calls[operation]!, all: variationsIn(operation) }))
    for (let number = 1; number <= MOST_RUNS; number++) {
      const kind = KINDS[(number - 1) % KINDS.length]!
      const faults = varied.flatMap(({ operation, made, all }): FaultInput[] => {
        const draw = (of: string): number =>
          random.unit('explore', `fields ${number}`, operation, of)
        // The first run of a kind has all that fit together, and later ones about half of them.
        const drawn = all.filter((each) => {
          return each.kind === kind && (number <= KINDS.length || draw(each.path) < 0.5)
        })
        if (drawn.length === 0) return []
        const call = 1 + Math.floor(draw('call') * Math.min(made, LATEST_CALL))
        const paths = withoutHidden(drawn).map(({ path }) => path)
        const edit = editOf(paths, valueOf(kind, draw('value')))
        return [{ ...edit, match: { operation }, calls: call }]
      })
      if (faults.length === 0) continue
      const name = `fields-${number}`
      const { description } = describeScenario({ faults })
      yield {
        name: `fields ${number}`,
        scenario: { name, description, faults },
        expects: 'success',
      }
    }
  },
  mayBecome,
}

/**
 * What the contract says nothing about comes last: the newest client does not survive it, and no code can help it. See
 * docs/how-to/explore.md.
 */
const KINDS: readonly VariationKind[] = ['absent', 'null', 'added', 'any']
const MOST_RUNS = 40
/** Changes hit one of the first calls, so that each run soon has them behind it. */
const LATEST_CALL = 12

/** How answers of an operation may differ. Queries about runs and artifacts get the fields that they name. */
function variationsIn(operation: string): Variation[] {
  const row = operations.find(({ id }) => id === operation)
  return row ? variationsOf(row.response) : []
}

/** Leaves out what another change takes away, because the client would not see it. */
function withoutHidden(variations: readonly Variation[]): Variation[] {
  return variations.filter(({ kind, path }) => {
    const hides = (other: Variation): boolean => path.startsWith(`${other.path}.`)
    return kind === 'added' || !variations.some(hides)
  })
}

/** The fault that gives fields a value. Undefined: it removes them. */
function editOf(paths: string[], value: Value): Extract<FaultInput, { fault: 'edit' }> {
  if (value === undefined) return { fault: 'edit', remove: paths }
  return { fault: 'edit', set: Object.fromEntries(paths.map((path) => [path, value])) }
}

type Value = string | boolean | null | undefined

const ANYTHING: readonly Value[] = ['n/a', null, undefined]

/** @param drawn - From 0 to 1. It chooses a value if there are several. */
function valueOf(kind: VariationKind, drawn: number): Value {
  if (kind === 'any') return ANYTHING[Math.floor(drawn * ANYTHING.length)]
  return { absent: undefined, null: null, added: true }[kind]
}
