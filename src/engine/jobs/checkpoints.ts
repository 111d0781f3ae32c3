export interface Checkpoint {
  readonly id: string
  readonly step: number
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** `<split>/<name>` → value. Null if it is not finite. */
  readonly metrics: Map<string, number | null>
  /** From when and until when chat serves it: milliseconds since the epoch. Default: at once, and forever. */
  servedFrom?: number | undefined
  servedUntil?: number | undefined
}

export function isServed({ servedFrom, servedUntil }: Checkpoint, at: number): boolean {
  return at >= (servedFrom ?? -Infinity) && at < (servedUntil ?? Infinity)
}

/** The checkpoints of one model, ordered by step. Found by step or cursor in O(log n). */
export class CheckpointTable {
  readonly #byStep: Checkpoint[] = []
  /** The places of all ids, including deleted ones, so that a cursor survives a deletion. */
  readonly #stepOf = new Map<string, number>()
  /** In the order of creation, including deleted ones. Artifact version N has index N. */
  readonly #versions: Checkpoint[] = []
  readonly #timesMade = new Map<number, number>()

  get size(): number {
    return this.#byStep.length
  }

  get latest(): Checkpoint | undefined {
    return this.#byStep.at(-1)
  }

  get all(): readonly Checkpoint[] {
    return this.#byStep
  }

  /** In the order of creation, including deleted ones. */
  get everMade(): readonly Checkpoint[] {
    return this.#versions
  }

  /** How many checkpoints that step has had: a deleted step can be reached again. */
  timesMade(step: number): number {
    return this.#timesMade.get(step) ?? 0
  }

  add(checkpoint: Checkpoint): void {
    this.#byStep.splice(this.#firstAbove(checkpoint.step), 0, checkpoint)
    this.#stepOf.set(checkpoint.id, checkpoint.step)
    this.#versions.push(checkpoint)
    this.#timesMade.set(checkpoint.step, this.timesMade(checkpoint.step) + 1)
  }

  at(step: number): Checkpoint | undefined {
    const candidate = this.#byStep[this.#firstAbove(step) - 1]
    return candidate?.step === step ? candidate : undefined
  }

  /** The checkpoint that became artifact version `version`, unless it was deleted. */
  atVersion(version: number): Checkpoint | undefined {
    const made = this.#versions[version]
    return made && this.at(made.step) === made ? made : undefined
  }

  /** The artifact version of a checkpoint, from 0. -1 if it is not one of this model. */
  versionOf(checkpoint: Checkpoint): number {
    return this.#versions.lastIndexOf(checkpoint)
  }

  delete(step: number): boolean {
    const index = this.#firstAbove(step) - 1
    if (this.#byStep[index]?.step !== step) return false
    this.#byStep.splice(index, 1)
    return true
  }

  /** The place after the checkpoint with that id. Undefined if no checkpoint ever had it. */
  placeAfter(id: string, order: Order): number | undefined {
    const step = this.#stepOf.get(id)
    if (step === undefined) return undefined
    return order === 'asc' ? this.#firstAbove(step) : this.size - this.#firstAbove(step - 1)
  }

  /** The checkpoints from place `start` to before place `end`. */
  slice(start: number, end: number, order: Order): Checkpoint[] {
    if (order === 'asc') return this.#byStep.slice(start, end)
    return this.#byStep.slice(Math.max(0, this.size - end), this.size - start).reverse()
  }

  /** The index of the first checkpoint whose step is greater. Steps are integers. */
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

/** Orders checkpoints by step. */
export type Order = 'asc' | 'desc'
