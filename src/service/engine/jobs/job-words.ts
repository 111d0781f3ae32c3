import type { TaskFacts } from '../../../base/clock/timer-queue.js'
import { counted } from '../../../base/text/counted.js'
import type { StepEntry } from '../journal-entry.js'
import type { JobEventWords } from '../journal-records.js'
import type { Job } from './job.js'
import type { Stall } from './job-state.js'
import type { EventMove } from './lifecycle.js'
import type { Move } from './script.js'

/** What a job does that stalls: `stalls`, or what it waits for. */
export function stallWords({ until }: Pick<Stall, 'until'>): string {
  return until === 'read' ? 'waits until a client reads it' : 'stalls'
}

/** Says why a stalled job does not go on, without its subject. */
export function stallText({ until }: Stall): string {
  return until === 'read' ? 'waits until a client reads its events' : 'is stalled'
}

/** What a scheduled move will do. A class: one is created for each move. */
export class PlannedMove implements TaskFacts {
  readonly kind = 'job'
  readonly #job: Job
  readonly #move: Move

  constructor(job: Job, move: Move) {
    this.#job = job
    this.#move = move
  }

  get jobId(): string {
    return this.#job.id
  }

  get cause(): number | undefined {
    return this.#job.cause
  }

  describe(): string {
    return `${this.#job.model.name} ${this.#job.id.slice(0, 8)} ${plannedWords(this.#job, this.#move)}`
  }
}

/** What a job does with a move that did not happen yet. */
function plannedWords({ progress: { gradientSteps }, script }: Job, move: Move): string {
  switch (move.event) {
    case 'training_started':
      return 'starts'
    case 'gradient_step':
      return `step ${gradientSteps + 1} of ${script.numSequences}`
    case 'checkpoint':
      return 'adds a checkpoint'
    case 'stall':
      return stallWords(move)
    case 'training_ended':
      return 'ends'
    case 'training_failed':
      return `fails: ${move.error_message}`
  }
}

/** What a job did, at this gradient step. */
export function movedWords(
  { script, submission }: Job,
  move: EventMove,
  step: number,
): JobEventWords {
  switch (move.event) {
    case 'training_started': {
      const why = submission.nothingToTrain
      const nothing = why === undefined ? '' : `; nothing to train: ${why}`
      return { text: `started, ${counted(script.numSequences, 'sequence')}${nothing}` }
    }
    case 'gradient_step': {
      const count = script.numSequences
      const all = script.metrics.at(step)
      const metrics = ['loss', 'reward'].flatMap((name): StepEntry['metrics'] => {
        const { [name]: value } = all
        return value === undefined ? [] : [[name, value]]
      })
      const values = metrics.map(([name, value]) => `, ${name} ${value}`)
      const text = `step ${step} of ${count}${values.join('')}`
      return { text, step: { number: step, count, metrics } }
    }
    case 'training_ended':
      return { text: 'ended' }
    case 'training_failed':
      return { text: `failed: ${move.error_message}` }
  }
}
