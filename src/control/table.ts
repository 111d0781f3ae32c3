import type { Operation } from '../api/operation.js'
import { operations as apiOperations } from '../api/table.js'
import { clockOperations } from './clock.js'
import { deliveryOperations } from './deliveries.js'
import { evidenceOperations } from './evidence.js'
import { exploreOperations } from './explore.js'
import { faultOperations } from './faults.js'
import { infoOperations } from './info.js'
import { jobOperations } from './jobs.js'
import { mcpOperations } from './mcp.js'
import { modelOperations } from './models.js'
import { reportOperations } from './reports.js'
import { requestOperations } from './requests.js'
import { scenarioOperations } from './scenario.js'
import { sinkOperations } from './sink.js'
import { snapshotOperations } from './snapshot.js'
import { streamOperations } from './stream.js'
import { webhookOperations } from './webhooks.js'

/** The control API: it acts on the emulator, not on the emulated service. */
export const controlOperations = [
  ...infoOperations,
  ...clockOperations,
  ...scenarioOperations,
  ...snapshotOperations,
  ...modelOperations,
  ...jobOperations,
  ...faultOperations,
  ...webhookOperations,
  ...deliveryOperations,
  ...sinkOperations,
  ...requestOperations,
  ...evidenceOperations,
  ...reportOperations,
  ...exploreOperations,
  ...mcpOperations,
  ...streamOperations,
] satisfies readonly Operation[]

/**
 * All operations: those of the emulated API, then those of the control API.
 *
 * @example
 * for (const { id, method, path } of operations) console.log(id, method, path)
 */
export const operations: readonly Operation[] = [...apiOperations, ...controlOperations]
