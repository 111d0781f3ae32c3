// The entry `svtrain-emulator/assert`: for runners without matchers, such as node:test.

export {
  assertEnded,
  assertFailed,
  assertReceivedInOrder,
  assertReceivedRequest,
  assertReceivedWebhook,
  assertStarted,
  assertValidlySigned,
} from './runners/assert.js'
