import { wallPause } from '../clock/wall.js'

/** Never rejects. */
type Work = () => Promise<void>

interface Task {
  readonly work: Work
  /** Called in its place where it is forgotten. */
  readonly forgotten: (() => void) | undefined
}

interface Lane {
  tasks: Task[]
  busy: boolean
}

/** So many at once over all lanes: more would only compete with the API for the machine. */
const MOST_AT_ONCE = 16

/** With more than this to do, it gives way to the API. */
const MANY = 100
/** In milliseconds: without a request for so long, it goes on; so many times it waits once more. */
const PAUSE = 5
const MOST_PAUSES = 10

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
  readonly #asked: () => number
  #heard = 0
  #pause: Promise<void> | undefined

  /** `asked` counts the requests of the API, to which a long queue gives way. */
  constructor(asked: () => number) {
    this.#asked = asked
  }

  /** How much is queued or under way. */
  get size(): number {
    return this.#queued + this.#active
  }

  add(lane: string, work: Work, forgotten?: () => void): void {
    let found = this.#lanes.get(lane)
    if (!found) this.#lanes.set(lane, (found = { tasks: [], busy: false }))
    found.tasks.push({ work, forgotten })
    this.#queued++
    this.#wake(found)
  }

  /** Resolves when nothing is queued or under way. */
  async idle(): Promise<void> {
    if (this.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
  }

  /** Forgets what is queued; what is under way is not stopped. */
  clear(): void {
    this.#waiting = []
    for (const lane of this.#lanes.values()) {
      const { tasks } = lane
      lane.tasks = []
      for (const { forgotten } of tasks) forgotten?.()
    }
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
    if (this.#queued > MANY) await this.#giveWay()
    const task = lane.tasks.shift()
    if (task) {
      this.#queued--
      await task.work()
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

  /** Each delivery that is sent while a request is on its way makes that one wait. */
  async #giveWay(): Promise<void> {
    if (!this.#pause && this.#asked() === this.#heard) return
    this.#pause ??= this.#untilQuiet().finally(() => (this.#pause = undefined))
    await this.#pause
  }

  async #untilQuiet(): Promise<void> {
    for (let pauses = 0; pauses < MOST_PAUSES && this.#asked() !== this.#heard; pauses++) {
      this.#heard = this.#asked()
      await wallPause(PAUSE)
    }
    this.#heard = this.#asked()
  }

  #tellIdle(): void {
    if (this.size > 0) return
    const told = this.#whenIdle
    this.#whenIdle = []
    for (const tell of told) tell()
  }
}
