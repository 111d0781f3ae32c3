import type { BaseWorld } from '../base-world.js'
import type { Usage } from '../chat/completion.js'
import type { ChatRequest } from '../chat/request.js'
import { savedMeter, type MeteredChats } from './saved-meter.js'

/** Clients choose the names of judges. Chats beyond this number of rows count as those of other models. */
const MOST_ROWS = 20_000

/** The name of the models whose chats have no row of their own. */
const OTHERS = 'other models'
const OTHER_MODELS = { model: '', name: OTHERS, base: OTHERS, step: null }

const NOTHING = { chats: 0, prompt: 0, completion: 0 }

/** Counts what chats use, as sums: they stay exact when the journal forgets. What jobs use is in the jobs. */
export class Meter {
  /** By the key of the row. */
  readonly chats = new Map<string, MeteredChats>()
  readonly #world: BaseWorld

  constructor(world: BaseWorld) {
    this.#world = world
  }

  /** Counts a chat that a model answered. */
  count(
    { served }: Pick<ChatRequest, 'served'>,
    { prompt_tokens, completion_tokens }: Usage,
  ): void {
    const jobs = this.#world.store.jobsMade
    const used = { jobs, ...usedBy(served) }
    let key = `${jobs} ${used.step ?? ''} ${used.model}`
    let row = this.chats.get(key)
    if (!row && this.chats.size >= MOST_ROWS) {
      key = OTHERS
      row = this.chats.get(key) ?? { jobs, ...OTHER_MODELS, ...NOTHING }
    }
    row ??= { ...used, ...NOTHING }
    row.chats++
    row.prompt += prompt_tokens
    row.completion += completion_tokens
    this.chats.set(key, row)
    this.#world.changes.changed(savedMeter, key, row)
  }
}

/** The model that answers, and the step of its checkpoint. */
function usedBy(
  served: ChatRequest['served'],
): Pick<MeteredChats, 'model' | 'name' | 'base' | 'step'> {
  if (served.kind === 'base') {
    const { id } = served
    return { model: id, name: id, base: id, step: null }
  }
  const { id, name, base_model: base } = served.model.record
  return { model: id, name, base, step: served.checkpoint.step }
}
