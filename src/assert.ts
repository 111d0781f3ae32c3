/**
 * Assertions for test runners without matchers, such as `node:test`.
 *
 * @packageDocumentation
 */

export {
  assertEnded,
  assertFailed,
  assertReceivedInOrder,
  assertReceivedRequest,
  assertReceivedWebhook,
  assertStarted,
  assertValidlySigned,
} from './runners/assert.js'
