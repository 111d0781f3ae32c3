import type { WhichRequest } from '../../testing/request-pattern.js'
import { toHaveEnded, toHaveFailed, toHaveStarted } from './jobs.js'
import { toHaveReceivedRequest, type RequestCount } from './requests.js'
import {
  toBeValidlySigned,
  toHaveReceivedInOrder,
  toHaveReceivedWebhook,
  type DeliveryCount,
} from './webhooks.js'
import type { DeliveryMatch } from '../../sink/match.js'

/**
 * The matchers for jobs, requests and webhooks.
 *
 * @example
 * expect.extend(matchers)
 */
export const matchers = {
  toHaveStarted,
  toHaveEnded,
  toHaveFailed,
  toHaveReceivedRequest,
  toHaveReceivedWebhook,
  toHaveReceivedInOrder,
  toBeValidlySigned,
}

/** The matchers that `expect(…)` has with them. `R` is the return type of the runner's matchers. */
export interface EmulatorMatchers<R = void> {
  /** For a job: passes if its training started, also if the job is over. */
  toHaveStarted: () => R
  /** For a job: passes if it ended successfully. */
  toHaveEnded: () => R
  /** For a job: passes if it failed. `message` is a part of its error message, or a pattern. */
  toHaveFailed: (message?: string | RegExp) => R
  /** For an emulator: passes if a matching request arrived, or exactly `times` of them. */
  toHaveReceivedRequest: (request: WhichRequest, options?: RequestCount) => R
  /** For a webhook sink: passes if a matching delivery arrived, or exactly `count` of them. */
  toHaveReceivedWebhook: (match?: DeliveryMatch, options?: DeliveryCount) => R
  /** For a webhook sink: passes if matching deliveries arrived in this order. Others may be between them. */
  toHaveReceivedInOrder: (matches: readonly DeliveryMatch[]) => R
  /** For a delivery or a webhook sink: passes if the delivery, or every one of the sink, has a valid signature. */
  toBeValidlySigned: () => R
}
