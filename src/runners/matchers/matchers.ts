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

/** For `expect.extend`. */
export const matchers = {
  toHaveStarted,
  toHaveEnded,
  toHaveFailed,
  toHaveReceivedRequest,
  toHaveReceivedWebhook,
  toHaveReceivedInOrder,
  toBeValidlySigned,
}

/** What `expect(…)` can be asked with them; `R` is what the runner's own matchers return. */
export interface EmulatorMatchers<R = void> {
  /** Of a job: its training has begun, whatever became of it since. */
  toHaveStarted: () => R
  /** Of a job: it came to a good end. */
  toHaveEnded: () => R
  /** Of a job: it failed, with these words or with words like these where some are given. */
  toHaveFailed: (message?: string | RegExp) => R
  /** Of an emulator: a request came that fits, exactly so many of them where `times` is given. */
  toHaveReceivedRequest: (meant: WhichRequest, options?: RequestCount) => R
  /** Of a webhook sink: a delivery came that fits, exactly so many of them where `count` is given. */
  toHaveReceivedWebhook: (match?: DeliveryMatch, options?: DeliveryCount) => R
  /** Of a webhook sink: such deliveries came one after the other, others between them or not. */
  toHaveReceivedInOrder: (matches: readonly DeliveryMatch[]) => R
  /** Of a delivery, or of all that a webhook sink received: it is signed as it should be. */
  toBeValidlySigned: () => R
}
