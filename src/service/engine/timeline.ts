import type { BaseWorld } from './base-world.js'
import type { ScheduledTask } from '../../base/clock/timer-queue.js'
import type { Checkpointing } from './jobs/checkpointing.js'
import { milliseconds } from '../../base/text/duration.js'
import { callsAfter, isAmong } from '../scenario/condition.js'
import type { Faults } from './faults/faults.js'
import { savedTimeline, type TimelineState } from './saved-timeline.js'
import { matchesGlob } from '../../base/text/glob.js'
import type { EngineEvent } from './engine-events.js'
import type { ModelState } from './model.js'
import type { TimelineEntry } from '../scenario/scenario.js'
import type { AllFields } from './saved/complete.js'
import {
  checkpointAt,
  matchesEvent,
  jobFor,
  jobOf,
  movesJobs,
  needsItsModel,
  placeIn,
  type About,
  type JobAction,
  type ModelAction,
} from './timeline-entry.js'
import type { Training } from './jobs/training.js'

interface TimelineWorld extends BaseWorld {
  readonly checkpointing: Checkpointing
  readonly training: Training
  readonly faults: Faults
}

/** Plays the `timeline` of the scenario: entries that happen at a time, or after an event. */
export class Timeline {
  readonly #world: TimelineWorld
  readonly #planned = new Map<ScheduledTask, PlannedEntry>()
  #triggers: WaitingEntry[] = []
  /**
   * The entry that is being performed, and the entries that triggered it. An entry never triggers itself, even
   * through other entries, so that there are no endless loops.
   */
  #trail: readonly TimelineEntry[] = []
  #unsubscribe: (() => void) | undefined

  constructor(world: TimelineWorld) {
    this.#world = world
  }

  /** Whether an entry is scheduled that may resume a stalled job, or end it. */
  get mayMoveJobs(): boolean {
    for (const { entry } of this.#planned.values()) if (movesJobs(entry)) return true
    return false
  }

  /** The entries that an event can still bring. */
  get awaited(): TimelineEntry[] {
    return this.#triggers
      .filter(({ entry, seen }) => callsAfter(seen, entry.after!.occurrence) !== 0)
      .map(({ entry }) => entry)
  }

  /** Schedules these entries and forgets all earlier ones. Times count from now. */
  apply(entries: readonly TimelineEntry[]): void {
    this.stop()
    this.#world.changes.changed(savedTimeline)
    const now = this.#world.clock.now()
    for (const entry of entries) {
      if (entry.at !== undefined) this.#plan({ entry, at: now + milliseconds(entry.at) })
    }
    this.#listen(entries)
  }

  #listen(entries: readonly TimelineEntry[]): void {
    this.#triggers = entries.flatMap((entry) => (entry.at === undefined ? { entry, seen: 0 } : []))
    if (this.#triggers.length === 0) return
    this.#unsubscribe = this.#world.events.subscribe((event) => {
      for (const each of this.#triggers) this.#trigger(each, event)
    })
  }

  /** Returns the state to save: what is scheduled, and how many events were seen. */
  stateAmong(entries: readonly TimelineEntry[]): AllFields<TimelineState> {
    const planned = [...this.#planned.values()].flatMap(({ entry, at, about, trail = [] }) => {
      const model = about?.model
      const isThere = model && this.#isThere(model)
      if (model && !isThere && needsItsModel(entry)) return []
      return {
        entry: entries.indexOf(entry),
        at,
        trail: trail.map((each) => entries.indexOf(each)),
        happening: isThere ? { model: model.record.id, job: about.job?.id } : undefined,
      }
    })
    return { planned, seen: this.#triggers.map(({ seen }) => seen) }
  }

