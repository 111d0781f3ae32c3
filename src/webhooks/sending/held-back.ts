import type { Delivery } from './delivery.js'
import type { ToDo } from './saved-webhooks-schema.js'

/** Deliveries that wait for another one, by the key of what releases them. */
export class HeldBack {
  readonly #held = new Map<string, Set<ToDo>>()

  add(toDo: ToDo, delivery: Delivery): void {
    if (toDo.until === undefined) return
    const key = keyOf(toDo.until, delivery)
    const held = this.#held.get(key)
    if (held) held.add(toDo)
    else this.#held.set(key, new Set([toDo]))
  }

  remove(toDo: ToDo, delivery: Delivery): void {
    if (toDo.until === undefined) return
    const key = keyOf(toDo.until, delivery)
    const held = this.#held.get(key)
    held?.delete(toDo)
    if (held?.size === 0) this.#held.delete(key)
  }

  /** Returns what a new delivery releases, in the order in which it was held back. */
  releasedBy(delivery: Delivery): ToDo[] {
    const newer = this.#held.get(keyOf('newer', delivery)) ?? []
    const next = this.#held.get(keyOf('next', delivery)) ?? []
    return [...newer, ...next]
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
