import { LatestItems } from '../../base/text/latest-items.js'
import { printableJson } from '../../base/text/escape.js'
import { byCreation } from '../testing/world-names.js'
import type { ClockState } from './schemas/clock.js'
import { streamEvents, streamQuery, type StreamEvents } from './schemas/stream.js'
import { union } from '../../service/contract/pydantic/union.js'
import type { Job } from '../../service/engine/jobs/job.js'
import type { JournalEntry } from '../../service/engine/journal.js'
import { wallNow, wallPause } from '../../base/clock/wall.js'
import { EventStream } from '../../service/api/result.js'
import { clockState } from './clock.js'
import type { Emulator } from '../emulator.js'
import type { Engine } from '../../service/engine/engine.js'
import { entryJson } from './journal-entry.js'
import { jobState } from './job-state.js'
import { control } from './row.js'

/** Milliseconds of real time between two frames, two frames of the clock, and two heartbeats. */
const FRAME = 100
const TICK = 1000
const HEARTBEAT = 15_000
/** The most entries and the most jobs in a frame. */
const MOST = 200
/** The most jobs that wait for a frame. */
const MOST_JOBS = 2000

const stream = control({
  id: 'stream',
  method: 'GET',
  path: '/_emulator/stream',
  summary:
    'Everything as it happens: server-sent events `entries`, `jobs`, `clock`, `reset`, `worlds`',
  query: streamQuery,
  response: union(Object.values(streamEvents)),
  contentTypes: ['text/event-stream'],
  run({ emulator: world, query: { after, world: name } }) {
    return new EventStream(frames(name === undefined ? world : world.worldCalled(name), after))
  },
})

/**
 * Makes frames for one reader. The next frame is made when the reader has read the previous one. So a slow
 * reader gets fewer and larger frames, and nothing is queued for it.
 */
async function* frames(world: Emulator, after: number | undefined): AsyncGenerator<string> {
  const { stopping } = world
  const changes = new Changes(world, after)
  let sign = wallNow()
  try {
    yield ': the first of many\n\n'
    while (!stopping.aborted) {
      const frame = changes.take()
      if (frame !== '') {
        sign = wallNow()
        yield frame
      } else if (wallNow() - sign >= HEARTBEAT) {
        sign = wallNow()
        yield ': still here\n\n'
      }
      await wallPause(FRAME)
    }
  } finally {
    changes.stop()
  }
}

/** Collects what changed since the last call of `take`. */
class Changes {
  readonly #world: Emulator
  #engine: Engine
  readonly #entries = new LatestItems<JournalEntry>(MOST)
  #entriesSkipped = 0
  /** The jobs that have waited longest come first. */
  readonly #jobs = new Set<Job>()
  #jobsSkipped = 0
  /** The clock as it was sent last. */
  #clock: ClockState | undefined
  #worlds: string | undefined
  #clockAt = -Infinity
  #unsubscribe: (() => void)[] = []

  constructor(world: Emulator, after: number | undefined) {
    this.#world = world
    this.#engine = world.engine
    this.#follow()
    if (after === undefined) return
    for (const entry of world.engine.journal.entries) if (entry.id > after) this.#add(entry)
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
  }

  /** The frames with the changes, or an empty text. */
  take(): string {
    const parts: string[] = []
    if (this.#engine !== this.#world.engine) {
      this.stop()
      this.#engine = this.#world.engine
      this.#jobs.clear()
      this.#jobsSkipped = 0
      this.#forgetThoseBefore()
      this.#follow()
      parts.push(event('reset', {}))
    }
    const skipped = this.#entriesSkipped
    const entries = this.#takeEntries().map((each) => entryJson(each, this.#world.worldName))
    if (entries.length > 0) parts.push(event('entries', { entries, skipped }))
    if (this.#jobs.size > 0) {
      // The rest follows in the next frame, perhaps changed again.
      const jobs = [...this.#jobs].slice(0, MOST)
      for (const job of jobs) this.#jobs.delete(job)
      parts.push(
        event('jobs', {
          jobs: jobs.map((job) => jobState(job, this.#engine)),
          skipped: this.#jobsSkipped,
        }),
      )
      this.#jobsSkipped = 0
    }
    return [...parts, ...this.#worldsFrame(), ...this.#clockFrame()].join('')
  }

  /** The names of the worlds, at first and when there are others. */
  #worldsFrame(): string[] {
    const worlds = Array.from(this.#world.allWorlds, ({ worldName }) => worldName ?? '')
    // The emulator has them in the order of their use.
    worlds.sort(byCreation)
    const names = JSON.stringify(worlds)
    if (names === this.#worlds) return []
    this.#worlds = names
    return [event('worlds', { worlds })]
  }

  #clockFrame(): string[] {
    const state = clockState(this.#engine)
    const { mode, speed } = this.#clock ?? {}
    const isChanged = mode !== state.mode || speed !== state.speed
    if (!isChanged && !this.#isDue(state)) return []
    this.#clock = state
    this.#clockAt = wallNow()
    return [event('clock', state)]
  }

  /** Whether the page should hear that time went on. */
  #isDue(state: ClockState): boolean {
    if (wallNow() - this.#clockAt < TICK) return false
    return JSON.stringify(state) !== JSON.stringify(this.#clock)
  }

  #follow(): void {
    const { journal, events } = this.#engine
    this.#unsubscribe = [
      journal.subscribe((entry) => this.#add(entry)),
      events.subscribeToJobs((job) => this.#change(job)),
    ]
  }

  #add(entry: JournalEntry): void {
    this.#entriesSkipped += this.#entries.add(entry).length
  }

  #takeEntries(): readonly JournalEntry[] {
    const { all } = this.#entries
    this.#entries.clear()
    this.#entriesSkipped = 0
    return all
  }

  /** Counts jobs beyond the limit instead of queuing them, so that the set stays small. */
  #change(job: Job): void {
    if (this.#jobs.size < MOST_JOBS || this.#jobs.has(job)) this.#jobs.add(job)
    else this.#jobsSkipped++
  }

  /** Drops the entries of the world before a reset, whose ids are used again. */
  #forgetThoseBefore(): void {
    const held = new Set(this.#engine.journal.entries)
    for (const entry of this.#takeEntries()) if (held.has(entry)) this.#add(entry)
  }
}

function event<Name extends keyof StreamEvents>(name: Name, data: StreamEvents[Name]): string {
  return `event: ${name}\ndata: ${printableJson(data)}\n\n`
}

export const streamOperations = [stream]
