import type { Chance } from '../world/random.js'
import type { Clock } from '../world/clock.js'
import type { Checkpoint } from './checkpoints.js'
import { milliseconds } from '../world/duration.js'
import type { Happenings } from './happenings.js'
import type { Job } from './job.js'
import type { ModelState } from './model.js'
import type { CheckpointOptions } from './scenario.js'

interface CheckpointingWorld {
  readonly clock: Clock
  readonly chance: Chance
  readonly happenings: Happenings
}

interface Added extends CheckpointOptions {
  job?: Job | undefined
  /** The journal entry of what led to it. */
  cause?: number | undefined
}

/** The one writer of checkpoints and aliases. */
export class Checkpointing {
  readonly #world: CheckpointingWorld

  constructor(world: CheckpointingWorld) {
    this.#world = world
  }

  /** Adds the checkpoint that follows the latest one: step 0 where there is none at all. */
  add(
    model: ModelState,
    { job, cause, metrics, served_after, evicted_after }: Added = {},
  ): Checkpoint {
    const { chance, clock, happenings } = this.#world
    const { checkpoints, record } = model
    const at = clock.now()
    // With all of them deleted the counter starts at 1: step 0 is the untrained adapter's own.
    const untouched = checkpoints.timesMade(0) === 0
    const step = untouched ? 0 : (checkpoints.latest?.step ?? 0) + 1
    const checkpoint: Checkpoint = {
      id: chance.uuid('checkpoint', record.id, step, checkpoints.timesMade(step)),
      step,
      createdAt: at,
      metrics: new Map([...trainingMetrics(job), ...Object.entries(metrics ?? {})]),
      servedFrom: served_after === undefined ? undefined : at + milliseconds(served_after),
      servedUntil: evicted_after === undefined ? undefined : at + milliseconds(evicted_after),
    }
    checkpoints.add(checkpoint)
    if (job) job.checkpointStep = step
    happenings.tell({ event: 'checkpoint_added', at, model, checkpoint, job, cause })
    return checkpoint
  }

  /** Gives a checkpoint a name of its own, taking it from the one that had it. */
  alias(model: ModelState, alias: string, { checkpoint, cause }: Aliased): void {
    const { clock, happenings } = this.#world
    model.aliases.set(alias, checkpoint)
    happenings.tell({ event: 'alias_added', at: clock.now(), model, checkpoint, alias, cause })
  }
}

interface Aliased {
  checkpoint: Checkpoint
  cause?: number | undefined
}

/** What training leaves on a checkpoint: the job's last figures, as numbers only. */
function trainingMetrics(job: Job | undefined): Map<string, number> {
  const metrics = new Map<string, number>()
  if (!job) return metrics
  metrics.set('train/num_sequences', job.script.numSequences)
  if (job.gradientSteps === 0) return metrics
  for (const [name, value] of Object.entries(job.script.metricsAt(job.gradientSteps))) {
    if (typeof value === 'number' && Number.isFinite(value)) metrics.set(`train/${name}`, value)
  }
  return metrics
}
