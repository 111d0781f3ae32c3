import type { Operation } from '../../service/api/operation.js'
import { artifactOperations } from './artifacts.js'
import { automationOperations } from './automations.js'
import { clockOperations } from './clock.js'
import { deliveryOperations } from './deliveries.js'
import { evidenceOperations } from './evidence.js'
import { faultOperations } from './faults.js'
import { infoOperations } from './info.js'
import { jobOperations } from './jobs.js'
import { mcpOperations } from './mcp.js'
import { modelOperations } from './models.js'
import { reportOperations } from './reports.js'
import { requestOperations } from './requests.js'
import { runOperations } from './runs.js'
import { scenarioOperations } from './scenario.js'
import { secretOperations } from './secrets.js'
import { sinkOperations } from './sink.js'
import { snapshotOperations } from './snapshot.js'
import { streamOperations } from './stream.js'
import { triggerOperations } from './trigger.js'
import { webhookOperations } from './webhooks.js'

const beforeTools = [
  ...infoOperations,
  ...clockOperations,
  ...scenarioOperations,
  ...snapshotOperations,
  ...modelOperations,
  ...jobOperations,
  ...runOperations,
  ...artifactOperations,
  ...faultOperations,
  ...secretOperations,
  ...webhookOperations,
  ...automationOperations,
  ...triggerOperations,
  ...deliveryOperations,
  ...sinkOperations,
  ...requestOperations,
  ...evidenceOperations,
  ...reportOperations,
] satisfies readonly Operation[]

const afterTools = [...mcpOperations, ...streamOperations] satisfies readonly Operation[]

/** A row of the control API that no tool brings. */
export type ControlRow = (typeof beforeTools)[number] | (typeof afterTools)[number]

/**
 * Makes the table of the control API: it acts on the emulator, not on the emulated service.
 *
 * @param tools The rows that tools bring, such as those of explorations.
 */
export function controlTable<Row extends Operation>(
  tools: readonly Row[],
): readonly (ControlRow | Row)[] {
  return [...beforeTools, ...tools, ...afterTools]
}
