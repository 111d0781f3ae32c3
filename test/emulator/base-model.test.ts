import { expect, it } from 'vitest'
import { describeTransports } from '../support/transports.js'

describeTransports('a model that is created without a base model', (open) => {
  it.each([
    [{ base_models: ['a/base', 'b/base'] }, 'a/base'],
    [{}, 'example/base-8b-instruct'],
  ])('in a scenario with %j has %s', async (part, expected) => {
    const { emulator, fetch } = await open({ scenario: { name: 'own', ...part } })
    const control = async (path: string, body: object): Promise<number> => {
      const url = new URL(`/_emulator/${path}`, emulator.trainingUrl)
      return (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).status
    }
    await emulator.models.create({ name: 'in process' })
    await emulator.jobs.start({ model: 'by a job in process' })
    expect(await control('models', { name: 'over HTTP' })).toBe(200)
    expect(await control('jobs', { model: 'by a job over HTTP' })).toBe(200)
    expect(emulator.db.models.all().map((model) => [model.name, model.base_model])).toEqual([
      ['in process', expected],
      ['by a job in process', expected],
      ['over HTTP', expected],
      ['by a job over HTTP', expected],
    ])
  })
})
