import { forgetOldest } from '../../../base/text/forget-oldest.js'
import type { Changes } from '../saved/unsaved-changes.js'
import { savedRepeats } from './saved-chat.js'

/** How many prompts are remembered. */
const MOST_PROMPTS = 20_000

/** How often each prompt was repeated. It forgets the prompts that came first, once there are a quarter too many. */
export class Repeats {
  readonly times = new Map<string, number>()
  readonly #changes: Changes
  readonly #most: number

  constructor(changes: Changes, most = MOST_PROMPTS) {
    this.#changes = changes
    this.#most = most
  }

  /** Adds to the number of requests with a prompt, and returns it. Add -1 if the request was refused. */
  add(prompt: string, by: 1 | -1): number {
    const times = Math.max(0, (this.times.get(prompt) ?? 0) + by)
    if (times > 0) this.times.set(prompt, times)
    else this.times.delete(prompt)
    this.#changes.changed(savedRepeats, prompt, times)
    for (const oldest of forgetOldest(this.times, this.#most)) {
      this.#changes.changed(savedRepeats, oldest, 0)
    }
    return times
  }
}
