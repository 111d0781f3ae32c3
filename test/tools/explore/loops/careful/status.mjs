// Two steps of reinforcement learning. It asks for the status of its job, and never for events.
import { Api } from './api.mjs'
import { isServed, nameOf, newestStep, openModel, sample, trainStep, wait } from './training.mjs'

async function gather(api, model, step) {
  const content = 'Name a river, and say where it ends.'
  const rewardOf = ({ length }) => length % 7
  const asked = { content, count: 4, tries: 12, rewardOf }
  const trajectories = await sample(api, nameOf(model, step), asked)
  return { trajectory_groups: [{ trajectories }] }
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
