import { checkWebhooks } from '../service/scenario/check-added-webhooks.js'
import { checkPart, checkScenario } from '../service/scenario/check-scenario.js'
import type { FaultInput, FaultRule, JobRule } from '../service/scenario/scenario.js'
import { addedFault } from '../service/scenario/schema/faults.js'
import { job } from '../service/scenario/schema/jobs.js'
import { checkRecords } from './check-records.js'
import { readingSnapshot, readSnapshot } from './read-snapshot.js'

/** Checks the input of users. All of these need the schema library. */
const checks = {
  scenario: checkScenario,
  fault: (input: FaultInput): FaultRule => checkPart(addedFault, input, 'the fault'),
  /** Checks what happens to a job. Returns the rule of a job that it happens to. */
  timeline: (input: unknown): JobRule => checkPart(job, { timeline: input }, 'the timeline'),
  webhooks: checkWebhooks,
  snapshot: readSnapshot,
  readingSnapshot,
  records: checkRecords,
}

export type Checks = typeof checks

/** Where an emulator gets its checks. The command line loads them only when they are needed. */
export interface ChecksSource {
  readonly load: () => Promise<Checks>
  /** The checks. Reading it before `load` has resolved throws an error. */
  readonly loaded: Checks
}

/** The checks, loaded with this module. */
export const loadedChecks: ChecksSource = { load: () => Promise.resolve(checks), loaded: checks }
