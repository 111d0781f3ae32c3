import type { ClockState } from '../../emulator/control/schemas/clock.js'
import type { ControlJob as Job } from '../../emulator/control/schemas/jobs.js'
import type { CurrentScenario } from '../../emulator/control/schemas/scenario.js'
import type { Entry, RequestEntry } from '../../emulator/control/schemas/journal.js'
import type { Info } from '../../emulator/control/schemas/info.js'
import type { StreamEvents } from '../../emulator/control/schemas/stream.js'

/** How many entries and jobs are kept. The oldest are dropped first. */
const MOST_ENTRIES = 2000
export const MOST_JOBS = 2000
/** How many requests are listed at first. */
export const MOST_LISTED = 1000
/** The minimum time between two calls of the listeners, in milliseconds. Painting a table takes time. */
const PACE = 200

/** `closed`: the emulator refuses the stream, because the world of the address does not exist. */
export type Connection = 'connecting' | 'live' | 'lost' | 'closed'

/**
 * The state that the emulator's stream reported, in bounded memory. Listeners are called in animation
 * frames, at most five times a second. Values are replaced, never changed in place.
 */
export class Live {
  connection: Connection = 'connecting'
  clock: ClockState | undefined
  info: Info | undefined
  /** Oldest first. */
  entries: readonly Entry[] = []
  /** Oldest first. */
  jobs: ReadonlyMap<string, Job> = new Map()
  /** The scenarios of the user that were in use since the page was opened, by name. */
  ownScenarios: ReadonlyMap<string, CurrentScenario> = new Map()
  /** The names of the worlds of API keys. Undefined: not known yet. */
  worlds: readonly string[] | undefined
  /** How many entries the stream left out because there were too many at once. */
  skipped = 0
  /** Whether there may be older entries than these. */
  isCut = false
  /** Increases when the stream sends all changes of jobs again, after it left some out. */
  calm = 0
  /** Increases when loaded lists may be out of date: after a reset or a lost connection. */
  epoch = 0
  readonly #listeners = new Set<() => void>()
  readonly #source: EventSource
  #cancelNotify: (() => void) | undefined
  #notifiedAt = -Infinity
  #opened = false
  #missed = false

  constructor(source: EventSource) {
    this.#source = source
    source.addEventListener('open', () => this.#open())
    source.addEventListener('error', () => this.#lose())
    this.#on('entries', ({ entries, skipped }) => {
      this.#keepEntries(this.entries, entries)
      this.skipped += skipped
    })
    this.#on('jobs', ({ jobs, skipped }) => {
      this.know(jobs)
      if (this.#missed && skipped === 0) this.calm++
      this.#missed = skipped > 0
    })
    this.#on('clock', (clock) => {
      this.clock = clock
    })
    this.#on('worlds', ({ worlds }) => {
      this.worlds = worlds
    })
    this.#on('reset', () => {
      this.entries = []
      this.jobs = new Map()
      this.skipped = 0
      this.isCut = false
      this.epoch++
    })
  }

  /** Adds requests that were listed, oldest first. The stream may have sent some of them already. */
  fill(listed: readonly Entry[]): void {
    this.isCut ||= listed.length >= MOST_LISTED
    this.#keepEntries(listed, this.entries)
    this.skipped = 0
    this.#notify()
  }

  /** Merges and sorts, because the stream sends a request when it is answered, which is after its effects. */
  #keepEntries(before: readonly Entry[], more: readonly Entry[]): void {
    const known = new Map([...before, ...more].map((entry) => [entry.id, entry]))
    const all = [...known.values()].sort((a, b) => a.id - b.id)
    this.isCut ||= all.length > MOST_ENTRIES
    this.entries = all.slice(-MOST_ENTRIES)
  }

  /** Adds or updates jobs. The stream may have sent later states of some of them. */
  know(jobs: readonly Job[]): void {
    const known = new Map(this.jobs)
    const unknown = jobs.filter(({ id }) => !known.has(id))
    for (const job of jobs) {
      const before = known.get(job.id)
      if (before && before.events <= job.events) known.set(job.id, job)
    }
    this.#keep([...known.values()], unknown)
  }

  /** Adds jobs that were listed, oldest first. The stream may have sent later states of some of them. */
  list(jobs: readonly Job[]): void {
    const listed = new Map(jobs.map((job) => [job.id, job]))
    const unknown: Job[] = []
    for (const job of this.jobs.values()) {
      const before = listed.get(job.id)
      if (!before) unknown.push(job)
      else if (before.events < job.events) listed.set(job.id, job)
    }
    this.#keep([...listed.values()], unknown)
  }

  /**
   * Sorts by creation, because the order of arrival differs from it while jobs run. An unknown job that
   * has events already is an old one if the list is full: the list dropped it.
   */
  #keep(known: readonly Job[], unknown: readonly Job[]): void {
    const isOld = ({ events }: Job): boolean => known.length >= MOST_JOBS && events > 0
    const old = unknown.filter(isOld)
    const fresh = unknown.filter((job) => !isOld(job))
    // Jobs of one moment stay in this order.
    const latest = [...old, ...known, ...fresh].sort(byCreation).slice(-MOST_JOBS)
    this.jobs = new Map(latest.map((job) => [job.id, job]))
    this.#notify()
  }

  /** Shows the clock of an answer, which may arrive before the same clock in the stream. */
  setClock(clock: ClockState): void {
    this.clock = clock
    this.#notify()
  }

  /** Keeps a scenario that is not built in, so that the user can return to it. */
  keepOwnScenario(own: CurrentScenario): void {
    this.ownScenarios = new Map(this.ownScenarios).set(own.scenario.name, own)
    this.#notify()
  }

  setInfo(info: Info): void {
    this.info = info
    this.#notify()
  }

  /** Calls `listener` after changes, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#source.close()
    this.#cancelNotify?.()
  }

  #open(): void {
    this.connection = 'live'
    // The stream reported nothing while the connection was lost.
    if (this.#opened) this.epoch++
    this.#opened = true
    this.#notify()
  }

  #lose(): void {
    const closed = this.#source.readyState === EventSource.CLOSED
    this.connection = closed ? 'closed' : 'lost'
    // The calls tell why the stream is refused.
    if (closed) this.epoch++
    this.#notify()
  }

  #on<Name extends keyof StreamEvents>(
    event: Name,
    take: (data: StreamEvents[Name]) => void,
  ): void {
    this.#source.addEventListener(event, ({ data }: MessageEvent<string>) => {
      take(JSON.parse(data) as StreamEvents[Name])
      this.#notify()
    })
  }

  #notify(): void {
    this.#cancelNotify ??= atFrame(this.#notifiedAt + PACE, (now) => {
      this.#cancelNotify = undefined
      this.#notifiedAt = now
      for (const listener of this.#listeners) listener()
    })
  }
}

/** Jobs of the same millisecond are in the order of the requests that created them. */
function byCreation(one: Job, other: Job): number {
  if (one.created_at !== other.created_at) return one.created_at < other.created_at ? -1 : 1
  return (one.request_id ?? 0) - (other.request_id ?? 0)
}

export function isRequest(entry: Entry): entry is RequestEntry {
  return entry.kind === 'request'
}

/** Calls `task` in the first animation frame at or after `due`. Returns a function that cancels it. */
export function atFrame(due: number, task: (now: number) => void): () => void {
  let frame = requestAnimationFrame(function look(now) {
    if (now >= due) task(now)
    else frame = requestAnimationFrame(look)
  })
  return () => cancelAnimationFrame(frame)
}
