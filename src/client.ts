/**
 * Controls an emulator in another process, over the control API. It needs only `fetch`.
 *
 * @packageDocumentation
 */

import './base/text/web-globals.js'
export {
  type BillWanted,
  type Client,
  type ClientOptions,
  ControlError,
  createClient,
  type ExploreWanted,
  type JobsWhere,
  type JobWanted,
  type ModelWanted,
  OptionsError,
  type ProxyWanted,
  type SettleBounds,
  type TrialEnded,
  UnreachableError,
  type UseOptions,
} from './compose/create-client.js'
export { EmulatorError } from './base/text/emulator-error.js'
