// Three steps of reinforcement learning. It reads the events of each job, and keeps the curve of its loss.
import { Api, List, pauseBefore } from './api.mjs'
import {
  ask,
  differs,
  isServed,
  isTrainable,
  JobFailed,
  nameOf,
  newestStep,
  openModel,
  trainStep,
} from './training.mjs'

const STEPS = 3
const MOST_IDLE_POLLS = 25
const PROMPTS = ['Write a line about the sea.', 'Write a line about the moon.']

/** Likes short lines with many different letters. */
function rewardOf(text) {
  return new Set(text.toLowerCase()).size / 40 - text.length / 1000
}

async function rollOut(api, model, step) {
  const groups = []
  for (const prompt of PROMPTS) {
    const trajectories = []
    for (let tries = 0; tries < 8 && trajectories.length < 2; tries++) {
      const answer = await ask(api, nameOf(model, step), [{ role: 'user', content: prompt }])
      if (!isTrainable(answer)) continue
      const [choice] = answer.choices
      const messages_and_choices = [{ role: 'user', content: prompt }, choice]
      trajectories.push({ messages_and_choices, reward: rewardOf(choice.message.content) })
    }
    if (differs({ trajectories })) groups.push({ trajectories })
  }
  if (groups.length === 0) throw new Error('There is nothing to train on.')
  return { trajectory_groups: groups }
}

async function follow(api, job, curve) {
  const events = new List(api, `/preview/training-jobs/${job.id}/events`, 4)
  for (let idle = 0; idle < MOST_IDLE_POLLS; idle++) {
    for (const { id, type, data } of await events.more()) {
      idle = 0
      if (type === 'gradient_step') curve.push({ id, loss: data.loss })
      if (type === 'training_failed') throw new JobFailed(data.error_message)
      if (type === 'training_ended') return
    }
    await api.sleep(pauseBefore(idle))
  }
  throw new Error(`Job ${job.id} does not end.`)
}

export default async function main(service) {
  const api = new Api(service)
  const model = await openModel(api, 'poet')
  let step = await newestStep(api, model)
  let policy = step
  const curve = []
  for (let trained = 0; trained < STEPS; trained++) {
    step = await trainStep(api, model, {
      before: step,
      gather: () => rollOut(api, model, policy),
      follow: (job) => follow(api, job, curve),
    })
    if (await isServed(api, model, step)) policy = step
  }
  const points = new Set(curve.map(({ id }) => id)).size
  if (points !== curve.length) throw new Error('The curve has a point twice.')
}
