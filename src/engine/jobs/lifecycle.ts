import type { Job, JobStatus } from './job.js'
import type { Move } from './script.js'
import { EmulatorError } from '../../text/emulator-error.js'

/** A move that clients see as an event. */
export type EventMove = Exclude<Move, { event: 'checkpoint' | 'stall' }>

/** Where each event may happen, and where it leads. The order is contract-facts section 7. */
const transitions: Readonly<
  Record<EventMove['event'], { from: readonly JobStatus[]; to: JobStatus }>
> = {
  training_started: { from: ['queued'], to: 'running' },
  gradient_step: { from: ['running'], to: 'running' },
  // Seen in the field without a start: a job may fail, or end, before it has begun.
  training_ended: { from: ['queued', 'running'], to: 'ended' },
  training_failed: { from: ['queued', 'running'], to: 'failed' },
}

/** Raised where a move is not allowed in the job's state. Code `SVTRAIN_ILLEGAL_MOVE`. */
export class IllegalMoveError extends EmulatorError {
  override readonly name = 'IllegalMoveError'
  readonly code = 'SVTRAIN_ILLEGAL_MOVE'
  constructor(job: Job, event: string) {
    const from = transitions[event as EventMove['event']].from.join(' or ')
    super(`Failed to add ${event} to job ${job.id}: it is ${job.status}, and must be ${from}.`)
  }
}

/**
 * The one writer of a job's state. What the event brings with it (a checkpoint, say) must be stored
 * before: clients look for it the instant they see the event.
 */
export function advanceJob(job: Job, move: EventMove, at: number): void {
  const { from, to } = transitions[move.event]
  if (!from.includes(job.status)) throw new IllegalMoveError(job, move.event)
  if (move.event === 'training_started') {
    job.started = move.data
    job.startedAt = at
  }
  if (move.event === 'gradient_step') job.gradientSteps++
  if (move.event === 'training_failed') job.errorMessage = move.error_message
  job.status = to
  job.moments.add(at)
  if (job.over) job.endedAt = at
}
