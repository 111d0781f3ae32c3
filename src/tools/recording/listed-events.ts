import { fieldsOf, listIn, textIn, type Exchange } from './exchanges.js'
import { timeIn } from './job-record.js'
import type { SeenEvent } from './seen-job.js'

/** An event, and when it happened by the clock of the service. */
export interface DraftEvent extends SeenEvent {
  /** The time that the service says, in milliseconds of its clock. */
  readonly time: number | undefined
}

/** The events of a job, as pages of lists show them. */
export class ListedEvents {
  /** Ids in the order of the job. Pages may overlap, and may come backwards. */
  readonly #order: string[] = []
  readonly #events = new Map<string, DraftEvent>()
  /** The cursors of pages, each with the first event that followed it. */
  readonly #cursors = new Map<string, string | undefined>()
  #hasPages = false
  /** When the last list without the next event was requested. */
  #completeAt = -Infinity

  /** Whether a page could be read. */
  get hasPages(): boolean {
    return this.#hasPages
  }

  /** The events, in the order of the job. */
  get all(): DraftEvent[] {
    return this.#order.map((id) => this.#events.get(id)!)
  }

  /** Takes a page. Returns whether it has a list of events. */
  take({ received, query, sentAt, answeredAt = sentAt }: Exchange): boolean {
    const { data, has_more } = fieldsOf(received)
    const { after, order } = query
    let before = after
    for (const item of listIn(data)) {
      const { id, type, data: content, created_at, timestamp } = fieldsOf(item)
      if (typeof id !== 'string' || typeof type !== 'string') continue
      if (!this.#events.has(id)) {
        const span = { above: this.#completeAt, most: answeredAt }
        const time = timeIn(created_at ?? timestamp)
        this.#events.set(id, { type, data: fieldsOf(content), span, time })
        this.#insert(id, before, order === 'desc' ? 'above' : 'below')
      }
      before = id
    }
    if (has_more === false) this.#completeAt = sentAt
    if (!Array.isArray(data)) return false
    this.#hasPages = true
    if (after !== undefined) {
      const [first] = listIn(data)
      this.#cursors.set(after, this.#cursors.get(after) ?? textIn(fieldsOf(first)['id']))
    }
    return true
  }

  #insert(id: string, neighbor: string | undefined, side: 'above' | 'below'): void {
    const place = neighbor === undefined ? -1 : this.#order.lastIndexOf(neighbor)
    if (place === -1) this.#order.push(id)
    else this.#order.splice(side === 'above' ? place : place + 1, 0, id)
  }

  /** Says where events are missing: a client that sent the id of an event had read it, although no page here has it. */
  gaps(): string[] {
    const unknown = [...this.#cursors].filter(([after]) => !this.#events.has(after))
    return unknown.map(([after, next]) => {
      const place = next === undefined ? 'at the end' : `before ${this.#nameOf(next)}`
      return `events are missing ${place}: no page has after=${after}.`
    })
  }

  /** Names an event for people: steps by the numbers that they have in the scenario. */
  #nameOf(id: string): string {
    const until = this.#order.slice(0, this.#order.indexOf(id) + 1)
    const types = until.map((each) => this.#events.get(each)!.type)
    const steps = types.filter((type) => type === 'gradient_step')
    return types.at(-1) === 'gradient_step' ? `step ${steps.length}` : String(types.at(-1))
  }
}
