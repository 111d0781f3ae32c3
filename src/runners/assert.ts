// Assertions for runners without matchers, such as node:test.
import { AssertionError } from 'node:assert'
import type { JobHandle } from '../emulator/testing/job-handle.js'
import type { WhichRequest } from '../emulator/testing/request-pattern.js'
import {
  answeringModel,
  toHaveAnsweredBy,
  type AnsweringModel,
  type WithLineage,
} from './matchers/chats.js'
import { toHaveEnded, toHaveFailed, toHaveStarted } from './matchers/jobs.js'
import {
  requestCount,
  toHaveReceivedRequest,
  type RequestCount,
  type WithRequests,
} from './matchers/requests.js'
import {
  aliasedVersion,
  loggedMetric,
  toHaveArtifactAlias,
  toHaveFinishedRun,
  toHaveLoggedMetric,
  type AliasedVersion,
  type LoggedMetric,
  type WithArtifacts,
  type WithRuns,
} from './matchers/platform.js'
import type { Verdict } from './matchers/verdict.js'
import {
  deliveryCount,
  toBeValidlySigned,
  toHaveReceivedInOrder,
  toHaveReceivedWebhook,
  type DeliveryCount,
  type Received,
} from './matchers/webhooks.js'
import type { DeliveryMatch } from '../webhooks/sink/match.js'
import type { ReceivedDelivery } from '../webhooks/sink/received-delivery.js'

/**
 * Asserts that the training of a job started. It passes for jobs that run and for jobs that are over.
 *
 * @param job A job of an emulator.
 * @throws {AssertionError} When it did not start. The message says what happened to the job.
 * @throws {TypeError} When the value is not a job.
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
 * @throws {AssertionError} When it failed or has not ended. The message says what happened to the job.
 * @throws {TypeError} When the value is not a job.
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
 * @throws {AssertionError} When it did not fail, or failed with another message.
 * @throws {TypeError} When the value is not a job.
 * @throws {OptionsError} When `message` is not a text or a pattern.
 * @example
 * assertFailed(emulator.job(), /out of memory/)
 */
export function assertFailed(job: JobHandle, message?: string | RegExp): void {
  assertPasses(toHaveFailed(job, message), assertFailed)
}

/**
 * Asserts that a matching request arrived.
 *
 * @param emulator An emulator, or its `requests`.
 * @param request The request that is expected: the name of an operation, or a pattern.
 * @param options `times` is the exact number of requests. Default: one or more.
 * @throws {AssertionError} When it did not arrive. The message contains the nearest request.
 * @throws {TypeError} When the value is not an emulator.
 * @throws {OptionsError} When the pattern or an option can't be used.
 * @throws {UnknownOperationError} When there is no such operation.
 * @example
 * assertReceivedRequest(emulator, { operation: 'createModel' }, { times: 1 })
 */
export function assertReceivedRequest(
  emulator: WithRequests,
  request: WhichRequest,
  options: RequestCount = {},
): void {
  requestCount.check(options, 'assertReceivedRequest')
  assertPasses(toHaveReceivedRequest(emulator, request, options), assertReceivedRequest)
}

/**
 * Asserts that the checkpoint of a step gave the latest answer to a chat.
 *
 * @param emulator An emulator.
 * @param step The step of the checkpoint.
 * @param options `model` is the name of the model whose latest answer counts. Default: any.
 * @throws {AssertionError} When another checkpoint gave it, or none. The message has the latest answers.
 * @throws {TypeError} When the value is not an emulator.
 * @throws {OptionsError} When an argument can't be used.
 * @example
 * assertAnsweredBy(emulator, 2, { model: 'poet' })
 */
export function assertAnsweredBy(
  emulator: WithLineage,
  step: number,
  options: AnsweringModel = {},
): void {
  answeringModel.check(options, 'assertAnsweredBy')
  assertPasses(toHaveAnsweredBy(emulator, step, options), assertAnsweredBy)
}

