import { toHaveAnsweredBy, type AnsweringModel } from './chats.js'
import type { WhichRequest } from '../../emulator/testing/request-pattern.js'
import { toHaveEnded, toHaveFailed, toHaveStarted } from './jobs.js'
import {
  toHaveArtifactAlias,
  toHaveFinishedRun,
  toHaveLoggedMetric,
  type AliasedVersion,
  type LoggedMetric,
} from './platform.js'
import { toHaveReceivedRequest, type RequestCount } from './requests.js'
import type { Verdict } from './verdict.js'
import {
  toBeValidlySigned,
  toHaveReceivedInOrder,
  toHaveReceivedWebhook,
  type DeliveryCount,
} from './webhooks.js'
import type { DeliveryMatch } from '../../webhooks/sink/match.js'

/**
 * The matchers for jobs, requests, runs, artifacts and webhooks.
 *
 * @example
 * expect.extend(matchers)
 */
export const matchers = {
  toHaveStarted,
  toHaveEnded,
  toHaveFailed,
  toHaveReceivedRequest,
  toHaveAnsweredBy,
  toHaveLoggedMetric,
  toHaveFinishedRun,
  toHaveArtifactAlias,
  toHaveReceivedWebhook,
  toHaveReceivedInOrder,
  toBeValidlySigned,
} satisfies {
  [Name in keyof EmulatorMatchers]: (
    received: never,
    ...expected: Parameters<EmulatorMatchers[Name]>
  ) => Verdict
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
   * Passes if the checkpoint of a step gave the latest answer to a chat.
   *
   * @param step The step of the checkpoint.
   * @param options `model` is the name of the model whose latest answer counts. Default: any.
   * @example
   * expect(emulator).toHaveAnsweredBy(2, { model: 'poet' })
   */
  toHaveAnsweredBy: (step: number, options?: AnsweringModel) => R
  /**
   * Passes if a run logged a metric.
   *
   * @param metric The name of the metric.
   * @param options The run, the step and the value. Default: any value of the newest run.
   * @example
   * expect(emulator).toHaveLoggedMetric('val/reward', { value: (reward) => Number(reward) > 0.5 })
   */
  toHaveLoggedMetric: (metric: string, options?: LoggedMetric) => R
  /**
   * Passes if a run finished: its program exited with 0.
   *
   * @param run Its path `entity/project/name`, or its name alone. Default: the newest run.
   * @example
   * expect(emulator).toHaveFinishedRun('local-team/verse/poem')
   */
  toHaveFinishedRun: (run?: string) => R
  /**
   * Passes if an artifact has an alias.
   *
   * @param artifact Its path `entity/project/name`, or its name alone.
   * @param alias The alias.
   * @param options `version` is the version that the alias must mean. Default: any.
   * @example
   * expect(emulator).toHaveArtifactAlias('rows', 'best', { version: 'v0' })
   */
  toHaveArtifactAlias: (artifact: string, alias: string, options?: AliasedVersion) => R
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
