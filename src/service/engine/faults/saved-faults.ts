import type { FaultRule, Scenario } from '../../scenario/scenario.js'
import type { FieldsOf } from '../saved/record-fields.js'
import { ONLY, SECRET, type OnlyRecord, type SavedPart } from '../saved/saved-part.js'
import type { Complete } from '../saved/complete.js'
import type { FaultScope, LiveFaultState } from './live-fault.js'

type FaultsRecord = OnlyRecord<'faults', { faults: LiveFaultState[] }>

export interface FaultsWorld {
  readonly engine: {
    readonly scenario: Scenario
    readonly faults: {
      readonly state: Complete<LiveFaultState>[]
      apply: (rules: readonly FaultRule[]) => void
      restore: (states: readonly LiveFaultState[], later: number) => void
    }
  }
}

/** The faults that were added, and what all faults counted. They count the calls of each key. */
export const savedFaults: SavedPart<FaultsRecord, undefined, FaultsWorld> = {
  ...SECRET,
  kind: 'faults',
  isOne: true,
  fields({ strictObject, string, number, boolean, array, tuple, count, fault, moment }) {
    const scope = strictObject({
      key: string().exactOptional(),
      user: string().exactOptional(),
      model: string().exactOptional(),
    } satisfies FieldsOf<FaultScope>)
    const level = strictObject({ tokens: number().nonnegative(), at: moment })
    const state = strictObject({
      open: boolean(),
      hits: count,
      began: moment,
      calls: array(tuple([string(), count])),
      buckets: array(tuple([string(), level])),
      added: strictObject({
        id: string().regex(/^added-[1-9]\d{0,14}$/, 'expected added- and a number'),
        rule: fault,
        name: string(),
        scope,
      }).optional(),
    } satisfies FieldsOf<LiveFaultState>)
    return { faults: array(state) }
  },
  ofScenario: true,
  all: () => ONLY,
  moved: () => ONLY,
  content: (_thing, _id, { engine }) => ({ faults: engine.faults.state }),
  restore([saved], { engine: { faults, scenario } }, { later }) {
    faults.apply(scenario.faults)
    if (saved) faults.restore(saved.faults, later)
  },
}
