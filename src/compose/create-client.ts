import { callOf, type ClientOptions } from '../emulator/control/client/http-call.js'
import { controlMethods, type ControlMethods } from '../emulator/control/client/methods.js'
import type { ControlRow } from '../emulator/control/table.js'
import { billMethods, type BillMethods, type BillOperation } from '../tools/bill/control-client.js'
import {
  exploreMethods,
  type ExploreMethods,
  type ExploreRow,
} from '../tools/explore/control-client.js'
import {
  proxyMethods,
  type ProxyMethods,
  type ProxyRow,
} from '../emulator/intercept/control-client.js'

export { OptionsError } from '../base/text/options.js'
export type { SettleBounds } from '../emulator/control/client/clock.js'
export { ControlError, UnreachableError } from '../emulator/control/client/control-errors.js'
export type { ClientOptions } from '../emulator/control/client/http-call.js'
export type { JobsWhere, JobWanted } from '../emulator/control/client/jobs.js'
export type { ModelWanted } from '../emulator/control/client/models.js'
export type { UseOptions } from '../emulator/control/client/scenario.js'
export type { BillWanted } from '../tools/bill/control-client.js'
export type { ExploreWanted, TrialEnded } from '../tools/explore/control-client.js'
export type { ProxyWanted } from '../emulator/intercept/control-client.js'

/**
 * A client that controls an emulator in another process. Its methods are calls of the control API. Many are like those of
 * an emulator in process, and not all: `jobs.create` and `requests.wait` here are `jobs.start` and `requests.waitFor`
 * there. Each rejects with `ControlError` if the emulator refuses the call, and with `UnreachableError` if no emulator
 * answers.
 *
 * @example
 * const { id } = await client.jobs.create({ model: 'poet' })
 * await client.clock.advance('10m')
 * console.log((await client.jobs.get(id)).status)
 */
export type Client = ControlMethods<BillMethods & ExploreMethods & ProxyMethods>

/**
 * Creates a client that controls an emulator in another process, by `fetch` alone.
 *
 * @param options Where the emulator is, and the token that it asks for.
 * @returns The client.
 * @throws {OptionsError} When an option is unknown or has a wrong value.
 * @example
 * const client = createClient({ url: 'http://127.0.0.1:4600' })
 * await client.jobs.create({ model: 'poet' })
 */
export function createClient(options: ClientOptions): Client {
  // A tool with control calls adds its rows and its methods here.
  const call = callOf<ControlRow | BillOperation | ExploreRow | ProxyRow>(options)
  return controlMethods(call, {
    ...billMethods(call),
    ...exploreMethods(call),
    ...proxyMethods(call),
  })
}
