import { mix32, type Hash128 } from '../../../base/random/random.js'
import { milliseconds } from '../../../base/text/duration.js'
import { StepMetrics } from './metrics.js'
import type {
  CheckpointOptions,
  GradientSteps,
  JobKind,
  JobRule,
  TimelineStep,
} from '../../scenario/scenario.js'
import { announced } from './rule.js'
import { DROPPED, type Submission } from './submission.js'

/**
 * One move of a job. `after` is the time since the move before, in milliseconds. `paused` is set if the timeline has
 * a pause between the two.
 */
export type Move = { readonly after: number; readonly paused?: true | undefined } & (
  | { event: 'training_started'; data: Readonly<Record<string, unknown>> }
  | { event: 'gradient_step' }
  | { event: 'checkpoint'; checkpoint: CheckpointOptions }
  | { event: 'stall'; until?: 'read' | undefined }
  | { event: 'training_ended'; checkpoint: CheckpointOptions | false }
  | { event: 'training_failed'; error_message: string }
)

export type ScriptPlace = readonly [position: number, repetition: number, taken: number]

/**
 * The script of one job: its moves, in order, and the metrics of each gradient step. It is made from the rule
 * that applies to the job. Moves are computed one by one, so a long job needs no more memory than a short one.
 */
export class Script {
  readonly numSequences: number
  readonly #timeline: readonly TimelineStep[]
  readonly #sequences: number
  /** How many trajectories or examples were too long. Empty if none was. */
  readonly #dropped: Readonly<Record<string, unknown>>
  readonly metrics: StepMetrics
  readonly #hash: Hash128
  #position = 0
  /** The number of gradient steps taken in the current timeline step. */
  #repetition = 0
  /** The number of gradient steps taken in total. */
  #taken = 0

  constructor(
    rule: JobRule,
    submission: Submission,
    { kind, hash }: { kind: JobKind; hash: Hash128 },
  ) {
    this.#timeline = timelineOf(rule, submission)
    this.#sequences = submission.sequences
    const { [DROPPED]: dropped } = submission.metrics
    this.#dropped = dropped === undefined ? {} : { [DROPPED]: dropped }
    this.#hash = hash
    const gradients = this.#timeline.filter((step) => step.event === 'gradient_step')
    this.numSequences = rule.num_sequences ?? announced(this.#timeline, this.#sequences)
    const { numSequences } = this
    this.metrics = new StepMetrics({ kind, gradients, submission, numSequences, key: hash[0] })
  }

  /** The current position, to save. `resumeFrom` restores it. */
  get place(): ScriptPlace {
    return [this.#position, this.#repetition, this.#taken]
  }

  resumeFrom([position, repetition, taken]: ScriptPlace): void {
    this.#position = position
    this.#repetition = repetition
    this.#taken = taken
  }

  /** Returns the next move. Undefined if the job has ended, or if it never ends. */
  next(): Move | undefined {
    let paused: number | undefined
    for (;;) {
      const step = this.#timeline[this.#position]
      if (step === undefined || step.event === 'never') return undefined
      if (step.event === 'gradient_step') {
        const after = this.#gradient(step)
        if (after !== undefined) return delayed({ event: 'gradient_step', after }, paused)
        continue
      }
      this.#position++
      if (step.event === 'pause') paused = (paused ?? 0) + milliseconds(step.for)
      else return delayed(this.#move(step), paused)
    }
  }

  /**
   * Returns the time until the next gradient step of a timeline step. Undefined if all of them are taken. Then
   * the position moves to the next timeline step.
   */
  #gradient(step: GradientSteps): number | undefined {
    const count = step.count ?? this.#sequences
    if (this.#repetition >= count) {
      this.#position++
      this.#repetition = 0
      return undefined
    }
    const longest = step.within === undefined ? Infinity : milliseconds(step.within) / count
    const every = Math.min(milliseconds(step.every), longest)
    const first = this.#repetition++ === 0
    const plain = first && step.after !== undefined ? milliseconds(step.after) : every
    const taken = this.#taken++
    if (step.jitter === undefined) return plain
    const draw = mix32(this.#hash[1] ^ mix32(taken)) / 2 ** 31 - 1
    return Math.max(0, plain + Math.round(draw * milliseconds(step.jitter)))
  }

  #move(step: Exclude<TimelineStep, GradientSteps | PauseStep>): Move {
    if (step.event === 'stall') {
      return { event: 'stall', after: 0, ...(step.until === 'read' && { until: step.until }) }
    }
    const after = milliseconds(step.after)
    switch (step.event) {
      case 'training_started': {
        const data = { num_sequences: this.numSequences, ...this.#dropped, ...step.data }
        return { event: 'training_started', after, data }
      }
      case 'checkpoint':
        return { event: 'checkpoint', after, checkpoint: step }
      case 'training_ended': {
        const { checkpoint } = step
        return { event: 'training_ended', after, checkpoint: checkpoint === true ? {} : checkpoint }
      }
      case 'training_failed':
        return { event: 'training_failed', after, error_message: step.error_message }
    }
  }
}

/** Delays a move by the pauses before it, if there are any. */
function delayed(move: Move, paused: number | undefined): Move {
  return paused === undefined ? move : { ...move, after: paused + move.after, paused: true }
}

/** A step that makes no move. */
type PauseStep = Extract<TimelineStep, { event: 'pause' | 'never' }>

/** Returns the timeline of a job. As in the real service, one with bad data fails when training starts. */
export function timelineOf(
  { timeline }: JobRule,
  { flaw }: Pick<Submission, 'flaw'>,
): readonly TimelineStep[] {
  if (flaw === undefined) return timeline
  return [{ event: 'training_failed', after: '500ms', error_message: flaw }]
}
