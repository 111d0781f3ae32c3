import { CheckpointTable, type Checkpoint } from './jobs/checkpoints.js'
import type { Job } from './jobs/job.js'

/** A model, field for field as the API shows it. It never changes once created. */
export interface ModelRecord {
  id: string
  entity: string
  project: string
  name: string
  base_model: string
  run_id: string
}

export type ModelName = Pick<ModelRecord, 'entity' | 'project' | 'name'>

/** One key for a model's full name. */
export function nameKey({ entity, project, name }: ModelName): string {
  return JSON.stringify([entity, project, name])
}

/** A model with what grows under it. */
export class ModelState {
  readonly record: ModelRecord
  readonly checkpoints = new CheckpointTable()
  /** In order of creation, which is the order in which they run. */
  readonly jobs: Job[] = []
  /** Names of checkpoints beside `latest`, `stepN` and `vN`, which they have anyway. */
  readonly aliases = new Map<string, Checkpoint>()
  #over = 0

  constructor(record: ModelRecord) {
    this.record = record
  }

  /** The first job that is not over: the one that is running or about to. */
  get currentJob(): Job | undefined {
    while (this.jobs[this.#over]?.over) this.#over++
    return this.jobs[this.#over]
  }
}
