/**
 * Puts an emulator or a webhook sink behind MSW, so that tests need no port.
 *
 * @packageDocumentation
 */

import './base/text/web-globals.js'
export {
  handlers,
  type HandlersOptions,
  type Mocked,
  type ServiceHosts,
  sinkHandler,
} from './emulator/adapters/msw.js'
