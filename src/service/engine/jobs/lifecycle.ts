import type { Job, JobStatus } from './job.js'
import type { Move } from './script.js'
import { EmulatorError } from '../../../base/text/emulator-error.js'

/** A move that clients see as an event. */
export type EventMove = Exclude<Move, { event: 'checkpoint' | 'stall' }>

/** For each event: the states in which it may happen, and the state after it. See docs/explain/contract.md#jobs. */
const transitions: Readonly<
  Record<EventMove['event'], { from: readonly JobStatus[]; to: JobStatus }>
> = {
  training_started: { from: ['queued'], to: 'running' },
  gradient_step: { from: ['running'], to: 'running' },
  // Jobs of the real service have failed, or ended, without a start.
  training_ended: { from: ['queued', 'running'], to: 'ended' },
  training_failed: { from: ['queued', 'running'], to: 'failed' },
}

/** Thrown when the state of a job does not allow an event. Code `SVTRAIN_ILLEGAL_MOVE`. */
export class IllegalMoveError extends EmulatorError {
  override readonly name = 'IllegalMoveError'
  readonly code = 'SVTRAIN_ILLEGAL_MOVE'
  constructor(job: Job, event: EventMove['event']) {
    const from = transitions[event].from.join(' or ')
    super(
      `Failed to add ${event} to job ${job.id}: it is ${job.progress.status}, and must be ${from}.`,
    )
  }
}

/**
 * Changes the state of a job. No other code does. Before you call it, store what the event announces, such as a
 * checkpoint: clients read it as soon as they see the event.
 *
 * @throws {IllegalMoveError} When the state of the job does not allow the event.
 */
export function advanceJob(job: Job, move: EventMove, at: number): void {
  const { from, to } = transitions[move.event]
  if (!from.includes(job.progress.status)) throw new IllegalMoveError(job, move.event)
  if (move.event === 'training_started') {
    job.progress.started = move.data
    job.progress.startedAt = at
  }
  if (move.event === 'gradient_step') job.progress.gradientSteps++
  if (move.event === 'training_failed') job.progress.errorMessage = move.error_message
  job.progress.status = to
  job.events.moments.add(at)
  if (job.over) job.progress.endedAt = at
}
