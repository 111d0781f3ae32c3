type Task = () => Promise<void>

interface Lane {
  readonly tasks: Task[]
  busy: boolean
}

/** So many at once over all lanes: more would only compete with the API for the machine. */
const MOST_AT_ONCE = 16

/**
 * Queues of work, one a webhook: in a lane one thing is done after the other, in order, and lanes do
 * not wait for each other. Whoever adds something never waits for it.
 */
export class Dispatcher {
  readonly #lanes = new Map<string, Lane>()
  #waiting: Lane[] = []
  #active = 0
  #queued = 0
  #whenIdle: (() => void)[] = []

  /** How much is queued or under way. */
  get size(): number {
    return this.#queued + this.#active
  }

  /** `task` never rejects. */
  add(lane: string, task: Task): void {
    let found = this.#lanes.get(lane)
    if (!found) this.#lanes.set(lane, (found = { tasks: [], busy: false }))
    found.tasks.push(task)
    this.#queued++
    this.#wake(found)
  }

  /** Resolves when nothing is queued or under way. */
  async idle(): Promise<void> {
    if (this.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
  }

  /** Forgets what is queued; what is under way is not stopped. */
  clear(): void {
    for (const lane of this.#lanes.values()) lane.tasks.length = 0
    this.#waiting = []
    this.#queued = 0
    this.#tellIdle()
  }

  #wake(lane: Lane): void {
    if (lane.busy) return
    lane.busy = true
    if (this.#active < MOST_AT_ONCE) void this.#run(lane)
    else this.#waiting.push(lane)
  }

  async #run(lane: Lane): Promise<void> {
    this.#active++
    // Not within the turn of whoever adds: an API call is never held up by its deliveries.
    await Promise.resolve()
    const task = lane.tasks.shift()
    if (task) {
      this.#queued--
      await task()
    }
    this.#active--
    lane.busy = false
    if (lane.tasks.length > 0) {
      lane.busy = true
      this.#waiting.push(lane)
    }
    const next = this.#waiting.shift()
    if (next) void this.#run(next)
    this.#tellIdle()
  }

  #tellIdle(): void {
    if (this.size > 0) return
    const told = this.#whenIdle
    this.#whenIdle = []
    for (const tell of told) tell()
  }
}
