// Three steps of reinforcement learning. It reads the events of each job, and keeps the points of its curve.
import { Api } from './api.mjs'
import {
  batchFrom,
  follow,
  isServed,
  nameOf,
  newestStep,
  openModel,
  trainStep,
} from './training.mjs'

const STEPS = 3
const PROMPTS = ['Write a line about the sea.', 'Write a line about the moon.']

/** Likes short lines with many different letters. */
function rewardOf(text) {
  return new Set(text.toLowerCase()).size / 40 - text.length / 1000
}

export default async function main(service) {
  const api = new Api(service)
  const model = await openModel(api, 'poet')
  let step = await newestStep(api, model)
  let policy = step
  const curve = []
  const asked = { contents: PROMPTS, count: 2, tries: 8, rewardOf }
  for (let trained = 0; trained < STEPS; trained++) {
    step = await trainStep(api, model, {
      before: step,
      gather: () => batchFrom(api, nameOf(model, policy), asked),
      follow: (job) => follow(api, job, { limit: 4, onStep: ({ id }) => curve.push(id) }),
    })
    if (await isServed(api, model, step)) policy = step
  }
  const points = new Set(curve).size
  if (points !== curve.length) throw new Error('The curve has a point twice.')
}
