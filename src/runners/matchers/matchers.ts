import type { WhichRequest } from '../../emulator/testing/request-pattern.js'
import { toHaveEnded, toHaveFailed, toHaveStarted } from './jobs.js'
import { toHaveReceivedRequest, type RequestCount } from './requests.js'
import {
  toBeValidlySigned,
  toHaveReceivedInOrder,
  toHaveReceivedWebhook,
  type DeliveryCount,
} from './webhooks.js'
import type { DeliveryMatch } from '../../webhooks/sink/match.js'

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

/** The matchers that `expect(…)` gets from `matchers`. `R` is the return type of the runner's matchers. */
export interface EmulatorMatchers<R = void> {
  /**
   * Passes if the training of a job started. The job may be over.
   *
   * @example
   * expect(emulator.job()).toHaveStarted()
   */
  toHaveStarted: () => R
  /**
   * Passes if a job ended successfully.
   *
   * @example
   * expect(emulator.job({ model: 'poet' })).toHaveEnded()
   */
  toHaveEnded: () => R
  /**
   * Passes if a job failed.
   *
   * @param message A part of its error message, or a pattern. Default: any message.
   * @example
   * expect(emulator.job()).toHaveFailed(/out of memory/)
   */
  toHaveFailed: (message?: string | RegExp) => R
  /**
   * Passes if an emulator received a matching request.
   *
   * @param request The id of an operation, or a pattern.
   * @param options `times` is the exact number of requests. Default: one or more.
   * @example
   * expect(emulator).toHaveReceivedRequest('createRlTrainingJob', { times: 1 })
   */
  toHaveReceivedRequest: (request: WhichRequest, options?: RequestCount) => R
  /**
   * Passes if a webhook sink received a matching delivery.
   *
   * @param match The delivery that is expected. Default: any.
   * @param options `count` is the exact number of deliveries. Default: one or more.
   * @example
   * expect(sink).toHaveReceivedWebhook({ event: 'RUN_STATE', body: { run_state: 'failed' } })
   */
  toHaveReceivedWebhook: (match?: DeliveryMatch, options?: DeliveryCount) => R
  /**
   * Passes if a webhook sink received matching deliveries in this order. Others may be between them.
   *
   * @param matches The deliveries that are expected.
   * @example
   * expect(sink).toHaveReceivedInOrder([{ body: { run_state: 'running' } }, { verdict: 'valid' }])
   */
  toHaveReceivedInOrder: (matches: readonly DeliveryMatch[]) => R
  /**
   * Passes if a delivery, or every delivery of a webhook sink, has a valid signature.
   *
   * @example
   * expect(sink).toBeValidlySigned()
   */
  toBeValidlySigned: () => R
}
