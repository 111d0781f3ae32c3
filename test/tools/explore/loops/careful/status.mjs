// Two steps of reinforcement learning. It asks for the status of its job, and never for events.
import { Api, pauseBefore } from './api.mjs'
import {
  ask,
  isServed,
  isTrainable,
  JobFailed,
  nameOf,
  newestStep,
  openModel,
  trainStep,
} from './training.mjs'

const MOST_POLLS = 40

async function gather(api, model, step) {
  const messages = [{ role: 'user', content: 'Name a river, and say where it ends.' }]
  const trajectories = []
  for (let tries = 0; tries < 12 && trajectories.length < 4; tries++) {
    const answer = await ask(api, nameOf(model, step), messages)
    if (!isTrainable(answer)) continue
    const [choice] = answer.choices
    const reward = choice.message.content.length % 7
    trajectories.push({ messages_and_choices: [...messages, choice], reward })
  }
  return { trajectory_groups: [{ trajectories }] }
}

/** Waits for the end of a job. */
async function wait(api, { id }) {
  for (let poll = 1; poll <= MOST_POLLS; poll++) {
    const { status, error_message } = await api.retrying(() =>
      api.get(`/preview/training-jobs/${id}`),
    )
    if (status === 'failed') throw new JobFailed(error_message)
    if (status === 'ended') return
    await api.sleep(pauseBefore(poll))
  }
  throw new Error(`Job ${id} takes too long.`)
}

export default async function main(service) {
  const api = new Api(service)
  const model = await openModel(api, 'rivers')
  let step = await newestStep(api, model)
  for (const last = step + 2; step < last;) {
    const policy = step
    step = await trainStep(api, model, {
      before: step,
      gather: () => gather(api, model, policy),
      follow: (job) => wait(api, job),
    })
    if (!(await isServed(api, model, step))) throw new Error(`Step ${step} is not served.`)
  }
}
