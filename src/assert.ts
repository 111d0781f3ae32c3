/**
 * Assertions for test runners without matchers, such as `node:test`.
 *
 * @packageDocumentation
 */

import './base/text/web-globals.js'
export {
  assertAnsweredBy,
  assertArtifactAlias,
  assertEnded,
  assertFailed,
  assertFinishedRun,
  assertLoggedMetric,
  assertReceivedInOrder,
  assertReceivedRequest,
  assertReceivedWebhook,
  assertStarted,
  assertValidlySigned,
} from './runners/assert.js'
