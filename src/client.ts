// The entry `svtrain-emulator/client`: controls an emulator in another process. It needs only `fetch`.

export {
  type Client,
  type ClientOptions,
  ControlError,
  createClient,
  type JobsWhere,
  type JobWanted,
  type ModelWanted,
  OptionsError,
  type SettleBounds,
  UnreachableError,
  type UseOptions,
} from './control/client/client.js'
export { EmulatorError } from './text/emulator-error.js'
