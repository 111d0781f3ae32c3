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

/** The job's training has begun, whatever became of it since. Raises `AssertionError`. */
export function assertStarted(job: JobHandle): void {
  assertPasses(toHaveStarted(job), assertStarted)
}

/** The job came to a good end. Raises `AssertionError`. */
export function assertEnded(job: JobHandle): void {
  assertPasses(toHaveEnded(job), assertEnded)
}

/** The job failed, with these words or with words like these where some are given. Raises `AssertionError`. */
export function assertFailed(job: JobHandle, message?: string | RegExp): void {
  assertPasses(toHaveFailed(job, message), assertFailed)
}

/** A request came that fits, exactly so many of them where `times` is given. Raises `AssertionError`. */
export function assertReceivedRequest(
  asked: Asked,
  meant: WhichRequest,
  options: RequestCount = {},
): void {
  requestCount.check(options, 'assertReceivedRequest')
  assertPasses(toHaveReceivedRequest(asked, meant, options), assertReceivedRequest)
}

/** A delivery came that fits, exactly so many of them where `count` is given. Raises `AssertionError`. */
export function assertReceivedWebhook(
  received: Received,
  match?: DeliveryMatch,
  options: DeliveryCount = {},
): void {
  deliveryCount.check(options, 'assertReceivedWebhook')
  assertPasses(toHaveReceivedWebhook(received, match, options), assertReceivedWebhook)
}

/** Such deliveries came one after the other, others between them or not. Raises `AssertionError`. */
export function assertReceivedInOrder(received: Received, matches: readonly DeliveryMatch[]): void {
  assertPasses(toHaveReceivedInOrder(received, matches), assertReceivedInOrder)
}

/** A delivery, or all that a sink received, is signed as it should be. Raises `AssertionError`. */
export function assertValidlySigned(received: Received | ReceivedDelivery): void {
  assertPasses(toBeValidlySigned(received), assertValidlySigned)
}

/** The stack begins where the test called `asserting`, not in here. */
function assertPasses({ pass, message }: Verdict, asserting: (...given: never[]) => void): void {
  if (!pass) throw new AssertionError({ message: message(), stackStartFn: asserting })
}
