// Two steps of reinforcement learning. It asks for the status of its job, and never for events.
import { Api } from './api.mjs'
import { nameOf, openModel, sample, trainSteps, wait } from './training.mjs'

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
  await trainSteps(api, model, {
    steps: 2,
    gather: (policy) => gather(api, model, policy),
    follow: (job) => wait(api, job),
  })
}
