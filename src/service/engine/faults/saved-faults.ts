import type { FaultRule, Scenario } from '../../scenario/scenario.js'
import { ONLY, SECRET, type OnlyRecord, type SavedPart } from '../saved/saved-part.js'
import type { Complete } from '../saved/complete.js'
import { faultSchema, type LiveFaultState } from './live-fault.js'

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
  fields: (fields) => ({ faults: fields.array(faultSchema(fields)) }),
  ofScenario: true,
  all: () => ONLY,
  moved: () => ONLY,
  content: (_thing, _id, { engine }) => ({ faults: engine.faults.state }),
  restore([saved], { engine: { faults, scenario } }, { later }) {
    faults.apply(scenario.faults)
    if (saved) faults.restore(saved.faults, later)
  },
}
