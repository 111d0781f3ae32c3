import { streamQuery } from '../../contract/control.js'
import { anything } from '../../contract/validation/anything.js'
import type { Job } from '../../engine/job.js'
import type { JournalEntry } from '../../engine/journal.js'
import { wallNow, wallPause } from '../../world/wall.js'
import { EventStream } from '../operation.js'
import { clockState } from './clock.js'
import type { Controlled } from './controlled.js'
import { entryState } from './entry-state.js'
import { jobState } from './job-state.js'
import { control } from './row.js'

/** Milliseconds of wall time: between two frames, two frames of the clock, and two signs of life. */
const FRAME = 100
const TICK = 1000
const HEARTBEAT = 15_000
/** The most entries, and jobs, of a frame. */
const MOST = 200

const stream = control({
  id: 'stream',
  method: 'GET',
  path: '/_emulator/stream',
  summary: 'What happens, as it happens: server-sent events `entries`, `jobs`, `clock` and `reset`',
  query: streamQuery,
  response: anything,
  run: ({ control: world, query }) => new EventStream(frames(world, query.after)),
})

/**
 * Frames for one reader. It is asked for the next when it has taken the one before, so a slow reader
 * gets fewer and fuller ones, and nothing is queued for it.
 */
async function* frames(world: Controlled, after: number | undefined): AsyncGenerator<string> {
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

/** What changed since it was last asked. */
class Changes {
  readonly #world: Controlled
  #engine: Controlled['engine']
  /** Bounded: beyond the bound the oldest are forgotten, and counted. */
  #entries = new Map<number, JournalEntry>()
  #skipped = 0
  #jobs = new Set<Job>()
  #clock = ''
  #clockAt = -Infinity
  #unsubscribe: (() => void)[] = []

  constructor(world: Controlled, after: number | undefined) {
    this.#world = world
    this.#engine = world.engine
    this.#follow()
    if (after === undefined) return
    for (const entry of world.engine.journal.entries) if (entry.id > after) this.#note(entry)
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
  }

  /** The frames that tell of it, or the empty text. */
  take(): string {
    const parts: string[] = []
    if (this.#engine !== this.#world.engine) {
      this.stop()
      this.#engine = this.#world.engine
      this.#jobs.clear()
      this.#forgetThoseBefore()
      this.#follow()
      parts.push(event('reset', {}))
    }
    if (this.#entries.size > 0) {
      const entries = [...this.#entries.values()].map(entryState)
      parts.push(event('entries', { entries, skipped: this.#skipped }))
      this.#entries.clear()
      this.#skipped = 0
    }
    if (this.#jobs.size > 0) {
      // The rest follows in the next frame, by then perhaps changed once more.
      const jobs = [...this.#jobs].slice(0, MOST)
      for (const job of jobs) this.#jobs.delete(job)
      parts.push(event('jobs', { jobs: jobs.map(jobState) }))
    }
    return [...parts, ...this.#tellClock()].join('')
  }

  #tellClock(): string[] {
    const state = clockState(this.#engine)
    const manner = `${state.mode} ${state.speed}`
    const told = JSON.stringify(state)
    const changed = !this.#clock.startsWith(manner)
    const due = wallNow() - this.#clockAt >= TICK && this.#clock !== `${manner} ${told}`
    if (!changed && !due) return []
    this.#clock = `${manner} ${told}`
    this.#clockAt = wallNow()
    return [event('clock', state)]
  }

  #follow(): void {
    const { journal, happenings } = this.#engine
    this.#unsubscribe = [
      journal.subscribe((entry) => this.#note(entry)),
      happenings.subscribeToJobs((job) => this.#jobs.add(job)),
    ]
  }

  #note(entry: JournalEntry): void {
    this.#entries.set(entry.id, entry)
    if (this.#entries.size <= MOST) return
    const [oldest] = this.#entries.keys()
    this.#entries.delete(oldest!)
    this.#skipped++
  }

  /** Those of the world before, whose ids are given out anew. */
  #forgetThoseBefore(): void {
    const held = new Set(this.#engine.journal.entries)
    for (const [id, entry] of this.#entries) if (!held.has(entry)) this.#entries.delete(id)
    this.#skipped = 0
  }
}

function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

export const streamOperations = [stream]
