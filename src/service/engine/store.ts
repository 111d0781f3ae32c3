import { Collection } from '@mswjs/data'
import type { Job } from './jobs/job.js'
import { ModelState, nameKey, type ModelName, type ModelRecord } from './model.js'

/** A project of the account. */
export interface ProjectRecord {
  /** The team. */
  entity: string
  /** The name of the project. */
  name: string
}

export interface FoundModel {
  state: ModelState
  /** Whether the call created the model. */
  created: boolean
}

/** A model that can be trained. */
export interface BaseModelRecord {
  /** The id, as requests name it in `base_model`. */
  id: string
}

/**
 * The records of the account. Projects, base models and models are in collections of the data library, so that
 * tests and tools can query them. The library scans all records to find one. So look-ups by id use Maps, which
 * the hooks of the collections update. Jobs and checkpoints are not in collections: they grow without bound,
 * and the library loses concurrent updates.
 */
export class Store {
  readonly projects = collectionOf<ProjectRecord>()
  /** The creation of each project, by entity and name. */
  readonly #projectsMade = new Map<string, Promise<unknown>>()
  readonly baseModels = collectionOf<BaseModelRecord>()
  readonly models = collectionOf<ModelRecord>()
  readonly jobs = new Map<string, Job>()
  /** SFT jobs by model and data: submitting the same data again returns the same job. */
  readonly sftJobs = new Map<string, Job>()
  /** How many jobs were forgotten, because there were too many. */
  forgottenJobs = 0

  /** The base models that the scenario lists. */
  readonly #listedBaseModels = new Set<string>()
  /** How many models each base model has. */
  readonly #modelsByBase = new Map<string, number>()
  readonly #states = new Map<string, ModelState>()
  /** The rows of the collection. To delete by row is a hundred times faster than by id. */
  readonly #rows = new Map<string, ModelRow>()
  readonly #byName = new Map<string, ModelState>()
  readonly #generations = new Map<string, number>()
  readonly #beingCreated = new Map<string, Promise<ModelState>>()