  /** Resumes the saved state of the same entries. All moments move by `later` milliseconds. */
  restore(
    entries: readonly TimelineEntry[],
    { planned, seen }: TimelineState,
    later: number,
  ): void {
    this.stop()
    for (const saved of planned) {
      const entry = entries[saved.entry]
      const { model: id = '', job = '' } = saved.happening ?? {}
      const model = this.#world.store.model(id)
      if (!entry || (saved.happening && !model && needsItsModel(entry))) continue
      const about = model && { model, job: this.#world.store.jobs.get(job) }
      const trail = saved.trail.flatMap((index) => entries[index] ?? [])
      this.#plan({ entry, at: saved.at + later, about, trail })
    }
    this.#listen(entries)
    this.#triggers.forEach((each, index) => (each.seen = seen[index] ?? 0))
  }

  stop(): void {
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
    this.#triggers = []
    for (const scheduled of this.#planned.keys()) this.#world.clock.cancel(scheduled)
    this.#planned.clear()
  }

  #trigger(trigger: WaitingEntry, event: EngineEvent): void {
    const { entry } = trigger
    if (this.#trail.includes(entry) || !matchesEvent(entry, event)) return
    trigger.seen++
    this.#world.changes.changed(savedTimeline)
    const { occurrence } = entry.after!
    if (!isAmong(trigger.seen, occurrence)) return
    const trail = [...this.#trail, entry]
    const { cause } = event
    const about = {
      model: 'model' in event ? event.model : undefined,
      job: 'job' in event ? event.job : undefined,
      cause,
    }
    const planned = { entry, at: event.at + milliseconds(entry.wait), about, trail }
    // These calls move no clock, so what is due with their answer happens now.
    const movesNoClock = MOVE_NO_CLOCK.includes(event.type)
    if (movesNoClock && planned.at === event.at) this.#act(planned)
    else this.#plan(planned)
  }

  #plan(planned: PlannedEntry): void {
    const { entry, at, about } = planned
    const { changes, clock } = this.#world
    const scheduled = clock.at(
      at,
      () => {
        this.#planned.delete(scheduled)
        changes.changed(savedTimeline)
        this.#act(planned)
      },
      {
        kind: 'timeline',
        describe: () => `timeline: ${formatPlannedEntry(entry, about)}`,
        jobId: about?.job?.id,
        cause: about?.cause,
      },
    )
    this.#planned.set(scheduled, planned)
    changes.changed(savedTimeline)
  }

  #act({ entry, about, trail = [entry] }: PlannedEntry): void {
    const before = this.#trail
    this.#trail = trail
    try {
      this.#perform(entry, about)
    } finally {
      this.#trail = before
    }
  }

  #perform(entry: TimelineEntry, about: About | undefined): void {
    const { faults, journal } = this.#world
    const cause = about?.cause
    if (entry.do === 'open_fault' || entry.do === 'close_fault') {
      const opens = entry.do === 'open_fault'
      faults.setOpen(entry.fault, opens)
      journal.note(`fault "${entry.fault}" ${opens ? 'opens' : 'closes'}`, cause)
      return
    }
    for (const model of this.#models(entry.model, about)) {
      const done = movesJobs(entry)
        ? this.#onJob(entry, { model, about })
        : this.#onModel(entry, { model, about })
      if (done !== undefined) journal.note(`${model.record.name}: ${done}`, cause)
    }
  }

  #isThere(model: ModelState): boolean {
    return this.#world.store.model(model.record.id) === model
  }

  /** Returns the models that the entry names. By default the model of the event, if it still exists, or all models. */
  #models(named: ModelAction['model'], about: About | undefined): ModelState[] {
    const model = about?.model
    if (named === undefined && model) return this.#isThere(model) ? [model] : []
    const all = [...this.#world.store.modelStates]
    return named === undefined ? all : all.filter(({ record }) => matchesGlob(record.name, named))
  }

  #onJob(entry: JobAction, { model, about }: Target): string | undefined {
    const { training } = this.#world
    const job = jobFor(entry, model, about)
    if (!job || job.over) return undefined
    const name = `job ${job.id.slice(0, 8)}`
    switch (entry.do) {
      case 'stall_job':
        return training.stall(job) ? `${name} stalls` : undefined
      case 'resume_job':
        return training.resume(model, job) ? `${name} resumes` : undefined
      case 'finish_job':
        training.finish(model, job)
        return `${name} is finished`
      case 'fail_job':
        training.fail(model, job, entry.error_message)
        return `${name} is failed`
    }
  }

  #onModel(entry: ModelAction, { model, about }: Target): string | undefined {
    const { checkpointing } = this.#world
    const cause = about?.cause
    if (entry.do === 'add_checkpoint') {
      const { step } = checkpointing.add(model, { ...entry, job: jobOf(about, model), cause })
      return `checkpoint ${step} appears`
    }
    const checkpoint = checkpointAt(entry.step, model)
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
        checkpointing.evict(model, checkpoint)
        return `checkpoint ${step} is no longer served`
      case 'delete_checkpoint':
        checkpointing.delete(model, step)
        return `checkpoint ${step} is deleted`
    }
  }
}

function formatPlannedEntry(entry: TimelineEntry, about: About | undefined): string {
  const what = entry.do.replaceAll('_', ' ')
  if ('fault' in entry) return `${what} "${entry.fault}"`
  const models = [entry.model ?? about?.model?.record.name ?? []].flat()
  return models.length === 0 ? what : `${what} of ${models.join(', ')}`
}

const MOVE_NO_CLOCK: readonly EngineEvent['type'][] = [
  'model_created',
  'chat_answered',
  'platform_changed',
]

interface PlannedEntry {
  entry: TimelineEntry
  /** Milliseconds since the epoch. */
  at: number
  about?: About | undefined
  /** The entries that triggered it, and the entry itself. */
  trail?: readonly TimelineEntry[]
}

interface WaitingEntry {
  entry: TimelineEntry
  /** How many events have matched so far. */
  seen: number
}

interface Target {
  model: ModelState
  about: About | undefined
}