/**
 * Asserts that a run logged a metric.
 *
 * @param emulator An emulator, or its `runs`.
 * @param metric The name of the metric.
 * @param options The run, the step and the value. Default: any value of the newest run.
 * @throws {AssertionError} When it did not. The message has what was logged, and the nearest name.
 * @throws {NotFoundError} When there is no such run.
 * @throws {TypeError} When the value is not an emulator.
 * @throws {OptionsError} When an argument can't be used.
 * @example
 * assertLoggedMetric(emulator, 'val/reward', { step: 3, value: 0.75 })
 */
export function assertLoggedMetric(
  emulator: WithRuns,
  metric: string,
  options: LoggedMetric = {},
): void {
  loggedMetric.check(options, 'assertLoggedMetric')
  assertPasses(toHaveLoggedMetric(emulator, metric, options), assertLoggedMetric)
}

/**
 * Asserts that a run finished: its program exited with 0.
 *
 * @param emulator An emulator, or its `runs`.
 * @param run Its path `entity/project/name`, or its name alone. Default: the newest run.
 * @throws {AssertionError} When it runs, or ended in another way. The message has its state.
 * @throws {NotFoundError} When there is no such run.
 * @throws {TypeError} When the value is not an emulator.
 * @throws {OptionsError} When `run` can't be used.
 * @example
 * assertFinishedRun(emulator, 'local-team/verse/poem')
 */
export function assertFinishedRun(emulator: WithRuns, run?: string): void {
  assertPasses(toHaveFinishedRun(emulator, run), assertFinishedRun)
}

/**
 * Asserts that an artifact has an alias.
 *
 * @param emulator An emulator, or its `artifacts`.
 * @param artifact Its path `entity/project/name`, or its name alone.
 * @param alias The alias.
 * @param options `version` is the version that the alias must mean. Default: any.
 * @throws {AssertionError} When it does not. The message has its aliases, and the nearest one.
 * @throws {NotFoundError} When there is no such artifact.
 * @throws {TypeError} When the value is not an emulator.
 * @throws {OptionsError} When an argument can't be used.
 * @example
 * assertArtifactAlias(emulator, 'rows', 'best', { version: 'v0' })
 */
export function assertArtifactAlias(
  emulator: WithArtifacts,
  artifact: string,
  alias: string,
  options: AliasedVersion = {},
): void {
  aliasedVersion.check(options, 'assertArtifactAlias')
  assertPasses(toHaveArtifactAlias(emulator, artifact, alias, options), assertArtifactAlias)
}

/**
 * Asserts that a matching delivery arrived.
 *
 * @param received A webhook sink, or deliveries of a sink.
 * @param match The delivery that is expected. Default: any.
 * @param options `count` is the exact number of deliveries. Default: one or more.
 * @throws {AssertionError} When it did not arrive. The message contains the nearest delivery.
 * @throws {TypeError} When the value is not a sink.
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
 * @param received A webhook sink, or deliveries of a sink.
 * @param matches The deliveries that are expected.
 * @throws {AssertionError} When one of them did not arrive after the one before it.
 * @throws {TypeError} When the value is not a sink.
 * @throws {OptionsError} When a match can't be used.
 * @example
 * assertReceivedInOrder(sink, [{ body: { run_state: 'running' } }, { body: { run_state: 'finished' } }])
 */
export function assertReceivedInOrder(received: Received, matches: readonly DeliveryMatch[]): void {
  assertPasses(toHaveReceivedInOrder(received, matches), assertReceivedInOrder)
}

/**
 * Asserts that a delivery, or every delivery of a sink, has a valid signature.
 *
 * @param received A delivery, a webhook sink, or deliveries of a sink.
 * @throws {AssertionError} When a signature is not valid, or nothing arrived. The message contains the
 *   diagnosis.
 * @throws {TypeError} When the value is not a sink or a delivery.
 * @example
 * assertValidlySigned(sink)
 */
export function assertValidlySigned(received: Received | ReceivedDelivery): void {
  assertPasses(toBeValidlySigned(received), assertValidlySigned)
}

/** Throws an error whose stack starts at the test's call of `asserting`. */
function assertPasses({ pass, message }: Verdict, asserting: (...args: never[]) => void): void {
  if (!pass) throw new AssertionError({ message: message(), stackStartFn: asserting })
}
