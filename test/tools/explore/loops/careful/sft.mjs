// Fine-tunes on a data set that was uploaded, twice, and asks what the model has learned.
import { Api, List, pauseBefore } from './api.mjs'
import { ask, isServed, JobFailed, nameOf, newestStep, openModel, trainStep } from './training.mjs'

const MOST_IDLE_POLLS = 25
const EPOCHS = 2

async function follow(api, { id }, losses) {
  const events = new List(api, `/preview/training-jobs/${id}/events`, 3)
  for (let idle = 0; idle < MOST_IDLE_POLLS; idle++) {
    for (const { type, data } of await events.more()) {
      idle = 0
      if (type === 'gradient_step' && Number.isFinite(data.loss)) losses.push(data.loss)
      if (type === 'training_failed') throw new JobFailed(data.error_message)
      if (type === 'training_ended') return
    }
    await api.sleep(pauseBefore(idle))
  }
  throw new Error(`Job ${id} does not end.`)
}

export default async function main(service) {
  const api = new Api(service)
  const model = await openModel(api, 'clerk')
  const losses = []
  let step = await newestStep(api, model)
  for (let epoch = 1; epoch <= EPOCHS; epoch++) {
    step = await trainStep(api, model, {
      before: step,
      path: '/preview/sft-training-jobs',
      // Each epoch has a file of its own.
      gather: (attempt) => ({
        training_data_url: `wandb-artifact:///team/poems/letters:v${10 * epoch + attempt}`,
      }),
      follow: (job) => follow(api, job, losses),
    })
  }
  if (!(await isServed(api, model, step))) throw new Error(`Step ${step} is not served.`)
  const answer = await ask(api, nameOf(model, step), [{ role: 'user', content: 'Write a letter.' }])
  if (answer.choices.length === 0) throw new Error('It answers nothing.')
}
