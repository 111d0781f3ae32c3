// Trains two steps, and releases each checkpoint once: when a webhook says that it is there, or at the end.
import { Api, pauseBefore } from './api.mjs'
import {
  ask,
  checkpointsOf,
  differs,
  isServed,
  isTrainable,
  JobFailed,
  nameOf,
  newestStep,
  openModel,
  trainStep,
} from './training.mjs'

const STEPS = 2
const MOST_POLLS = 40
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

async function gather(api, model, step) {
  const trajectories = []
  const messages = [{ role: 'user', content: 'Write a headline.' }]
  for (let tries = 0; tries < 10 && trajectories.length < 3; tries++) {
    const answer = await ask(api, nameOf(model, step), messages)
    if (!isTrainable(answer)) continue
    const [choice] = answer.choices
    trajectories.push({
      messages_and_choices: [...messages, choice],
      reward: choice.message.content.length,
    })
  }
  if (!differs({ trajectories })) throw new Error('All rewards are alike.')
  return { trajectory_groups: [{ trajectories }] }
}

/** Waits for the status of a job, because a webhook may be lost. */
async function wait(api, inbox, { id }) {
  for (let poll = 1; poll <= MOST_POLLS; poll++) {
    const { status, error_message } = await api.retrying(() =>
      api.get(`/preview/training-jobs/${id}`),
    )
    inbox.handle()
    if (status === 'failed') throw new JobFailed(error_message)
    if (status === 'ended') return
    await api.sleep(pauseBefore(poll))
  }
  throw new Error(`Job ${id} takes too long.`)
}

export default async function main(service) {
  const api = new Api(service)
  const inbox = new Inbox(service.sink)
  const model = await openModel(api, 'editor')
  let step = await newestStep(api, model)
  const trained = []
  for (let each = 0; each < STEPS; each++) {
    const policy = step
    step = await trainStep(api, model, {
      before: step,
      gather: () => gather(api, model, policy),
      follow: (job) => wait(api, inbox, job),
    })
    trained.push(step)
    if (!(await isServed(api, model, step))) throw new Error(`Step ${step} is not served.`)
  }
  // The last deliveries may still be on their way, and some may be lost.
  for (let poll = 1; poll <= MOST_LATE_POLLS; poll++) {
    inbox.handle()
    await api.sleep(pauseBefore(poll))
  }
  for (const each of trained) inbox.release(each)
  const { released } = inbox
  if (new Set(released).size !== released.length) throw new Error('A step was released twice.')
  const steps = (await checkpointsOf(api, model)).map((checkpoint) => checkpoint.step)
  for (const each of released) {
    if (!steps.includes(each)) throw new Error(`Step ${each} was released, and does not exist.`)
  }
}
