import type { Job } from '../../../service/engine/jobs/job.js'
import type { RequestEntry } from '../../../service/engine/journal.js'
import { wasReceived } from '../../../service/engine/received.js'
import { faultDefinition } from '../../../service/scenario/faults/kinds/index.js'
import type { CheckDefinition, FoundMistake } from '../check-definition.js'
import { formatRequest } from '../format.js'
import { isPlainJson } from './plain-json.js'
import { refusedView } from './backward-cursors.js'

/**
 * A reader begins somewhere, and goes on where its last page ended. A program that starts again, or a second reader,
 * begins once more. One that begins at each poll, and never goes on, does not know its cursor.
 */
export const eventsReadAgain: CheckDefinition = {
  mistake:
    'Events of an unfinished job that were read again three times, because the cursor was wrong or never sent.',
  legitimate:
    'A client may repeat a page or start again after an answer that failed or was changed. A display may read all events each time.',
  find(world, requests) {
    const { journal, engine } = world
    // What was read before the journal began is unknown.
    if ((journal.entries[0]?.id ?? 1) > 1) return []
    const readings = new Map<string, Reading>()
    for (const request of requests) {
      const view = request.jobView ?? refusedView(world, request)
      if (view?.from === undefined) continue
      const key = `${request.headers.authorization} ${view.jobId}`
      const reading = readings.get(key) ?? new Reading(engine.store.jobs.get(view.jobId))
      readings.set(key, reading)
      reading.add(request, view.from)
    }
    return [...readings.values()].flatMap((reading) => reading.mistake ?? [])
  },
}

/** A program that is killed, and starts again, may read the same events as many times. */
const MOST_RESTARTS = 2

/** A reader of the events of a job, as far as its cursors tell. */
interface Reader {
  /** Where its last page ended. */
  place: number
  /** The id of its last request. */
  last: number
  isOver: boolean
}

/** A page that began where no reader was, and showed events that the client had. */
interface Restart {
  readonly request: RequestEntry
  readonly from: number
  /** How many events the client had before. */
  readonly had: number
}

/** All pages of a job that one API key read. */
class Reading {
  readonly #job: Job | undefined
  readonly #readers: Reader[] = []
  readonly #restarts: Restart[] = []
  /** The number of events that the client received, from the first one on. */
  #had = 0
  /** How many answers failed or were changed, so that the client may start again. */
  #excuses = 0

  constructor(job: Job | undefined) {
    this.#job = job
  }

  add(request: RequestEntry, from: number): void {
    const { id, jobView } = request
    if (!jobView || !gotItsPage(request, from)) {
      this.#excuses++
      return
    }
    const [, end] = jobView.shown ?? [from, from]
    const read = { place: end, last: id, isOver: jobView.over }
    const reader = this.#readers.find(({ place, isOver }) => place === from && !isOver)
    if (reader) Object.assign(reader, read)
    else if (end > from) this.#begin(request, { from, read })
    if (from <= this.#had) this.#had = Math.max(this.#had, end)
  }

  #begin(request: RequestEntry, { from, read }: { from: number; read: Reader }): void {
    // The start of a job may come again: some clients wait for its first step without a cursor.
    const start = this.#job?.progress.started === undefined ? 0 : 1
    const isAgain = Math.max(from, start) < Math.min(read.place, this.#had)
    if (isAgain && this.#excuses > 0) this.#excuses--
    else if (isAgain) this.#restarts.push({ request, from, had: this.#had })
    // A reader that is new has no cursor.
    const wentBack =
      from > 0 && this.#readers.findLast(({ place, isOver }) => place > from && !isOver)
    if (wentBack) Object.assign(wentBack, read)
    else this.#readers.push(read)
  }

  /** What the client did wrong, if it did not go on from where it was too often. */
  get mistake(): FoundMistake | undefined {
    const left = [...this.#readers]
    const restarts = this.#restarts.filter(({ request: { id }, from }) => {
      if (from > 0) return true
      // Another reader may begin while one goes on. So there must be one that did not go on after that.
      const abandoned = left.findIndex(({ last, isOver }) => last < id && !isOver)
      if (abandoned !== -1) left.splice(abandoned, 1)
      return abandoned !== -1
    })
    if (restarts.length <= MOST_RESTARTS) return undefined
    const { request, from, had } = restarts.at(-1)!
    const cursor = from === 0 ? 'no cursor' : `the cursor of event ${from}`
    const isPlain = isPlainJson({ shown: [0, had] }, this.#job)
    const odd = isPlain ? '' : ', with values that a strict JSON parser refuses'
    const text = `${formatRequest(request)} sent ${cursor}, although the client had received the first ${had} events of job ${this.#job?.id}${odd}: it read events again ${restarts.length} times; send the id of the last event as after`
    return { text, requests: restarts.map((restart) => restart.request.id).reverse() }
  }
}

/** Whether the client received the page that it asked for, in time. */
function gotItsPage(request: RequestEntry, from: number): boolean {
  const { faults, jobView } = request
  if (!wasReceived(request)) return false
  const isChanged = faults.some(({ fault }) => faultDefinition(fault).damage !== undefined)
  return !isChanged && (jobView?.shown ? jobView.shown[0] === from : faults.length === 0)
}
