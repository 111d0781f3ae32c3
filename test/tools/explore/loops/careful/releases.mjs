// Trains two steps, and releases each checkpoint once: when a webhook says that it is there, or at the end.
import { Api } from './api.mjs'
import { batchFrom, checkpointsOf, nameOf, openModel, trainSteps, wait } from './training.mjs'

const STEPS = 2
const MOST_LATE_POLLS = 5

/** Deliveries may come late, twice, or in another order. */
class Inbox {
  /** The steps that were released. */
  released = []
  #read = 0
  #sink

  constructor(sink) {
    this.#sink = sink
  }

  /** Handles what has come since the last time. */
  handle() {
    for (const { verdict, body } of this.#sink.deliveries.slice(this.#read)) {
      this.#read++
      // Anybody can send to a public address.
      if (verdict !== 'valid') continue
      const [, step] = /^step(\d+)$/.exec(body?.alias ?? '') ?? []
      if (step !== undefined) this.release(Number(step))
    }
  }

  release(step) {
    if (this.released.includes(step)) return
    this.released.push(step)
  }
}

export default async function main(service) {
  const api = new Api(service)
  const inbox = new Inbox(service.sink)
  const model = await openModel(api, 'editor')
  const asked = { contents: ['Write a headline.'], count: 3, rewardOf: ({ length }) => length }
  const trained = await trainSteps(api, model, {
    steps: STEPS,
    gather: (policy) => batchFrom(api, nameOf(model, policy), asked),
    // It waits for the status of a job, because a webhook may be lost.
    follow: (job) => wait(api, job, () => inbox.handle()),
  })
  // The last deliveries may still be on their way, and some may be lost.
  for (let poll = 1; poll <= MOST_LATE_POLLS; poll++) {
    inbox.handle()
    await api.pause(poll)
  }
  for (const each of trained) inbox.release(each)
  const { released } = inbox
  if (new Set(released).size !== released.length) throw new Error('A step was released twice.')
  const steps = (await checkpointsOf(api, model)).map((checkpoint) => checkpoint.step)
  for (const each of released) {
    if (!steps.includes(each)) throw new Error(`Step ${each} was released, and does not exist.`)
  }
}
