import type { Changes } from '../saved/unsaved-changes.js'
import type { Usage } from './completion.js'
import { savedUsage, type ProjectTotal } from './saved-chat.js'

/** Counts the usage and the chats in progress of each project. A header of the request names the project. */
export class ProjectUsage {
  /** By project. */
  readonly totals = new Map<string, ProjectTotal>()
  readonly #changes: Changes
  readonly #atOnce = new Map<string, number>()

  constructor(changes: Changes) {
    this.#changes = changes
  }

  /** Adds one chat. Returns the project's total. */
  count(project: string, usage: Usage): Readonly<ProjectTotal> {
    const total = this.totals.get(project) ?? {
      requests: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      total_tokens: 0,
    }
    total.requests++
    total.prompt_tokens += usage.prompt_tokens
    total.completion_tokens += usage.completion_tokens
    total.total_tokens += usage.total_tokens
    this.totals.set(project, total)
    this.#changes.changed(savedUsage, project, total)
    return total
  }

  /** Counts a chat that starts, unless `most` are in progress. Returns a function to call when it ends. */
  enter(project: string, most: number): (() => void) | undefined {
    const now = this.#atOnce.get(project) ?? 0
    if (now >= most) return undefined
    this.#atOnce.set(project, now + 1)
    let isOver = false
    return () => {
      // A chat that fails while its answer is made has ended before.
      if (isOver) return
      isOver = true
      this.#atOnce.set(project, this.#atOnce.get(project)! - 1)
    }
  }
}
