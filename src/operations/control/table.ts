import type { Operation } from '../operation.js'
import { clockOperations } from './clock.js'
import { faultOperations } from './faults.js'
import { infoOperations } from './info.js'
import { jobOperations } from './jobs.js'
import { modelOperations } from './models.js'
import { scenarioOperations } from './scenario.js'
import { streamOperations } from './stream.js'

/** The control API: what acts upon the emulator rather than the service that it stands in for. */
export const controlOperations: readonly Operation[] = [
  ...infoOperations,
  ...clockOperations,
  ...scenarioOperations,
  ...modelOperations,
  ...jobOperations,
  ...faultOperations,
  ...streamOperations,
]
