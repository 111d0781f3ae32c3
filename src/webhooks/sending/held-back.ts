import type { Delivery } from './delivery.js'
import type { ToDo } from './saved-webhooks-schema.js'

/** Deliveries that wait for another one, by the key of what releases them. A new one releases the one before. */
export class HeldBack {
  readonly #held = new Map<string, ToDo>()

  add(toDo: ToDo, delivery: Delivery): void {
    if (toDo.until !== undefined) this.#held.set(keyOf(toDo.until, delivery), toDo)
  }

  remove(toDo: ToDo, delivery: Delivery): void {
    if (toDo.until === undefined) return
    const key = keyOf(toDo.until, delivery)
    if (this.#held.get(key) === toDo) this.#held.delete(key)
  }

  /** Returns what a new delivery releases. */
  releasedBy(delivery: Delivery): ToDo[] {
    const ways = ['newer', 'next'] as const
    return ways.flatMap((until) => this.#held.get(keyOf(until, delivery)) ?? [])
  }
}

/**
 * Two deliveries with the same key for `newer` are about states of the same thing. The id of a run and the name of a
 * collection are unique only where they are.
 */
function keyOf(until: 'next' | 'newer', { webhook, event }: Delivery): string {
  if (until === 'next') return JSON.stringify([webhook])
  const { type, entity, project, registry, run, artifact } = event
  const place = [entity, registry ?? project]
  const subject = run ? ['run', run.id] : ['artifact', artifact?.collection]
  return JSON.stringify([webhook, type, ...place, ...subject])
}
