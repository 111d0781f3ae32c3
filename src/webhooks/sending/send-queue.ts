import { wallPause } from '../../base/clock/wall.js'
import type { ToDo } from './saved-webhooks-schema.js'

interface Task {
  /** Must not reject. */
  readonly run: () => Promise<unknown>
  /** Of which part of a delivery it is. Undefined if somebody waits for the task itself. */
  readonly toDo?: ToDo
  /** Called instead if the queue is cleared first. */
  readonly dropped?: () => void
  /** Whether it goes before the tasks of its lane that do not. */
  readonly first?: boolean
}

interface Lane {
  tasks: Task[]
  busy: boolean
}

/** The most tasks at once over all lanes: more would only compete with the API for the machine. */
const MOST_AT_ONCE = 16
/** With more tasks than this in the queue, the API goes first, */
const MANY = 100
/** and with more than this, it does not: calls would go on to add more than is sent. */
const TOO_MANY = 10_000
/** The queue continues after this many milliseconds without a request, */
const PAUSE = 5
/** or after this many pauses. */
const MOST_PAUSES = 10

/**
 * Tasks in lanes, one lane for each webhook. A lane runs its tasks one after the other, in order; lanes
 * do not wait for each other.
 */
export class SendQueue {
  readonly #lanes = new Map<string, Lane>()
  readonly #requests: () => number
  readonly #ready: Lane[] = []
  #running = 0
  #queued = 0
  #whenIdle: (() => void)[] = []
  #requestsSeen = 0
  #pause: Promise<void> | undefined

  /** `requests` counts the requests of the API, which a long queue lets go first. */
  constructor(requests: () => number) {
    this.#requests = requests
  }

  /** How many tasks are queued or running. */
  get size(): number {
    return this.#queued + this.#running
  }

  add(name: string, task: Task): void {
    let lane = this.#lanes.get(name)
    if (!lane) this.#lanes.set(name, (lane = { tasks: [], busy: false }))
    const firsts = task.first ? lane.tasks.findIndex(({ first }) => !first) : -1
    if (firsts === -1) lane.tasks.push(task)
    else lane.tasks.splice(firsts, 0, task)
    this.#queued++
    if (lane.busy) return
    lane.busy = true
    if (this.#running < MOST_AT_ONCE) void this.#runNext(lane)
    else this.#ready.push(lane)
  }

  /** Drops a queued task. Returns false if it is under way or over. */
  drop(name: string, toDo: ToDo): boolean {
    const tasks = this.#lanes.get(name)?.tasks ?? []
    const at = tasks.findIndex((task) => task.toDo === toDo)
    if (at === -1) return false
    tasks.splice(at, 1)
    this.#queued--
    return true
  }

  /** Resolves when nothing is queued or running. */
  async idle(): Promise<void> {
    if (this.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
  }

  /** Drops what is queued. Running tasks continue. */
  clear(): void {
    this.#queued = 0
    for (const lane of this.#lanes.values()) {
      const { tasks } = lane
      lane.tasks = []
      for (const { dropped } of tasks) dropped?.()
    }
    this.#announceIdle()
  }

  async #runNext(lane: Lane): Promise<void> {
    this.#running++
    // In a later turn, so that an API call never waits for the deliveries that it causes.
    await Promise.resolve()
    if (this.#queued > MANY && this.#queued <= TOO_MANY) await this.#letRequestsGoFirst()
    const task = lane.tasks.shift()
    if (task) {
      this.#queued--
      await task.run()
    }
    this.#running--
    lane.busy = lane.tasks.length > 0
    if (lane.busy) this.#ready.push(lane)
    const next = this.#ready.shift()
    if (next) void this.#runNext(next)
    this.#announceIdle()
  }

  /** Pauses a long queue, because deliveries slow down the requests of the API. */
  async #letRequestsGoFirst(): Promise<void> {
    if (!this.#pause && this.#requests() === this.#requestsSeen) return
    this.#pause ??= this.#untilQuiet().finally(() => (this.#pause = undefined))
    await this.#pause
  }

  async #untilQuiet(): Promise<void> {
    for (let count = 0; count < MOST_PAUSES && this.#requests() !== this.#requestsSeen; count++) {
      this.#requestsSeen = this.#requests()
      await wallPause(PAUSE)
    }
    this.#requestsSeen = this.#requests()
  }

  #announceIdle(): void {
    if (this.size > 0) return
    const waiting = this.#whenIdle
    this.#whenIdle = []
    for (const resolve of waiting) resolve()
  }
}
