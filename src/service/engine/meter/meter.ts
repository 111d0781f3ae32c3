import type { Usage } from '../chat/completion.js'
import type { ChatRequest } from '../chat/request.js'
import type { Changes } from '../saved/changes.js'
import type { Store } from '../store.js'
import { savedMeter, type MeteredChats } from './saved-meter.js'

interface MeterWorld {
  readonly changes: Changes
  readonly store: Store
}

/** Clients choose the names of judges. Chats beyond this number of rows count as those of other models. */
const MOST_ROWS = 20_000

/** The name of the models whose chats have no row of their own. */
const OTHERS = 'other models'

/** Counts what chats use, as sums: they stay exact when the journal forgets. What jobs use is in the jobs. */
export class Meter {
  /** By the key of the row. */
  readonly chats = new Map<string, MeteredChats>()
  readonly #world: MeterWorld

  constructor(world: MeterWorld) {
    this.#world = world
  }

  /** Counts a chat that a model answered. */
  count(
    { served }: Pick<ChatRequest, 'served'>,
    { prompt_tokens, completion_tokens }: Usage,
  ): void {
    const jobs = this.#world.store.jobs.size
    const [model, step] =
      served.kind === 'base'
        ? ([served.id, null] as const)
        : ([served.model.record.id, served.checkpoint.step] as const)
    const own = keyOf({ jobs, model, step })
    const isFull = this.chats.size >= MOST_ROWS && !this.chats.has(own)
    const key = isFull ? OTHERS : own
    const none = { chats: 0, prompt: 0, completion: 0 }
    let row = this.chats.get(key)
    if (!row && isFull) row = { jobs, model: '', name: OTHERS, base: OTHERS, step: null, ...none }
    if (!row) {
      const [name, base] =
        served.kind === 'base'
          ? [served.id, served.id]
          : [served.model.record.name, served.model.record.base_model]
      row = { jobs, model, name, base, step, ...none }
    }
    row.chats++
    row.prompt += prompt_tokens
    row.completion += completion_tokens
    this.chats.set(key, row)
    this.#world.changes.changed(savedMeter, key, row)
  }
}

function keyOf({ jobs, model, step }: Pick<MeteredChats, 'jobs' | 'model' | 'step'>): string {
  return `${jobs} ${step ?? ''} ${model}`
}
