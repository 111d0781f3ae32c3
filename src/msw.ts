/**
 * Puts an emulator or a webhook sink behind MSW, so that tests need no port.
 *
 * @packageDocumentation
 */

export {
  handlers,
  type HandlersOptions,
  type Mocked,
  type ServiceHosts,
  sinkHandler,
} from './emulator/adapters/msw.js'
