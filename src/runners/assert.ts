// The entry of `svtrain-emulator/assert`: for runners without matchers, such as node:test.
import { AssertionError } from 'node:assert'
import type { JobHandle } from '../testing/job-handle.js'
import type { WhichRequest } from '../testing/request-pattern.js'
import { toHaveEnded, toHaveFailed, toHaveStarted } from './matchers/jobs.js'
import {
  requestCount,
  toHaveReceivedRequest,
  type Asked,
  type RequestCount,
} from './matchers/requests.js'
import type { Verdict } from './matchers/verdict.js'
import {
  deliveryCount,
  toBeValidlySigned,
  toHaveReceivedInOrder,
  toHaveReceivedWebhook,
  type DeliveryCount,
  type Received,
} from './matchers/webhooks.js'
import type { DeliveryMatch } from '../sink/match.js'
import type { ReceivedDelivery } from '../sink/received-delivery.js'

/**
 * Asserts that the training of a job started. The job may be running or over by now.
 *
 * @param job A job of an emulator.
 * @throws {AssertionError} When it did not start. The message tells what happened.
 * @example
 * assertStarted(emulator.job())
 */
export function assertStarted(job: JobHandle): void {
  assertPasses(toHaveStarted(job), assertStarted)
}

/**
 * Asserts that a job ended successfully.
 *
 * @param job A job of an emulator.
 * @throws {AssertionError} When it did not. The message tells what happened.
 * @example
 * assertEnded(emulator.job({ model: 'poet' }))
 */
export function assertEnded(job: JobHandle): void {
  assertPasses(toHaveEnded(job), assertEnded)
}

/**
 * Asserts that a job failed.
 *
 * @param job A job of an emulator.
 * @param message A part of its error message, or a pattern. Default: any message.
 * @throws {AssertionError} When it did not, or failed with another message.
 * @example
 * assertFailed(emulator.job(), /out of memory/)
 */
export function assertFailed(job: JobHandle, message?: string | RegExp): void {
  assertPasses(toHaveFailed(job, message), assertFailed)
}

/**
 * Asserts that a matching request arrived.
 *
 * @param asked An emulator, or its `requests`.
 * @param meant The request that is expected.
 * @param options `times` is the exact number of requests. Default: one or more.
 * @throws {AssertionError} When it did not arrive. The message has the closest match.
 * @throws {OptionsError} When the pattern or an option can't be used.
 * @example
 * assertReceivedRequest(emulator, { operation: 'createModel' }, { times: 1 })
 */
export function assertReceivedRequest(
  asked: Asked,
  meant: WhichRequest,
  options: RequestCount = {},
): void {
  requestCount.check(options, 'assertReceivedRequest')
  assertPasses(toHaveReceivedRequest(asked, meant, options), assertReceivedRequest)
}

/**
 * Asserts that a matching delivery arrived.
 *
 * @param received A webhook sink, or deliveries of one.
 * @param match The delivery that is expected. Default: any.
 * @param options `count` is the exact number of deliveries. Default: one or more.
 * @throws {AssertionError} When it did not arrive. The message has the closest match.
 * @throws {OptionsError} When the match or an option can't be used.
 * @example
 * assertReceivedWebhook(sink, { event: 'RUN_STATE' })
 */
export function assertReceivedWebhook(
  received: Received,
  match?: DeliveryMatch,
  options: DeliveryCount = {},
): void {
  deliveryCount.check(options, 'assertReceivedWebhook')
  assertPasses(toHaveReceivedWebhook(received, match, options), assertReceivedWebhook)
}

/**
 * Asserts that matching deliveries arrived in this order. There may be others between them.
 *
 * @param received A webhook sink, or deliveries of one.
 * @param matches The deliveries that are expected.
 * @throws {AssertionError} When one of them did not arrive after the one before it.
 * @throws {OptionsError} When a match can't be used.
 * @example
 * assertReceivedInOrder(sink, [{ data: { state: 'running' } }, { data: { state: 'finished' } }])
 */
export function assertReceivedInOrder(received: Received, matches: readonly DeliveryMatch[]): void {
  assertPasses(toHaveReceivedInOrder(received, matches), assertReceivedInOrder)
}

/**
 * Asserts that a delivery, or every delivery of a sink, has a valid signature.
 *
 * @param received A delivery, a webhook sink, or deliveries of one.
 * @throws {AssertionError} When a signature is not valid. The message has the diagnosis.
 * @example
 * assertValidlySigned(sink)
 */
export function assertValidlySigned(received: Received | ReceivedDelivery): void {
  assertPasses(toBeValidlySigned(received), assertValidlySigned)
}

/** Throws an error whose stack starts at the test's call of `asserting`. */
function assertPasses({ pass, message }: Verdict, asserting: (...given: never[]) => void): void {
  if (!pass) throw new AssertionError({ message: message(), stackStartFn: asserting })
}
