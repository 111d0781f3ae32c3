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

/** A page of events that a client received. */
interface Page {
  readonly request: RequestEntry
  /** The index of its first event, as the request asked for it. */
  readonly from: number
  /** The index after its last event. */
  readonly end: number
  /** Whether it showed the end of the job. */
  readonly isOver: boolean
}

/** A page that began where no reader was, and showed events that the client had. */
interface Restart extends Page {
  /** How many events the client had before. */
  readonly had: number
}

/** All pages of a job that one API key read. */
class Reading {
  readonly #job: Job | undefined
  /** The last page of each reader. Cursors tell the readers apart. */
  readonly #readers: Page[] = []
  readonly #restarts: Restart[] = []
  /** The number of events that the client received, from the first one on. */
  #had = 0
  /** How many answers failed or were changed, so that the client may start again. */
  #excuses = 0

  constructor(job: Job | undefined) {
    this.#job = job
  }

  /** Takes the next request for events, in the order of the journal. */
  add(request: RequestEntry, from: number): void {
    const page = receivedPage(request, from)
    if (!page) {
      this.#excuses++
      return
    }
    const reader = this.#readers.findIndex(({ end, isOver }) => end === from && !isOver)
    if (reader !== -1) this.#readers[reader] = page
    else if (page.end > from) this.#begin(page)
    if (from <= this.#had) this.#had = Math.max(this.#had, page.end)
  }

  /** Takes a page that continues no other. */
  #begin(page: Page): void {
    if (this.#isKnown(page)) {
      if (this.#excuses > 0) this.#excuses--
      else this.#restarts.push({ ...page, had: this.#had })
    }
    // A new reader has no cursor. With a cursor, one of those beyond it went back.
    const { from } = page
    const wentBack =
      from === 0 ? -1 : this.#readers.findLastIndex(({ end, isOver }) => end > from && !isOver)
    if (wentBack === -1) this.#readers.push(page)
    else this.#readers[wentBack] = page
  }

  /** Whether a page shows events that the client had. */
  #isKnown({ from, end }: Page): boolean {
    // The start of a job may come again: some clients wait for its first step without a cursor.
    const start = this.#job?.progress.started === undefined ? 0 : 1
    return Math.max(from, start) < Math.min(end, this.#had)
  }

  /** What the client did wrong, if it did not go on from where it was too often. */
  get mistake(): FoundMistake | undefined {
    const restarts = this.#withoutNewReaders()
    if (restarts.length <= MOST_RESTARTS) return undefined
    const { request, from, had } = restarts.at(-1)!
    const cursor = from === 0 ? 'no cursor' : `the cursor of event ${from}`
    const isPlain = isPlainJson({ shown: [0, had] }, this.#job)
    const odd = isPlain ? '' : ', with values that a strict JSON parser refuses'
    const text = `${formatRequest(request)} sent ${cursor}, although the client had received the first ${had} events of job ${this.#job?.id}${odd}: it read events again ${restarts.length} times; send the id of the last event as after`
    return { text, requests: restarts.map((restart) => restart.request.id).reverse() }
  }

  /**
   * The restarts of readers that were there before. Another reader may begin without a cursor while one goes on, so each
   * restart without a cursor must have left a reader behind that read nothing after it.
   */
  #withoutNewReaders(): Restart[] {
    const readers = [...this.#readers]
    return this.#restarts.filter(({ request, from }) => {
      if (from > 0) return true
      const left = readers.findIndex((last) => last.request.id < request.id && !last.isOver)
      if (left === -1) return false
      readers.splice(left, 1)
      return true
    })
  }
}

/** Returns the page that a request asked for. Undefined if the client did not receive this page, as it was. */
function receivedPage(request: RequestEntry, from: number): Page | undefined {
  const { faults, jobView } = request
  if (!jobView || !wasReceived(request)) return undefined
  if (faults.some(({ fault }) => faultDefinition(fault).damage !== undefined)) return undefined
  const { shown, over: isOver } = jobView
  const isRight = shown ? shown[0] === from : faults.length === 0
  return isRight ? { request, from, end: shown?.[1] ?? from, isOver } : undefined
}
