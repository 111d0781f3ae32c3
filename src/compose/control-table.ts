import type { Operation } from '../service/api/operation.js'
import { operations as apiOperations } from '../service/api/table.js'
import { controlTable } from '../emulator/control/table.js'
import { billOperations } from '../tools/bill/control-rows.js'
import { exploreOperations } from '../tools/explore/control-rows.js'
import { proxyOperations } from '../emulator/intercept/control-rows.js'

/** The control API, with the rows of all tools. A tool with control calls adds its rows here. */
export const controlOperations = controlTable([
  ...billOperations,
  ...exploreOperations,
  ...proxyOperations,
])

/**
 * All operations: those of the emulated API, then those of the control API.
 *
 * @example
 * for (const { id, method, path } of operations) console.log(id, method, path)
 */
export const operations: readonly Operation[] = [...apiOperations, ...controlOperations]
