// Fine-tunes on a data set that was uploaded, twice, and asks what the model has learned.
import { Api } from './api.mjs'
import { ask, follow, isServed, nameOf, newestStep, openModel, trainStep } from './training.mjs'

const EPOCHS = 2

export default async function main(service) {
  const api = new Api(service)
  const model = await openModel(api, 'clerk')
  let step = await newestStep(api, model)
  for (let epoch = 1; epoch <= EPOCHS; epoch++) {
    step = await trainStep(api, model, {
      before: step,
      path: '/preview/sft-training-jobs',
      // Each epoch has a file of its own.
      gather: (attempt) => ({
        training_data_url: `wandb-artifact:///team/poems/letters:v${10 * epoch + attempt}`,
      }),
      follow: (job) => follow(api, job, { limit: 3 }),
    })
  }
  if (!(await isServed(api, model, step))) throw new Error(`Step ${step} is not served.`)
  const answer = await ask(api, nameOf(model, step), [{ role: 'user', content: 'Write a letter.' }])
  if (answer.choices.length === 0) throw new Error('It answers nothing.')
}
