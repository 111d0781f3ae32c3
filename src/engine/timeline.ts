import type { Chance } from '../world/random.js'
import type { Clock } from '../world/clock.js'
import type { Appointment } from '../world/agenda.js'
import type { Checkpoint } from './checkpoints.js'
import type { Checkpointing } from './checkpointing.js'
import { milliseconds } from '../world/duration.js'
import type { Faults } from './faults/faults.js'
import { fitsGlob } from './glob.js'
import type { Happening, Happenings, RegistryPlace } from './happenings.js'
import type { Job } from './job.js'
import type { Journal } from './journal.js'
import type { ModelState } from './model.js'
import type { TimelineEntry } from './scenario.js'
import type { Store } from './store.js'
import type { Training } from './training.js'

interface TimelineWorld {
  readonly clock: Clock
  readonly chance: Chance
  readonly store: Store
  readonly journal: Journal
  readonly happenings: Happenings
  readonly checkpointing: Checkpointing
  readonly training: Training
  readonly faults: Faults
}

/** What happens besides jobs, by the scenario's `timeline`: at a time, or after an event. */
export class Timeline {
  readonly #world: TimelineWorld
  readonly #planned = new Map<Appointment, TimelineEntry>()
  /**
   * While an entry is performed: itself and those that led to it. None follows from itself, by way of
   * others either, so that no two go on for ever.
   */
  #trail: readonly TimelineEntry[] = []
  #unsubscribe: (() => void) | undefined

  constructor(world: TimelineWorld) {
    this.#world = world
  }

  /** Plans these entries, and forgets those before. Times count from now. */
  follow(entries: readonly TimelineEntry[]): void {
    this.stop()
    const { clock, happenings } = this.#world
    const now = clock.now()
    const following: Following[] = []
    for (const entry of entries) {
      if (entry.at !== undefined) this.#plan(entry, { at: now + milliseconds(entry.at) })
      else following.push({ entry, seen: 0 })
    }
    if (following.length === 0) return
    this.#unsubscribe = happenings.subscribe((happening) => {
      for (const each of following) this.#hear(each, happening)
    })
  }

  stop(): void {
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
    for (const [appointment, entry] of this.#planned) {
      this.#world.clock.cancel(appointment)
      if (movesJobs(entry)) this.#world.training.interventions--
    }
    this.#planned.clear()
  }

  #hear(following: Following, happening: Happening): void {
    const { entry } = following
    if (this.#trail.includes(entry) || !follows(entry, happening)) return
    following.seen++
    const { occurrence } = entry.after!
    if (occurrence !== undefined && occurrence !== following.seen) return
    this.#plan(entry, { at: happening.at + milliseconds(entry.wait), happening })
  }

  #plan(entry: TimelineEntry, { at, happening }: { at: number; happening?: Happening }): void {
    const { clock, training } = this.#world
    const trail = [...this.#trail, entry]
    const appointment = clock.at(at, () => {
      this.#planned.delete(appointment)
      if (movesJobs(entry)) training.interventions--
      this.#trail = trail
      this.#perform(entry, happening)
      this.#trail = []
    })
    this.#planned.set(appointment, entry)
    if (movesJobs(entry)) training.interventions++
  }

  #perform(entry: TimelineEntry, happening: Happening | undefined): void {
    const { faults, journal } = this.#world
    const cause = happening?.cause
    if (entry.do === 'open_fault' || entry.do === 'close_fault') {
      const opens = entry.do === 'open_fault'
      faults.setOpen(entry.fault, opens)
      journal.note(`fault "${entry.fault}" ${opens ? 'opens' : 'closes'}`, cause)
      return
    }
    for (const model of this.#models(entry.model, happening)) {
      const done = movesJobs(entry)
        ? this.#onJob(entry, { model, happening })
        : this.#onModel(entry, { model, happening })
      if (done !== undefined) journal.note(`${model.record.name}: ${done}`, cause)
    }
  }

  /** Those that it names, or else the one of the event, or else all. */
  #models(named: ModelEntry['model'], happening: Happening | undefined): ModelState[] {
    if (named === undefined && happening) return [happening.model]
    const all = [...this.#world.store.modelStates]
    return named === undefined ? all : all.filter(({ record }) => fitsGlob(record.name, named))
  }

  #onJob(entry: JobEntry, { model, happening }: On): string | undefined {
    const { training } = this.#world
    const job = jobFor(entry, model, happening)
    if (!job || job.over) return undefined
    const name = `job ${job.id.slice(0, 8)}`
    switch (entry.do) {
      case 'stall_job':
        training.stall(job)
        return `${name} stalls`
      case 'resume_job':
        training.resume(model, job)
        return `${name} goes on`
      case 'finish_job':
        training.finish(model, job)
        return `${name} is brought to its end`
      case 'fail_job':
        training.fail(model, job, entry.error_message)
        return `${name} is made to fail`
    }
  }

  #onModel(entry: ModelEntry, { model, happening }: On): string | undefined {
    const { checkpointing, clock } = this.#world
    const cause = happening?.cause
    if (entry.do === 'add_checkpoint') {
      const { step } = checkpointing.add(model, { ...entry, job: jobOf(happening, model), cause })
      return `checkpoint ${step} appears`
    }
    const checkpoint = checkpointFor(entry.step, model)
    if (!checkpoint) return undefined
    const { step } = checkpoint
    switch (entry.do) {
      case 'add_alias':
        checkpointing.alias(model, entry.alias, {
          checkpoint,
          cause,
          linked: placeIn(entry, model),
        })
        return `checkpoint ${step} is called ${entry.alias}`
      case 'add_tag':
        checkpointing.tag(model, entry.tag, { checkpoint, cause })
        return `checkpoint ${step} is tagged ${entry.tag}`
      case 'link': {
        const place = placeIn(entry, model)!
        checkpointing.link(model, place, { checkpoint, cause })
        return `checkpoint ${step} is linked to ${place.registry}/${place.collection}`
      }
      case 'evict_checkpoint':
        checkpoint.servedUntil = clock.now()
        return `checkpoint ${step} is served no more`
      case 'delete_checkpoint':
        model.checkpoints.delete(step)
        return `checkpoint ${step} is deleted`
    }
  }
}

