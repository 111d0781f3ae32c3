import type { Client } from './client.js'
import type { PlayedEvent, PlayedJob } from './report.js'

const POLL_EVERY = 1000
const LONGEST_WITHOUT_EVENT = 600_000
/** Ends a poll whose pages never end. */
const MOST_PAGES = 100
const MOST_FAILED_POLLS = 5

interface Following {
  job: PlayedJob
  client: Client
  /** Called for each new event. */
  onEvent: (event: PlayedEvent) => void
  /** Called for each event that the client has seen before. */
  onDuplicate: () => void
}

interface Page {
  data: { id: string; type: string; data: Readonly<Record<string, unknown>> }[]
  has_more: boolean
}

type PollResult = 'over' | 'waiting' | 'failed' | 'refused'

/** Polls the events of a job, as clients do, until the job ends or the client gives up. */
export async function followJob(following: Following): Promise<void> {
  const { job, client } = following
  const poller = new Poller(following)
  let failures = 0
  for (;;) {
    const polled = await poller.poll()
    if (polled === 'over') return
    failures = polled === 'failed' ? failures + 1 : 0
    if (polled === 'refused' || failures === MOST_FAILED_POLLS) {
      job.ended = 'lost'
      client.remark('The client stops following the job.')
      return
    }
    if (client.now() - poller.lastEventAt >= LONGEST_WITHOUT_EVENT) {
      job.ended = 'running'
      client.remark('The client gave up waiting.')
      return
    }
    await client.sleep(POLL_EVERY)
  }
}

class Poller {
  /** When the last new event arrived. */
  lastEventAt: number
  readonly #following: Following
  readonly #seen = new Set<string>()
  #after: string | undefined
  #complained = false

  constructor(following: Following) {
    this.#following = following
    this.lastEventAt = following.client.now()
  }

  /** Reads all pages after the last event. */
  async poll(): Promise<PollResult> {
    const { job, client } = this.#following
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const query = this.#after === undefined ? '' : `?after=${encodeURIComponent(this.#after)}`
      const path = `/preview/training-jobs/${job.id}/events${query}`
      const answered = await client.call({ method: 'GET', path, routine: true })
      if (!answered.ok) {
        job.reason = answered.why
        return answered.refused ? 'refused' : 'failed'
      }
      if (!isPage(answered.value)) {
        job.reason = 'a page of events has something else than events'
        return 'failed'
      }
      const { isNew, moved, isOver } = this.#take(answered.value)
      if (isOver) return 'over'
      if (!answered.value.has_more) return 'waiting'
      if (!isNew && !moved) {
        this.#complain('A page has nothing new but says has_more. The client polls again later.')
        return 'waiting'
      }
    }
    this.#complain(`The client stopped after ${MOST_PAGES} pages and polls again later.`)
    return 'waiting'
  }

  #take({ data }: Page): { isNew: boolean; moved: boolean; isOver: boolean } {
    const { job, client, onEvent, onDuplicate } = this.#following
    let isNew = false
    let isOver = false
    for (const item of data) {
      if (this.#seen.has(item.id)) {
        onDuplicate()
        continue
      }
      this.#seen.add(item.id)
      isNew = true
      this.lastEventAt = client.now()
      onEvent({ at: client.now(), id: item.id, type: item.type, data: item.data })
      if (item.type !== 'training_ended' && item.type !== 'training_failed') continue
      isOver = true
      job.ended = item.type === 'training_ended' ? 'ended' : 'failed'
      const { error_message: message } = item.data
      if (job.ended === 'failed')
        job.reason = typeof message === 'string' ? message : 'no reason given'
      else delete job.reason
    }
    const last = data.at(-1)?.id ?? this.#after
    const moved = last !== this.#after
    this.#after = last
    return { isNew, moved, isOver }
  }

  /** Complains once per job, because the next poll is likely to have the same problem. */
  #complain(text: string): void {
    if (!this.#complained) this.#following.client.remark(text)
    this.#complained = true
  }
}

function isPage(value: unknown): value is Page {
  const { data } = Object(value) as { data?: unknown }
  return Array.isArray(data) && data.every(isEvent)
}

function isEvent(item: unknown): boolean {
  const { id, type, data } = Object(item) as Record<string, unknown>
  return (
    typeof id === 'string' && typeof type === 'string' && typeof data === 'object' && data !== null
  )
}
