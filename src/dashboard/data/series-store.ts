import { useEffect, useMemo, useState } from 'preact/hooks'
import type { ControlJob as Job } from '../../emulator/control/schemas/jobs.js'
import { call } from './control.js'
import { Curves } from '../kit/curves.js'
import { atFrame } from './live.js'
import { useLive } from './use-live.js'

/** The minimum time between two loads of one job, in milliseconds. */
const PACE = 1000
/** How many jobs it remembers besides those that are followed. A page may stay open for days. */
export const MOST_SERIES = 200

interface LoadedSeries {
  step: number
  curves: Curves
  /** When it was loaded. */
  at: number
}

/** The curves of several jobs. It loads them one after the other, and again while the jobs run. */
export class SeriesStore {
  error: Error | undefined
  readonly #known = new Map<string, LoadedSeries>()
  readonly #changed: () => void
  #wanted: readonly Job[] = []
  #points = 0
  #busy = false
  #closed = false
  #cancel: (() => void) | undefined

  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** The curves of a job, as far as they are loaded. */
  of(id: string): Curves | undefined {
    return this.#known.get(id)?.curves
  }

  /** Loads these jobs, with at most that many points each. */
  follow(jobs: readonly Job[], points: number): void {
    if (points !== this.#points) this.#known.clear()
    this.#points = points
    this.#wanted = jobs
    this.#forgetOldest()
    this.#cancel?.()
    if (!this.#busy) void this.#load()
  }

  close(): void {
    this.#closed = true
    this.#cancel?.()
  }

  async #load(): Promise<void> {
    this.#busy = true
    this.error = undefined
    for (let job = this.#due(); job && !this.#closed; job = this.#due()) {
      const points = this.#points
      try {
        const sent = { params: { job_id: job.id }, query: { points } }
        const curves = new Curves(await call('GET /jobs/{job_id}/metrics', sent))
        if (points === this.#points) {
          this.#known.set(job.id, {
            step: job.step,
            curves,
            at: Number(document.timeline.currentTime),
          })
        }
      } catch (error) {
        this.error = error as Error
        break
      }
      this.#report()
    }
    this.#busy = false
    if (this.error) this.#report()
    else this.#later()
  }

  /** A job that is followed again is loaded again. */
  #forgetOldest(): void {
    const wanted = new Set(this.#wanted.map(({ id }) => id))
    for (const id of this.#known.keys()) {
      if (this.#known.size <= MOST_SERIES + wanted.size) break
      if (!wanted.has(id)) this.#known.delete(id)
    }
  }

  #report(): void {
    if (!this.#closed) this.#changed()
  }

  /** A job that is not loaded, or that made steps since. */
  #due(): Job | undefined {
    return this.#wanted.find(({ id, step }) => {
      const known = this.#known.get(id)
      return (
        !known || (known.step !== step && Number(document.timeline.currentTime) - known.at >= PACE)
      )
    })
  }

  /** Loads again when the first job is due. */
  #later(): void {
    const stale = this.#wanted.flatMap(({ id, step }) => {
      const known = this.#known.get(id)
      return known && known.step !== step ? [known.at + PACE] : []
    })
    if (stale.length > 0 && !this.#closed)
      this.#cancel = atFrame(Math.min(...stale), () => void this.#load())
  }
}

/** The curves for a component, and a number that changes with them. A reset begins with none. */
export function useSeriesStore(): { store: SeriesStore; version: number } {
  const epoch = useLive((live) => live.epoch)
  const [version, setVersion] = useState(0)
  const store = useMemo(() => new SeriesStore(() => setVersion((before) => before + 1)), [epoch])
  useEffect(() => () => store.close(), [store])
  return { store, version }
}
