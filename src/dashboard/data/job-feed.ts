import { useEffect, useState } from 'preact/hooks'
import type { QueryOf } from '../../emulator/control/client/call.js'
import type { ControlEvents, ControlJob as Job } from '../../emulator/control/schemas/jobs.js'
import { call } from './control.js'
import { Curves } from '../kit/curves.js'
import { useLive } from './use-live.js'

export type JobEvent = ControlEvents['events'][number]

/** How many events are kept, how many are read at first, and how many later calls read at most. */
const MOST_EVENTS = 1000
const TAIL = 200
const PAGE = 1000
/** How many points a curve has when it is loaded, and how many it may have before it is loaded again. */
const POINTS = 2000
const MOST_POINTS = 4000

/**
 * Events and curves of one job, in bounded memory. They are read once, and again whenever the stream
 * reports progress of the job. Only one call runs at a time, however fast the job is.
 */
export class JobFeed {
  /** The latest events, oldest first. */
  events: readonly JobEvent[] = []
  total = 0
  curves = new Curves()
  error: Error | undefined
  /** Whether something was read: before that, nothing can be said to be missing. */
  isLoaded = false
  readonly #params: { job_id: string }
  readonly #changed: () => void
  #closed = false
  #busy = false
  #next: Job | undefined

  constructor(id: string, changed: () => void) {
    this.#params = { job_id: id }
    this.#changed = changed
    void this.#one(() => this.#load())
  }

  /** Reads the events up to this state of the job. */
  follow(job: Job): void {
    this.#next = job
    if (this.#busy) return
    void this.#one(() => this.#catchUp(job))
  }

  /** Reads events before the known ones. */
  earlier(): void {
    const first = this.events[0]?.index ?? 0
    if (this.#busy || first === 0) return
    const from = Math.max(0, first - TAIL)
    void this.#one(async () => {
      const { events } = await this.#read({ from, limit: first - from })
      this.events = [...events, ...this.events]
    })
  }

  close(): void {
    this.#closed = true
  }

  async #one(work: () => Promise<void>): Promise<void> {
    this.#busy = true
    const before = this.#next
    try {
      await work()
      this.error = undefined
    } catch (error) {
      this.error = error as Error
    }
    this.#busy = false
    if (this.#closed) return
    this.#changed()
    if (this.#next && this.#next !== before) this.follow(this.#next)
  }

  async #load(): Promise<void> {
    const { events, total } = await this.#read({ from: -TAIL, limit: TAIL })
    this.events = events
    this.total = total
    await this.#loadCurves()
    this.isLoaded = true
  }

  #read(query: QueryOf<'GET /jobs/{job_id}/events'>): Promise<ControlEvents> {
    return call('GET /jobs/{job_id}/events', { params: this.#params, query })
  }

  async #loadCurves(): Promise<void> {
    const sent = { params: this.#params, query: { points: POINTS } }
    this.curves = new Curves(await call('GET /jobs/{job_id}/metrics', sent))
  }

  async #catchUp(job: Job): Promise<void> {
    if (!this.isLoaded) return this.#load()
    if (job.events <= this.total) return
    if (job.events - this.total > PAGE) return this.#load()
    const { events } = await this.#read({ from: this.total, limit: PAGE })
    this.total += events.length
    this.events = [...this.events, ...events].slice(-MOST_EVENTS)
    const steps = events.filter(({ type }) => type === 'gradient_step')
    // `job.step` is the step after `job.events` events.
    let step = job.step - steps.filter(({ index }) => index < job.events).length
    for (const { data } of steps) this.curves.append(++step, data)
    if (this.curves.steps.length > MOST_POINTS) await this.#loadCurves()
  }
}

/** Events and curves of a job, kept up to date while the component is mounted. */
export function useJobFeed(id: string): JobFeed | undefined {
  const job = useLive((live) => live.jobs.get(id))
  const epoch = useLive((live) => live.epoch)
  const [{ feed }, setFeed] = useState<{ feed?: JobFeed }>({})
  useEffect(() => {
    const opened: JobFeed = new JobFeed(id, () => setFeed({ feed: opened }))
    setFeed({ feed: opened })
    return () => opened.close()
  }, [id, epoch])
  useEffect(() => {
    if (feed && job) feed.follow(job)
  }, [feed, job])
  return feed
}
