/** A checkpoint of a model. */
export interface Checkpoint {
  /** The id of the checkpoint. */
  readonly id: string
  /** The number of gradient steps before it. */
  readonly step: number
  /** When it was created, in milliseconds since the epoch. */
  readonly createdAt: number
  /** The metrics by name, such as `train/loss`. Null if a value is not finite. */
  readonly metrics: Map<string, number | null>
  /** When chat starts to serve it, in milliseconds since the epoch. Default: at once. */
  servedFrom?: number | undefined
  /** When chat stops serving it, in milliseconds since the epoch. Default: never. */
  servedUntil?: number | undefined
  /** When it is deleted, in milliseconds since the epoch. Default: never. */
  expiresAt?: number | undefined
}

/** The name of a metric of a job among those of its checkpoint. */
export function trainMetric(name: string): string {
  return `train/${name}`
}

/** Whether chat serves a checkpoint at a moment, in milliseconds since the epoch. */
export function isServed({ servedFrom, servedUntil }: Checkpoint, at: number): boolean {
  return at >= (servedFrom ?? -Infinity) && at < (servedUntil ?? Infinity)
}

/** The checkpoints of one model, ordered by step. Finds a step or a cursor in O(log n). */
export class CheckpointTable {
  readonly #byStep: Checkpoint[] = []
  /** The step of each id, including deleted checkpoints, so that a cursor still works after a deletion. */
  readonly #stepOf = new Map<string, number>()
  /** All checkpoints in the order of creation, including deleted ones. Artifact version N has index N. */
  readonly #versions: Checkpoint[] = []

  get size(): number {
    return this.#byStep.length
  }

  get latest(): Checkpoint | undefined {
    return this.#byStep.at(-1)
  }

  get all(): readonly Checkpoint[] {
    return this.#byStep
  }

  /** All checkpoints in the order of creation, including deleted ones. */
  get everMade(): readonly Checkpoint[] {
    return this.#versions
  }

  /** Whether a checkpoint has or had that id. */
  hasMade(id: string): boolean {
    return this.#stepOf.has(id)
  }

  add(checkpoint: Checkpoint): void {
    this.#byStep.splice(this.#firstAbove(checkpoint.step), 0, checkpoint)
    this.#stepOf.set(checkpoint.id, checkpoint.step)
    this.#versions.push(checkpoint)
  }

  at(step: number): Checkpoint | undefined {
    const candidate = this.#byStep[this.#firstAbove(step) - 1]
    return candidate?.step === step ? candidate : undefined
  }

  /** Returns the checkpoint of an artifact version, unless it was deleted. */
  atVersion(version: number): Checkpoint | undefined {
    const made = this.#versions[version]
    return made && this.at(made.step) === made ? made : undefined
  }

  /** Returns the artifact version of a checkpoint, from 0. -1 if this model does not have the checkpoint. */
  versionOf(checkpoint: Checkpoint): number {
    return this.#versions.lastIndexOf(checkpoint)
  }

  delete(step: number): boolean {
    const index = this.#firstAbove(step) - 1
    if (this.#byStep[index]?.step !== step) return false
    this.#byStep.splice(index, 1)
    return true
  }

  /**
   * Returns the place after the checkpoint with that id. Undefined if no checkpoint ever had the id. If it was deleted
   * and another one has its step, that one is newer.
   */
  placeAfter(id: string, order: Order): number | undefined {
    const step = this.#stepOf.get(id)
    if (step === undefined) return undefined
    if (order === 'desc') return this.size - this.#firstAbove(step - 1)
    return this.#firstAbove(this.at(step)?.id === id ? step : step - 1)
  }

  /** Returns the checkpoints from place `start` up to, but not including, place `end`. */
  slice(start: number, end: number, order: Order): Checkpoint[] {
    if (order === 'asc') return this.#byStep.slice(start, end)
    return this.#byStep.slice(Math.max(0, this.size - end), this.size - start).reverse()
  }

  /** Returns the index of the first checkpoint whose step is greater. */
  #firstAbove(step: number): number {
    let low = 0
    let high = this.#byStep.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#byStep[middle]!.step <= step) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** The order of checkpoints: by step, ascending or descending. */
export type Order = 'asc' | 'desc'
