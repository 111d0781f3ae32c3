import { expect, it } from 'vitest'
import { controlledOver } from './control/control.js'
import { describeTransports } from '../support/transports.js'

describeTransports('a model that is created without a base model', (open) => {
  it.each([
    [{ base_models: ['a/base', 'b/base'] }, 'a/base'],
    [{}, 'example/base-8b-instruct'],
  ])('in a scenario with %j has %s', async (part, expected) => {
    const scenario = { name: 'own', ...part }
    const { emulator, client } = await controlledOver(open, { scenario })
    await emulator.models.create({ name: 'in process' })
    await emulator.jobs.start({ model: 'by a job in process' })
    await client.models.create({ name: 'over HTTP' })
    await client.jobs.create({ model: 'by a job over HTTP' })
    expect(emulator.db.models.all().map((model) => [model.name, model.base_model])).toEqual([
      ['in process', expected],
      ['by a job in process', expected],
      ['over HTTP', expected],
      ['by a job over HTTP', expected],
    ])
  })
})
