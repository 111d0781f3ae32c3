// Trains three steps, compares the checkpoints on questions of their own, and deletes those that nobody needs.
import { Api } from './api.mjs'
import {
  ask,
  batchFrom,
  checkpointsOf,
  follow,
  isServed,
  nameOf,
  newestStep,
  openModel,
  trainStep,
} from './training.mjs'

const STEPS = 3
const TASKS = ['Name a bird.', 'Name a tree.']
const EXAM = ['Name a fish.', 'Name a stone.']

const scoreOf = (text) => (text.length % 11) / 10

/** The mean score of a checkpoint on questions that it was not trained on. */
async function examine(api, model, step) {
  let sum = 0
  for (const content of EXAM) {
    const answer = await ask(api, nameOf(model, step), [{ role: 'user', content }], {
      temperature: 0,
    })
    sum += scoreOf(answer.choices[0].message.content ?? '')
  }
  return sum / EXAM.length
}

/** Deletes all checkpoints but the best one, the newest one, and the one that samples. */
async function prune(api, model, { best, policy }) {
  const steps = (await checkpointsOf(api, model)).map(({ step }) => step)
  const newest = Math.max(...steps)
  const kept = new Set([0, best, policy, newest])
  const unused = steps.filter((step) => !kept.has(step))
  if (unused.length === 0) return
  await api.retrying(() => api.delete(`/preview/models/${model.id}/checkpoints`, { steps: unused }))
}

export default async function main(service) {
  const api = new Api(service)
  const model = await openModel(api, 'names')
  const asked = { contents: TASKS, count: 3, rewardOf: scoreOf }
  let step = await newestStep(api, model)
  let best = { step: 0, score: -1 }
  let policy = step
  for (let trained = 0; trained < STEPS; trained++) {
    step = await trainStep(api, model, {
      before: step,
      gather: () => batchFrom(api, nameOf(model, policy), asked),
      follow: (job) => follow(api, job),
    })
    if (!(await isServed(api, model, step))) continue
    policy = step
    const score = await examine(api, model, step)
    if (score > best.score) best = { step, score }
    await prune(api, model, { best: best.step, policy })
  }
  const left = (await checkpointsOf(api, model)).map((checkpoint) => checkpoint.step)
  if (!left.includes(best.step)) throw new Error(`Step ${best.step} is gone.`)
  await ask(api, nameOf(model, best.step), [{ role: 'user', content: 'Name yourself.' }])
}
