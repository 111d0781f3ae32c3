import { refuseRemoved } from '../../../base/text/removed-error.js'
import { removedFromClient } from '../../../base/text/removed.js'
import type { Call } from './call.js'
import { emulatorMethods } from './emulator.js'
import { artifactsMethods } from './artifacts.js'
import { clockMethods } from './clock.js'
import { runsMethods } from './runs.js'
import { scenarioMethods } from './scenario.js'
import { modelsMethods } from './models.js'
import { jobsMethods } from './jobs.js'
import { faultsMethods } from './faults.js'
import { webhooksMethods } from './webhooks.js'
import { deliveriesMethods } from './deliveries.js'
import { requestsMethods } from './requests.js'
import { evidenceMethods } from './evidence.js'

/**
 * The methods of a client.
 *
 * @typeParam Tools The methods that tools bring.
 */
export type ControlMethods<Tools extends object> = ReturnType<typeof controlMethods<Tools>>

/**
 * Returns the methods of a client. A new row of the control API needs a method here.
 *
 * @param tools The methods that tools bring, such as those of explorations.
 */
export function controlMethods<Tools extends object>(call: Call, tools: Tools) {
  const methods = {
    ...emulatorMethods(call),
    ...clockMethods(call),
    ...scenarioMethods(call),
    ...tools,
    ...modelsMethods(call),
    ...jobsMethods(call),
    ...runsMethods(call),
    ...artifactsMethods(call),
    ...faultsMethods(call),
    ...webhooksMethods(call),
    ...deliveriesMethods(call),
    ...requestsMethods(call),
    ...evidenceMethods(call),
  }
  refuseRemoved(methods, removedFromClient, 'client')
  return methods
}
