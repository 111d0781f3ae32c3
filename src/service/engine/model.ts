import { CheckpointTable, type Checkpoint } from './jobs/checkpoints.js'
import type { Job } from './jobs/job.js'

/** A model as the API sends it. It never changes. */
export interface ModelRecord {
  /** The id of the model. */
  id: string
  /** The team. */
  entity: string
  /** The project. */
  project: string
  /** The name, unique within the project. */
  name: string
  /** The id of the base model. */
  base_model: string
  /** The id of the run that records its training. */
  run_id: string
}

export type ModelName = Pick<ModelRecord, 'entity' | 'project' | 'name'>

/** Returns a key for the full name of a model. */
export function nameKey({ entity, project, name }: ModelName): string {
  return JSON.stringify([entity, project, name])
}

/** A model with its checkpoints, jobs and aliases. */
export class ModelState {
  readonly record: ModelRecord
  readonly checkpoints = new CheckpointTable()
  /** The jobs in the order of their creation. They run in the same order. The oldest ones may be forgotten. */
  readonly jobs: Job[] = []
  /** Aliases of checkpoints, besides `latest`, `stepN` and `vN`, which always exist. */
  readonly aliases = new Map<string, Checkpoint>()
  #over = 0

  constructor(record: ModelRecord) {
    this.record = record
  }

  /** The first job that is not over. It is running, or is the next to run. */
  get currentJob(): Job | undefined {
    while (this.jobs[this.#over]?.over) this.#over++
    return this.jobs[this.#over]
  }

  /** The number of the next job among all jobs of the model. */
  get nextOrdinal(): number {
    return (this.jobs.at(-1)?.ordinal ?? 0) + 1
  }

  /** Forgets a job that is over, if it has it. */
  forget(job: Job): void {
    const index = this.jobs.indexOf(job)
    if (index === -1) return
    this.jobs.splice(index, 1)
    if (index < this.#over) this.#over--
  }
}
