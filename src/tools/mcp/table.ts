import type { Tool } from './tool.js'
import { clockTools } from './tools/clock.js'
import { docsTools } from './tools/docs.js'
import { faultTools } from './tools/faults.js'
import { jobTools } from './tools/jobs.js'
import { requestTools } from './tools/requests.js'
import { scenarioTools } from './tools/scenarios.js'
import { statusTools } from './tools/status.js'
import { webhookTools } from './tools/webhooks.js'

/** The tools that exist on every transport. They use only the control API and the documentation. */
export const tools: readonly Tool[] = [
  ...statusTools,
  ...scenarioTools,
  ...jobTools,
  ...faultTools,
  ...clockTools,
  ...requestTools,
  ...webhookTools,
  ...docsTools,
]
