import type {
  ClockState,
  ControlJob as Job,
  Entry,
  Info,
  RequestEntry,
  StreamEvents,
} from '../control/schemas.js'

/** How many entries and jobs are kept; what is older is forgotten first. */
const MOST_ENTRIES = 2000
export const MOST_JOBS = 2000
/** Milliseconds from one telling of listeners to the next, at least: a table takes some to be painted. */
const PACE = 200

export type Connection = 'connecting' | 'live' | 'lost'

/**
 * What the emulator's stream has told, in bounded memory. Listeners are called with an
 * animation frame, five times a second at most, however fast it tells; values are replaced and never
 * changed in place.
 */
export class Live {
  connection: Connection = 'connecting'
  clock: ClockState | undefined
  info: Info | undefined
  /** Oldest first. */
  entries: readonly Entry[] = []
  /** Oldest first. */
  jobs: ReadonlyMap<string, Job> = new Map()
  /** How many entries went by too fast to be sent. */
  skipped = 0
  /** Goes up when the jobs change slowly enough again for all to be sent, after some were not. */
  calm = 0
  /** Goes up whenever what was listed before may be out of date: another world, or a gap. */
  epoch = 0
  readonly #listeners = new Set<() => void>()
  readonly #source: EventSource
  #stopTelling: (() => void) | undefined
  #told = -Infinity
  #opened = false
  #missed = false

  constructor(source: EventSource) {
    this.#source = source
    source.addEventListener('open', () => this.#open())
    source.addEventListener('error', () => this.#lose())
    this.#hear('entries', ({ entries, skipped }) => {
      this.entries = merged(this.entries, entries)
      this.skipped += skipped
    })
    this.#hear('jobs', ({ jobs, skipped }) => {
      this.know(jobs)
      if (this.#missed && skipped === 0) this.calm++
      this.#missed = skipped > 0
    })
    this.#hear('clock', (clock) => {
      this.clock = clock
    })
    this.#hear('reset', () => {
      this.entries = []
      this.jobs = new Map()
      this.skipped = 0
      this.epoch++
    })
  }

  /** Takes over entries that were listed, oldest first; the stream may have told some of them. */
  fill(listed: readonly Entry[]): void {
    this.entries = merged(listed, this.entries)
    this.skipped = 0
    this.#tell()
  }

  /** Takes over jobs, oldest first, as they are now. */
  know(jobs: readonly Job[]): void {
    const known = new Map(this.jobs)
    for (const job of jobs) known.set(job.id, job)
    const surplus = known.size - MOST_JOBS
    for (const id of [...known.keys()].slice(0, Math.max(0, surplus))) known.delete(id)
    this.jobs = known
    this.#tell()
  }

  /** Shows a clock that an answer brought sooner than the stream. */
  setClock(clock: ClockState): void {
    this.clock = clock
    this.#tell()
  }

  setInfo(info: Info): void {
    this.info = info
    this.#tell()
  }

  /** Calls `listener` after changes, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#source.close()
    this.#stopTelling?.()
  }

  #open(): void {
    this.connection = 'live'
    // What happened while the line was down was not told.
    if (this.#opened) this.epoch++
    this.#opened = true
    this.#tell()
  }

  #lose(): void {
    this.connection = 'lost'
    this.#tell()
  }

  #hear<Name extends keyof StreamEvents>(
    event: Name,
    take: (data: StreamEvents[Name]) => void,
  ): void {
    this.#source.addEventListener(event, ({ data }: MessageEvent<string>) => {
      take(JSON.parse(data) as StreamEvents[Name])
      this.#tell()
    })
  }

  #tell(): void {
    this.#stopTelling ??= atFrame(this.#told + PACE, (now) => {
      this.#stopTelling = undefined
      this.#told = now
      for (const listener of this.#listeners) listener()
    })
  }
}

export function isRequest(entry: Entry): entry is RequestEntry {
  return entry.kind === 'request'
}

/** A request is told when it is answered, so after what it led to. */
function merged(before: readonly Entry[], more: readonly Entry[]): Entry[] {
  const known = new Map([...before, ...more].map((entry) => [entry.id, entry]))
  return [...known.values()].sort((a, b) => a.id - b.id).slice(-MOST_ENTRIES)
}

/** Calls `task` in the first animation frame at or after `due`. Returns a function that cancels it. */
export function atFrame(due: number, task: (now: number) => void): () => void {
  let frame = requestAnimationFrame(function look(now) {
    if (now >= due) task(now)
    else frame = requestAnimationFrame(look)
  })
  return () => cancelAnimationFrame(frame)
}
