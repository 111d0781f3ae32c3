import { wallNow, withLimit } from '../../base/clock/wall.js'
import { isChatOperation, operationIdIn } from '../../service/contract/operation-names.js'
import type { Emulator } from '../../emulator/emulator.js'
import type { CheckName } from '../../service/scenario/check-names.js'
import {
  checksOfPrograms,
  findingsIn,
  type ClientChecks,
  type Finding,
} from '../../emulator/testing/client-checks.js'
import { deliveriesIn, isAcknowledged } from '../../emulator/testing/deliveries.js'
import { whyNothingApplied } from '../../emulator/testing/unapplied.js'
import { counted, countsOf } from '../../base/text/counted.js'
import { workIn } from './crash/work.js'
import type {
  CheckFinding,
  Observation,
  StillPending,
  Trial,
  TrialEnd,
  TrialResult,
  Use,
} from './exploration.js'
import { givenUpCalls, givenUpJobs, hungCallsIn, unanswered } from './hung-calls.js'
import { observedCalls, problemIn, type OperationEntry } from './observed-calls.js'

/** What `observe` reads of an emulator, or of one of its worlds. */
export type ObservedWorld = Pick<Emulator, 'engine' | 'journal' | 'seed' | 'webhooks'>

/** The check of deliveries is off: a program may end before the last ones arrive. */
const CHECKS: ClientChecks = { deliveries: false }

interface ObserveOptions extends Pick<Trial, 'compares'> {
  /** Whether the code is a program that makes its pauses in full. Functions in this process shorten them. */
  readonly isProgram?: boolean
  /** How many calls waited for an answer in vain before the code was stopped. Default: as many as now. */
  readonly hanging?: number | undefined
}

/**
 * Checks that only warn, and find what no loop does on purpose. If a loop does it under a fault, and not without one,
 * it does not notice the fault.
 */
export const TELLING: readonly CheckName[] = [
  'forgottenJobs',
  'cutOffAnswers',
  'failedCallsScored',
  'missingLogprobs',
]

/**
 * Returns what an emulator saw of the code under test. Call it when the code has ended, or before you stop
 * code that did not end.
 *
 * @param options Whether to say what the code made, and what it is.
 * @example
 * const { calls, findings } = observe(emulator)
 */
export function observe(
  emulator: ObservedWorld,
  {
    compares = false,
    isProgram = false,
    hanging = emulator.engine.delayed.hanging,
  }: ObserveOptions = {},
): Observation {
  const { engine, journal, webhooks } = emulator
  const equalEvents = equalEventsIn(webhooks.deliveries)
  const requests = observedCalls(journal)
  const jobs = [...engine.store.jobs.values()]
  const unfinished = jobs.filter(({ over }) => !over)
  // A function that moves the clock for one pause moves it for all of them.
  const isPaced = engine.clock.advanced > 0
  const all = findingsIn(emulator, isProgram || isPaced ? checksOfPrograms(emulator) : CHECKS)
  const { busyPolls } = engine.clientWaits.polls
  const unapplied = whyNothingApplied(emulator)
  const found = (severity: Finding['severity']): CheckFinding[] =>
    all
      .filter((each) => each.severity === severity)
      .map(({ check, text, requests: [id] }) => {
        const operation = requests.find((request) => request.id === id)?.operation
        return { check, text, ...(operation !== undefined && { operation }) }
      })
  const hung = hungCallsIn(requests, hanging)
  const warnings = found('warn').filter(({ check }) => TELLING.some((each) => each === check))
  return {
    calls: Object.fromEntries(countsOf(requests.map(({ operation }) => operationIdIn(operation)))),
    findings: found('fail'),
    ...(warnings.length > 0 && { warnings }),
    problem: problemIn(requests),
    pending: [
      ...unanswered(requests, hung).map((operation): StillPending => {
        return { kind: 'call', text: `${operation} got no answer` }
      }),
      ...unfinished.map(({ id, progress }): StillPending => {
        return { kind: 'job', text: polled(id, progress.status, requests) }
      }),
    ],
    gaveUp: givenUpCalls(requests, hung) ?? givenUpJobs(requests, jobs),
    ...(hung.left > 0 && { leftHanging: hung.left }),
    deliveries: deliveriesIn(journal.entries).filter((attempts) => attempts.some(isAcknowledged))
      .length,
    ...(equalEvents > 0 && { equalEvents }),
    ...(isPaced && busyPolls !== undefined && { busyPolls }),
    created: { jobs: jobs.length, models: engine.store.models.all().length },
    succeeded: jobs.filter(({ progress }) => progress.status === 'ended').length,
    uses: usesIn(requests, engine.chat.judge.count.calls),
    ...(unapplied !== undefined && { unapplied }),
    ...(compares && { work: workIn(emulator) }),
  }
}

/** Counts the accepted deliveries that had the bytes of an earlier event. */
function equalEventsIn(deliveries: ObservedWorld['webhooks']['deliveries']): number {
  const first = new Map<string, string>()
  return deliveries.filter(({ status, automation, text, event: { type, key } }) => {
    if (status !== 'delivered') return false
    const bytes = JSON.stringify([automation, text])
    const event = `${type} ${key}`
    if (!first.has(bytes)) first.set(bytes, event)
    return first.get(bytes) !== event
  }).length
}

function polled(id: string, status: string, requests: readonly OperationEntry[]): string {
  const polls = requests.filter(({ jobView }) => jobView?.jobId === id).length
  return `a job that is ${status} was polled ${counted(polls, 'time')}`
}

function usesIn(requests: readonly OperationEntry[], judged: number): Use[] {
  const bodies = requests
    .filter(({ operation }) => isChatOperation(operation))
    .map(({ body }) => Object(body) as Record<string, unknown>)
  const has: Record<Use, boolean> = {
    tools: bodies.some(({ tools }) => Array.isArray(tools) && tools.length > 0),
    logprobs: bodies.some((body) => body['logprobs'] === true || body['return_token_ids'] === true),
    judge: judged > 0,
    artifacts: requests.some(({ operation }) => operation.endsWith('.CommitArtifact')),
  }
  return (Object.keys(has) as Use[]).filter((use) => has[use])
}

/**
 * Returns the result of a trial that ended just now. Waits for the answers to deliveries that are under way, but
 * not long.
 *
 * @param options When the trial began, and what `observe` takes.
 */
export async function resultOf(
  world: ObservedWorld,
  end: TrialEnd,
  { from, ...options }: { from: number } & ObserveOptions,
): Promise<TrialResult> {
  const took = Math.round(wallNow() - from)
  const { webhooks } = world
  if (end.ended !== 'timeout' && webhooks.inFlight > 0) {
    await withLimit(webhooks.idle(), GRACE)
  }
  return { ...end, took, observed: observe(world, options) }
}

/** Milliseconds. */
const GRACE = 1000
