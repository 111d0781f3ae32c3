import { checkPart, checkScenario, checkWebhooks } from '../scenario/check-scenario.js'
import type { FaultInput, FaultRule } from '../scenario/scenario.js'
import { fault } from '../scenario/schema/faults.js'
import { checkRecords } from './check-records.js'
import { readSnapshot } from './read-snapshot.js'

/** What checks the input of users. All of it needs the schema library. */
const checks = {
  scenario: checkScenario,
  fault: (input: FaultInput): FaultRule => checkPart(fault, input, 'The fault cannot be used:'),
  webhooks: checkWebhooks,
  snapshot: readSnapshot,
  records: checkRecords,
}

export type Checks = typeof checks

/** Where an emulator gets its checks. The command line loads them only when they are needed. */
export interface ChecksSource {
  readonly load: () => Promise<Checks>
  /** Throws an error before `load` has resolved. */
  readonly loaded: Checks
}

/** The checks, loaded with this module. */
export const loadedChecks: ChecksSource = { load: () => Promise.resolve(checks), loaded: checks }
