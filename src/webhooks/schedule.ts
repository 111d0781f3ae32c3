import type { Clock } from '../clock/clock.js'
import type { Appointment } from '../clock/agenda.js'
import type { Plan } from './adversary.js'
import type { Courier, LiveWebhook } from './sender.js'
import type { Delivery, ToDo } from './delivery.js'

/** A delivery that waits for another one of its webhook. */
interface Held {
  readonly delivery: Delivery
  readonly until: 'next' | 'newer'
  readonly release: () => void
  /** When it goes in any case. */
  latest?: Appointment
}

interface Holding extends ToDo {
  until: 'next' | 'newer'
  at: number
  go: () => void
}

/** Hands deliveries to the courier when their time has come: now, later, or once another one goes. */
export class Schedule {
  readonly #courier: Courier
  readonly #clock: Clock
  readonly #held = new Map<string, Held[]>()

  constructor(courier: Courier, clock: Clock) {
    this.#courier = courier
    this.#clock = clock
  }

  /** A new delivery, which may free others that waited for it. */
  plan(delivery: Delivery, webhook: LiveWebhook, { times, delay, held }: Plan): void {
    const go = this.#goer(delivery, { webhook, times })
    const now = this.#clock.now()
    const waiting = this.#held.get(webhook.rule.name) ?? []
    const freed = waiting.filter(
      (each) => each.until === 'next' || isNewer(delivery, each.delivery),
    )
    if (held) this.#hold(delivery, { until: held.until, at: now + held.within, times, go })
    else if (delay > 0) this.#courier.later({ times, at: now + delay }, delivery, go)
    else go()
    for (const { release } of freed) release()
  }

  /** One that was kept. What was queued or under way goes again: nobody knows whether it arrived. */
  goOn(delivery: Delivery, webhook: LiveWebhook, toDo: readonly ToDo[]): void {
    for (const { times, at, until } of toDo) {
      const go = this.#goer(delivery, { webhook, times })
      if (at === undefined) go()
      else if (until) this.#hold(delivery, { until, at, times, go })
      else this.#courier.later({ times, at }, delivery, go)
    }
  }

  /** Nothing waits any more for the next delivery of a webhook that is gone. */
  forget(webhook: string): void {
    this.#held.delete(webhook)
  }

  #goer(delivery: Delivery, { webhook, times }: { webhook: LiveWebhook; times: number }) {
    return (): void => {
      for (let time = 1; time <= times; time++) this.#courier.take(delivery, webhook)
    }
  }

  #hold(delivery: Delivery, { until, at, times, go }: Holding): void {
    const { webhook } = delivery
    const waiting = this.#held.get(webhook) ?? []
    this.#held.set(webhook, waiting)
    const held: Held = {
      delivery,
      until,
      release: () => {
        waiting.splice(waiting.indexOf(held), 1)
        this.#courier.cancel(held.latest)
        go()
      },
    }
    waiting.push(held)
    held.latest = this.#courier.later({ times, at, until }, delivery, held.release)
  }
}

/** Whether one tells of a later state of what the other is about. */
function isNewer({ event }: Delivery, { event: older }: Delivery): boolean {
  if (event.type !== older.type) return false
  if (event.run || older.run) return event.run?.id === older.run?.id
  return event.artifact?.collection === older.artifact?.collection
}
