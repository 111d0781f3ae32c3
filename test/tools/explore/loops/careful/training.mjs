// The steps of training that the loops of this folder share.
import { List, Lost, mayPass, Refused } from './api.mjs'

export const BASE_MODEL = 'example/base-8b-instruct'
const MOST_SUBMISSIONS = 10
const MOST_JOBS = 4
const MOST_LOOKS = 8
const MOST_IDLE_POLLS = 25
const MOST_POLLS = 40

/** Opens a model, which may exist. */
export function openModel(api, name) {
  const wanted = { project: 'poems', name, base_model: BASE_MODEL, return_existing: true }
  return api.retrying(() => api.post('/preview/models', wanted))
}

export function nameOf({ entity, project, name }, step) {
  return `artifact:///${entity}/${project}/${name}:step${step}`
}

export async function checkpointsOf(api, model) {
  const list = new List(api, `/preview/models/${model.id}/checkpoints`)
  await list.more()
  return list.items
}

export async function newestStep(api, model) {
  const checkpoints = await checkpointsOf(api, model)
  return Math.max(0, ...checkpoints.map(({ step }) => step))
}

/** Looks for a checkpoint after a step. Returns its step, or undefined. */
export async function checkpointAfter(api, model, before) {
  for (let look = 1; look <= MOST_LOOKS; look++) {
    const newest = await newestStep(api, model)
    if (newest > before) return newest
    await api.pause(look)
  }
  return undefined
}

/** Whether a new checkpoint answers chats. It may take a moment. */
export async function isServed(api, model, step) {
  for (let look = 1; look <= MOST_LOOKS; look++) {
    try {
      await ask(api, nameOf(model, step), [{ role: 'user', content: 'Are you there?' }])
      return true
    } catch (error) {
      if (error.status !== 404) throw error
      await api.pause(look)
    }
  }
  return false
}

/** Asks once, with all that training needs. */
export function ask(api, model, messages, more = {}) {
  const request = { model, messages, max_tokens: 200, logprobs: true, ...more }
  return api.retrying(() => api.chat(request), [404])
}

/** An answer that was cut off, is empty, or has no log probability for each token teaches nothing. */
export function isTrainable({ choices, usage }) {
  const [choice] = choices ?? []
  if (!choice?.message?.content) return false
  if (choice.finish_reason === 'length') return false
  return choice.logprobs?.content?.length === usage?.completion_tokens
}

/** Asks until as many answers can be trained on. Returns them as trajectories. */
export async function sample(api, model, { content, count, tries = 10, rewardOf }) {
  const trajectories = []
  for (let asked = 0; asked < tries && trajectories.length < count; asked++) {
    const answer = await ask(api, model, [{ role: 'user', content }])
    if (!isTrainable(answer)) continue
    const [choice] = answer.choices
    const reward = rewardOf(choice.message.content)
    trajectories.push({ messages_and_choices: [{ role: 'user', content }, choice], reward })
  }
  return trajectories
}

/** Groups whose rewards are all alike teach nothing. */
export function differs({ trajectories }) {
  return new Set(trajectories.map(({ reward }) => reward)).size > 1
}

/** Asks each question some times. Returns a batch with the groups that teach something. */
export async function batchFrom(api, model, { contents, ...wanted }) {
  const groups = []
  for (const content of contents) {
    const trajectories = await sample(api, model, { content, ...wanted })
    if (differs({ trajectories })) groups.push({ trajectories })
  }
  if (groups.length === 0) throw new Error('All rewards are alike.')
  return { trajectory_groups: groups }
}

/** Submits a batch. Returns undefined if nobody knows whether there is a job. */
async function submit(api, path, batch) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await api.post(path, batch)
    } catch (error) {
      // The job may exist. A second one would train the same answers again.
      if (error instanceof Lost || error.status >= 500) return undefined
      if (!(error instanceof Refused) || !mayPass(error)) throw error
      if (attempt === MOST_SUBMISSIONS) throw error
      await api.pause(attempt, error)
    }
  }
}

/**
 * Trains one step, and returns the step of the new checkpoint.
 *
 * @param gather Returns the body of a job. Each job gets its own.
 * @param follow Waits for the end of a job, and throws if it failed.
 */
export async function trainStep(
  api,
  model,
  { before, gather, follow, path = '/preview/training-jobs' },
) {
  let problem = new Error('Nothing was submitted')
  for (let attempt = 1; attempt <= MOST_JOBS; attempt++) {
    const batch = await gather(attempt)
    const job = await submit(api, path, { model_id: model.id, ...batch })
    try {
      if (job) await follow(job)
      const made = await checkpointAfter(api, model, before)
      if (made !== undefined) return made
      problem = new Error(`No checkpoint came after step ${before}`)
    } catch (error) {
      if (!(error instanceof JobFailed)) throw error
      problem = error
    }
  }
  throw problem
}

/**
 * Trains some steps. Each is sampled from the one before it, and must be served. Returns their numbers.
 *
 * @param gather Is told which step to sample, and returns a batch.
 * @param onStep Is called after each step.
 */
export async function trainSteps(api, model, { steps, gather, follow, onStep }) {
  const trained = []
  let step = await newestStep(api, model)
  while (trained.length < steps) {
    const policy = step
    step = await trainStep(api, model, { before: step, gather: () => gather(policy), follow })
    if (!(await isServed(api, model, step))) throw new Error(`Step ${step} is not served.`)
    trained.push(step)
    onStep?.()
  }
  return trained
}

/** The service says that a job failed. */
export class JobFailed extends Error {}

/**
 * Reads the events of a job until it ends.
 *
 * @param onStep Is told each gradient step.
 */
export async function follow(api, { id }, { limit, onStep } = {}) {
  const events = new List(api, `/preview/training-jobs/${id}/events`, limit)
  for (let idle = 0; idle < MOST_IDLE_POLLS; idle++) {
    for (const event of await events.more()) {
      const { type, data } = event
      idle = 0
      if (type === 'gradient_step') onStep?.(event)
      if (type === 'training_failed') throw new JobFailed(data.error_message)
      if (type === 'training_ended') return
    }
    await api.pause(idle)
  }
  throw new Error(`Job ${id} does not end.`)
}

/**
 * Asks for the status of a job until it ends.
 *
 * @param onPoll Is called after each answer.
 */
export async function wait(api, { id }, onPoll) {
  for (let poll = 1; poll <= MOST_POLLS; poll++) {
    const { status, error_message } = await api.retrying(() =>
      api.get(`/preview/training-jobs/${id}`),
    )
    onPoll?.()
    if (status === 'failed') throw new JobFailed(error_message)
    if (status === 'ended') return
    await api.pause(poll)
  }
  throw new Error(`Job ${id} takes too long.`)
}
