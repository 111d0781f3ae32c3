// Trains one step each night. Each night is a process of its own: what it must know is in `state`, and with the service.
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

const NIGHTS = 3
const MOST_IDLE_POLLS = 25
const LESSONS = ['Spell "rhythm".', 'Spell "queue".', 'Spell "yacht".']

async function gather(api, model, { policy, lesson }) {
  const trajectories = []
  for (let tries = 0; tries < 10 && trajectories.length < 3; tries++) {
    const messages = [{ role: 'user', content: lesson }]
    const answer = await ask(api, nameOf(model, policy), messages)
    if (!isTrainable(answer)) continue
    const [choice] = answer.choices
    const reward = (choice.message.content.match(/[aeiou]/g) ?? []).length
    trajectories.push({ messages_and_choices: [...messages, choice], reward })
  }
  if (!differs({ trajectories })) throw new Error(`Nothing to learn from ${lesson}`)
  return { trajectory_groups: [{ trajectories }] }
}

async function follow(api, state, job) {
  state.set('job', job.id)
  const events = new List(api, `/preview/training-jobs/${job.id}/events`, 5)
  for (let idle = 0; idle < MOST_IDLE_POLLS; idle++) {
    for (const { type, data } of await events.more()) {
      if (type === 'training_failed' || type === 'training_ended') state.delete('job')
      if (type === 'training_failed') throw new JobFailed(data.error_message)
      if (type === 'training_ended') return
    }
    await api.sleep(pauseBefore(idle))
  }
  throw new Error(`Job ${job.id} does not end.`)
}

async function night(service, state) {
  const api = new Api(service)
  const model = await openModel(api, 'speller')
  const unfinished = state.get('job')
  if (unfinished !== undefined) await follow(api, state, { id: unfinished })
  const before = await newestStep(api, model)
  const lesson = LESSONS[(state.get('lessons') ?? 0) % LESSONS.length]
  const policy = state.get('policy') ?? before
  const step = await trainStep(api, model, {
    before,
    gather: () => gather(api, model, { policy, lesson }),
    follow: (job) => follow(api, state, job),
  })
  state.set('lessons', (state.get('lessons') ?? 0) + 1)
  if (await isServed(api, model, step)) state.set('policy', step)
}

export default async function main(service) {
  const state = new Map()
  for (let each = 0; each < NIGHTS; each++) await night(service, state)
  if (state.get('lessons') !== NIGHTS) throw new Error('A night is missing.')
}