interface Following {
  entry: TimelineEntry
  /** How many events fitted so far. */
  seen: number
}

type JobEntry = Extract<TimelineEntry, { ordinal?: unknown }>
type ModelEntry = Exclude<TimelineEntry, JobEntry | { fault: string }>

interface On {
  model: ModelState
  happening: Happening | undefined
}

function movesJobs(entry: TimelineEntry): entry is JobEntry {
  return entry.do.endsWith('_job')
}

function follows({ after }: TimelineEntry, happening: Happening): boolean {
  if (after?.event !== happening.event) return false
  const { model, kind, ordinal, step } = after
  if (model !== undefined && !fitsGlob(happening.model.record.name, model)) return false
  const job = 'job' in happening ? happening.job : undefined
  if (kind !== undefined && kind !== job?.kind) return false
  if (ordinal !== undefined && ordinal !== job?.ordinal) return false
  if (step === undefined) return true
  return step === ('checkpoint' in happening ? happening.checkpoint.step : job?.gradientSteps)
}

/** The one that it names; else the event's own, if it is of this model; else the one in progress. */
function jobFor({ ordinal }: JobEntry, model: ModelState, happening?: Happening): Job | undefined {
  if (ordinal !== undefined) return model.jobs[ordinal - 1]
  return jobOf(happening, model) ?? model.currentJob
}

/** The job that an event is about, if it is one of this model. */
function jobOf(happening: Happening | undefined, model: ModelState): Job | undefined {
  const job = happening && 'job' in happening ? happening.job : undefined
  return job?.model.id === model.record.id ? job : undefined
}

/** The collection that an entry names, that of the model's own name by default. */
function placeIn(
  { registry, collection }: { registry?: string | undefined; collection?: string | undefined },
  { record }: ModelState,
): RegistryPlace | undefined {
  return registry === undefined ? undefined : { registry, collection: collection ?? record.name }
}

function checkpointFor(
  step: number | undefined,
  { checkpoints }: ModelState,
): Checkpoint | undefined {
  return step === undefined ? checkpoints.latest : checkpoints.at(step)
}