  /** @param begin - Called with each new model before other code can see it. */
  constructor(begin: (model: ModelState) => void) {
    this.baseModels.hooks.on('create', ({ data: { record } }) => {
      this.#listedBaseModels.add(record.id)
    })
    this.baseModels.hooks.on('delete', ({ data: { deletedRecord } }) => {
      this.#listedBaseModels.delete(deletedRecord.id)
    })
    this.models.hooks.on('create', ({ data: { record } }) => {
      this.#rows.set(record.id, record)
      if (this.#states.has(record.id)) return
      const state = new ModelState(record)
      begin(state)
      this.#register(state)
    })
    this.models.hooks.on('delete', ({ data: { deletedRecord } }) => {
      this.#rows.delete(deletedRecord.id)
      this.#states.delete(deletedRecord.id)
      this.#byName.delete(nameKey(deletedRecord))
      this.#countBase(deletedRecord, -1)
    })
  }

  /** The base models that are served: those of the scenario, and those of all models. */
  get servedBaseModels(): ReadonlySet<string> {
    return new Set([...this.#listedBaseModels, ...this.#modelsByBase.keys()])
  }

  /** How many jobs were created, with those that were forgotten. */
  get jobsMade(): number {
    return this.jobs.size + this.forgottenJobs
  }

  servesBaseModel(id: string): boolean {
    return this.#listedBaseModels.has(id) || this.#modelsByBase.has(id)
  }

  /** Whether a name is that of a model, or of its base model. As long as there is none, each listed base model may get one. */
  mayTrain(name: string): boolean {
    if (this.#modelsByBase.size === 0) return this.#listedBaseModels.has(name)
    if (this.#modelsByBase.has(name)) return true
    const [written] = name.split(':')
    for (const { record } of this.#states.values()) if (record.name === written) return true
    return false
  }

  model(id: string): ModelState | undefined {
    return this.#states.get(id)
  }

  modelNamed(name: ModelName): ModelState | undefined {
    return this.#byName.get(nameKey(name))
  }

  get modelStates(): Iterable<ModelState> {
    return this.#states.values()
  }

  /**
   * Finds or creates the model of that name. Two calls at the same time create one model.
   *
   * @param make - Makes the record. It gets the number of earlier models of that name, which were deleted.
   */
  async modelCalled(
    name: ModelName,
    make: (generation: number) => ModelRecord,
  ): Promise<FoundModel> {
    const key = nameKey(name)
    // Set before the first await, because the next request can run while this call waits.
    const existing = this.#byName.get(key) ?? this.#beingCreated.get(key)
    if (existing) return { state: await existing, created: false }
    const generation = this.#generations.get(key) ?? 0
    this.#generations.set(key, generation + 1)
    const creating = this.#insert(make(generation))
    this.#beingCreated.set(key, creating)
    try {
      return { state: await creating, created: true }
    } finally {
      this.#beingCreated.delete(key)
    }
  }

  /** How many models each name has had, including deleted ones. */
  get namesMade(): ReadonlyMap<string, number> {
    return this.#generations
  }

  timesMade(name: ModelName): number {
    return this.#generations.get(nameKey(name)) ?? 0
  }

  restoreName(key: string, made: number): void {
    this.#generations.set(key, made)
  }

  /** Restores a saved model. Look-ups find it at once. The promise resolves when its collection has it. */
  restoreModel(record: ModelRecord): Promise<unknown> {
    this.#register(new ModelState(record))
    return this.#insert(record)
  }

  #register(state: ModelState): void {
    this.#states.set(state.record.id, state)
    this.#byName.set(nameKey(state.record), state)
    this.#countBase(state.record, 1)
  }

  #countBase({ base_model }: ModelRecord, change: 1 | -1): void {
    const count = (this.#modelsByBase.get(base_model) ?? 0) + change
    if (count > 0) this.#modelsByBase.set(base_model, count)
    else this.#modelsByBase.delete(base_model)
  }

  /** Forgets a job that is over. */
  forgetJob(job: Job): void {
    this.jobs.delete(job.id)
    this.forgottenJobs++
    this.#states.get(job.model.id)?.forget(job)
    if (job.kind !== 'sft') return
    // Nearly always the first one, because the oldest jobs are forgotten.
    for (const [key, known] of this.sftJobs) {
      if (known !== job) continue
      this.sftJobs.delete(key)
      break
    }
  }

  deleteModel({ record }: ModelState): void {
    this.models.delete(this.#rows.get(record.id) ?? ((query) => query.where({ id: record.id })))
  }

  async #insert(record: ModelRecord): Promise<ModelState> {
    const { entity, project } = record
    const key = JSON.stringify([entity, project])
    // Set before the first await: models that come at the same time have one project.
    const creating = this.#projectsMade.get(key) ?? this.projects.create({ entity, name: project })
    this.#projectsMade.set(key, creating)
    await creating
    await this.models.create(record)
    return this.#states.get(record.id)!
  }
}

type ModelRow = Exclude<ReturnType<Store['models']['findFirst']>, undefined>

/** A schema as the data library takes it. Only the compiler reads the types. */
interface RecordSchema<T> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => { readonly value: T }
    readonly types?: { readonly input: T; readonly output: T }
  }
}

/** A collection of the data library. */
export type Records<T extends object> = ReturnType<typeof collectionOf<T>>

/**
 * Makes a collection of frozen records, so that queries can return them. The schema checks nothing, because only
 * our own code writes the records.
 */
function collectionOf<T extends object>() {
  const schema: RecordSchema<T> = {
    '~standard': {
      version: 1,
      vendor: 'svtrain-emulator',
      validate: (value) => ({ value: value as T }),
    },
  }
  const collection = new Collection({ schema })
  collection.hooks.on('create', ({ data: { record } }) => void Object.freeze(record))
  return collection
}
