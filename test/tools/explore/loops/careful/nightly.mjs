// Trains one step each night. Each night is a process of its own: what it must know is in `state`, and with the service.
import { Api } from './api.mjs'
import {
  batchFrom,
  follow,
  isServed,
  JobFailed,
  nameOf,
  newestStep,
  openModel,
  trainStep,
} from './training.mjs'

const NIGHTS = 3
const LESSONS = ['Spell "rhythm".', 'Spell "queue".', 'Spell "yacht".']

const rewardOf = (text) => (text.match(/[aeiou]/g) ?? []).length

/** Follows a job, which is remembered until it is over. */
async function remember(api, state, job) {
  state.set('job', job.id)
  try {
    await follow(api, job, { limit: 5 })
    state.delete('job')
  } catch (error) {
    if (error instanceof JobFailed) state.delete('job')
    throw error
  }
}

async function night(service, state) {
  const api = new Api(service)
  const model = await openModel(api, 'speller')
  const unfinished = state.get('job')
  if (unfinished !== undefined) await remember(api, state, { id: unfinished })
  const before = await newestStep(api, model)
  const lesson = LESSONS[(state.get('lessons') ?? 0) % LESSONS.length]
  const policy = state.get('policy') ?? before
  const asked = { contents: [lesson], count: 3, rewardOf }
  const step = await trainStep(api, model, {
    before,
    gather: () => batchFrom(api, nameOf(model, policy), asked),
    follow: (job) => remember(api, state, job),
  })
  state.set('lessons', (state.get('lessons') ?? 0) + 1)
  if (await isServed(api, model, step)) state.set('policy', step)
}

export default async function main(service) {
  const state = new Map()
  for (let each = 0; each < NIGHTS; each++) await night(service, state)
  if (state.get('lessons') !== NIGHTS) throw new Error('A night is missing.')
}
