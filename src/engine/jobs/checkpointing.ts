import { finite } from '../../text/json-text.js'
import type { SeededRandom } from '../../random/random.js'
import type { Clock } from '../../clock/clock.js'
import type { Checkpoint } from './checkpoints.js'
import { milliseconds } from '../../text/duration.js'
import type { Changes } from '../snapshot/changes.js'
import type { EngineEvents, RegistryPlace } from '../engine-events.js'
import type { Job } from './job.js'
import type { ModelState } from '../model.js'
import type { CheckpointOptions } from '../../scenario/scenario.js'

interface CheckpointingWorld {
  readonly clock: Clock
  readonly random: SeededRandom
  readonly events: EngineEvents
  readonly changes: Changes
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
    const { random, changes, clock, events } = this.#world
    const { checkpoints, record } = model
    const at = clock.now()
    // With all of them deleted the counter starts at 1: step 0 is the untrained adapter's own.
    const untouched = checkpoints.timesMade(0) === 0
    const step = untouched ? 0 : (checkpoints.latest?.step ?? 0) + 1
    const checkpoint: Checkpoint = {
      id: random.uuid('checkpoint', record.id, step, checkpoints.timesMade(step)),
      step,
      createdAt: at,
      metrics: new Map([...trainingMetrics(job), ...Object.entries(metrics ?? {})]),
      servedFrom: served_after === undefined ? undefined : at + milliseconds(served_after),
      servedUntil: evicted_after === undefined ? undefined : at + milliseconds(evicted_after),
    }
    checkpoints.add(checkpoint)
    if (job) {
      job.checkpointStep = step
      changes.progress(job)
    }
    changes.checkpoint(model, checkpoint)
    events.emit({ type: 'checkpoint_added', at, model, checkpoint, job, cause })
    return checkpoint
  }

  /**
   * Gives a checkpoint a name of its own, taking it from the one that had it; or, where it is an alias
   * in a registry, a name that only the registry knows.
   */
  alias(model: ModelState, alias: string, { checkpoint, cause, linked }: Named): void {
    const { changes, clock, events } = this.#world
    if (!linked) {
      model.aliases.set(alias, checkpoint)
      changes.aliases(model)
    }
    const at = clock.now()
    events.emit({ type: 'alias_added', at, model, checkpoint, alias, linked, cause })
  }

  /** Puts a tag on a checkpoint; many may have the same. */
  tag(model: ModelState, tag: string, { checkpoint, cause }: Named): void {
    const at = this.#world.clock.now()
    this.#world.events.emit({ type: 'tag_added', at, model, checkpoint, tag, cause })
  }

  /** Links a checkpoint to a collection of a registry. */
  link(model: ModelState, linked: RegistryPlace, { checkpoint, cause }: Named): void {
    const at = this.#world.clock.now()
    this.#world.events.emit({ type: 'artifact_linked', at, model, checkpoint, linked, cause })
  }

  /** Takes the checkpoint of that step away. False where there is none. */
  delete(model: ModelState, step: number): boolean {
    const checkpoint = model.checkpoints.at(step)
    if (!checkpoint) return false
    model.checkpoints.delete(step)
    this.#world.changes.checkpoint(model, checkpoint)
    return true
  }

  /** From now on chat does not know it any more, though it stays listed. */
  evict(model: ModelState, checkpoint: Checkpoint): void {
    checkpoint.servedUntil = this.#world.clock.now()
    this.#world.changes.checkpoint(model, checkpoint)
  }

  /** Adds figures to a checkpoint's metrics, in the place of those of the same name. */
  measure(
    model: ModelState,
    checkpoint: Checkpoint,
    metrics: ReadonlyMap<string, number | null>,
  ): void {
    for (const [name, value] of metrics) checkpoint.metrics.set(name, value)
    this.#world.changes.checkpoint(model, checkpoint)
  }
}

interface Named {
  checkpoint: Checkpoint
  cause?: number | undefined
  linked?: RegistryPlace | undefined
}

/** What training leaves on a checkpoint: the job's last numbers. One that is not finite is null. */
function trainingMetrics(job: Job | undefined): Map<string, number | null> {
  const metrics = new Map<string, number | null>()
  if (!job) return metrics
  metrics.set('train/num_sequences', job.script.numSequences)
  if (job.gradientSteps === 0) return metrics
  for (const [name, value] of Object.entries(job.script.metricsAt(job.gradientSteps))) {
    if (typeof value === 'string') continue
    metrics.set(`train/${name}`, value === null ? null : finite(value))
  }
  return metrics
}
