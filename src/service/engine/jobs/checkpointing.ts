import type { BaseWorld } from '../base-world.js'
import { finite } from '../../../base/text/non-finite.js'
import type { ScheduledTask } from '../../../base/clock/timer-queue.js'
import { trainMetric, type Checkpoint } from './checkpoints.js'
import { milliseconds } from '../../../base/text/duration.js'
import type { RegistryPlace } from '../engine-events.js'
import type { Job } from './job.js'
import { savedAliases, savedCheckpoints } from './saved-checkpoints.js'
import { savedProgress } from './saved-progress.js'
import type { ModelState } from '../model.js'
import type { CheckpointOptions } from '../../scenario/scenario.js'

interface CheckpointToAdd extends CheckpointOptions {
  job?: Job | undefined
  /** The id of the journal entry that caused it. */
  cause?: number | undefined
}

/** Adds and changes checkpoints and aliases. No other code does. */
export class Checkpointing {
  readonly #world: BaseWorld
  readonly #expiries = new WeakMap<Checkpoint, ScheduledTask>()

  constructor(world: BaseWorld) {
    this.#world = world
  }

  /** Adds a checkpoint with the step after the latest one, or step 0 if the model never had a checkpoint. */
  add(
    model: ModelState,
    { job, cause, metrics, served_after, evicted_after, expires_after }: CheckpointToAdd = {},
  ): Checkpoint {
    const { changes, clock, events } = this.#world
    const { checkpoints } = model
    const at = clock.now()
    // If all checkpoints are deleted, the next step is 1, because step 0 is always the untrained adapter.
    const isFirst = checkpoints.everMade.length === 0
    const step = isFirst ? 0 : (checkpoints.latest?.step ?? 0) + 1
    const trained = job && metricsOf(job)
    let made: Checkpoint['metrics'] | undefined
    const checkpoint: Checkpoint = {
      id: this.#newId(model, step),
      step,
      createdAt: at,
      // Those of most checkpoints are never read.
      get metrics() {
        return (made ??= new Map([...(trained?.() ?? []), ...Object.entries(metrics ?? {})]))
      },
      servedFrom: momentAfter(at, served_after),
      servedUntil: momentAfter(at, evicted_after),
      expiresAt: momentAfter(at, expires_after),
    }
    // What a function of the scenario throws belongs to the step of the job, and then there is no checkpoint.
    if (job?.script.metrics.callScenario) void checkpoint.metrics
    checkpoints.add(checkpoint)
    this.planExpiry(model, checkpoint, cause)
    if (job) {
      job.progress.checkpointStep = step
      changes.changed(savedProgress, job.id, job)
    }
    changes.changed(savedCheckpoints, checkpoint.id, { checkpoint, model })
    events.emit({ type: 'checkpoint_added', at, model, checkpoint, job, cause })
    return checkpoint
  }

  #newId({ record, checkpoints }: ModelState, step: number): string {
    for (let times = 0; ; times++) {
      const id = this.#world.random.uuid('checkpoint', record.id, step, times)
      // A deleted step can be reached again.
      if (!checkpoints.hasMade(id)) return id
    }
  }

  /**
   * Adds an alias to a checkpoint, and removes it from the checkpoint that had it. An alias in a registry
   * exists only there.
   */
  alias(model: ModelState, alias: string, { checkpoint, cause, linked }: CheckpointAlias): void {
    const { changes, clock, events } = this.#world
    if (!linked) {
      model.aliases.set(alias, checkpoint)
      changes.changed(savedAliases, model.record.id, model)
    }
    const at = clock.now()
    events.emit({ type: 'alias_added', at, model, checkpoint, alias, linked, cause })
  }

  /** Adds a tag to a checkpoint. Several checkpoints can have the same tag. */
  tag(model: ModelState, tag: string, { checkpoint, cause }: CheckpointAlias): void {
    const at = this.#world.clock.now()
    this.#world.events.emit({ type: 'tag_added', at, model, checkpoint, tag, cause })
  }

  /** Links a checkpoint to a collection of a registry. */
  link(model: ModelState, linked: RegistryPlace, { checkpoint, cause }: CheckpointAlias): void {
    const at = this.#world.clock.now()
    this.#world.events.emit({ type: 'artifact_linked', at, model, checkpoint, linked, cause })
  }

  /** Deletes the checkpoint with that step. Returns false if there is none. */
  delete(model: ModelState, step: number): boolean {
    const checkpoint = model.checkpoints.at(step)
    if (!checkpoint) return false
    this.#world.clock.cancel(this.#expiries.get(checkpoint))
    model.checkpoints.delete(step)
    this.#world.changes.changed(savedCheckpoints, checkpoint.id, { checkpoint, model })
    return true
  }

  /** Schedules the deletion of a checkpoint, if it expires. Also call it for a restored checkpoint. */
  planExpiry(model: ModelState, checkpoint: Checkpoint, cause?: number): void {
    const { expiresAt, step } = checkpoint
    if (expiresAt === undefined) return
    const { clock, journal, store } = this.#world
    const { id, name } = model.record
    const scheduled = clock.at(
      expiresAt,
      () => {
        const isThere = store.model(id) === model && model.checkpoints.at(step) === checkpoint
        if (!isThere || !this.delete(model, step)) return
        journal.note(`${name}: checkpoint ${step} has expired`, cause)
      },
      { kind: 'checkpoint', describe: () => `${name}: checkpoint ${step} expires`, cause },
    )
    this.#expiries.set(checkpoint, scheduled)
  }

  /** Stops serving a checkpoint: it stays listed, but chat answers 404. */
  evict(model: ModelState, checkpoint: Checkpoint): void {
    checkpoint.servedUntil = this.#world.clock.now()
    this.#world.changes.changed(savedCheckpoints, checkpoint.id, { checkpoint, model })
  }

  /** Adds metrics to a checkpoint. A metric replaces one of the same name. */
  measure(
    model: ModelState,
    checkpoint: Checkpoint,
    metrics: ReadonlyMap<string, number | null>,
  ): void {
    for (const [name, value] of metrics) checkpoint.metrics.set(name, value)
    this.#world.changes.changed(savedCheckpoints, checkpoint.id, { checkpoint, model })
  }
}

function momentAfter(at: number, duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : at + milliseconds(duration)
}

interface CheckpointAlias {
  checkpoint: Checkpoint
  cause?: number | undefined
  linked?: RegistryPlace | undefined
}

/**
 * Makes the metrics that a job gives to the checkpoint of now: those of its last gradient step, or those of its batch if
 * there was nothing to train on.
 */
function metricsOf({ progress, script, submission }: Job): () => Checkpoint['metrics'] {
  const { gradientSteps } = progress
  return () => {
    const made: Checkpoint['metrics'] = new Map()
    made.set(trainMetric('num_sequences'), script.numSequences)
    if (gradientSteps === 0 && submission.nothingToTrain === undefined) return made
    const trained = gradientSteps === 0 ? submission.metrics : script.metrics.at(gradientSteps)
    for (const [name, value] of Object.entries(trained)) {
      if (typeof value === 'string') continue
      made.set(trainMetric(name), value === null ? null : finite(value))
    }
    return made
  }
}
