import { expect, it } from 'vitest'
import { createEmulator, defineScenario, type Emulator } from '../../../../src/index.js'
import { builtInScenarios } from '../../../../src/service/scenario/all-built-in-scenarios.js'
import { nonFiniteJson } from '../../../../src/base/text/non-finite.js'
import { jsonHeaders } from '../../../support/api-client.js'
import { groups } from '../../../support/trainer.js'

const headers = jsonHeaders()

async function post(emulator: Emulator, path: string, body: object): Promise<string> {
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await emulator.fetch(emulator.trainingUrl + path, init)
  return ((await response.json()) as { id: string }).id
}

/** Compares the JSON of all events of an RL job and of an SFT job with the events as objects. */
async function compareEvents(emulator: Emulator): Promise<number> {
  const model = { project: 'p', name: 'poet', base_model: 'example/base-8b-instruct' }
  const model_id = await post(emulator, '/preview/models', model)
  const jobs = '/preview/training-jobs'
  await post(emulator, jobs, { model_id, trajectory_groups: groups })
  const experimental_config = { learning_rate: 2.5e-7 }
  await post(emulator, jobs, { model_id, trajectory_groups: groups, experimental_config })
  await post(emulator, '/preview/sft-training-jobs', {
    model_id,
    training_data_url: 'artifact:///local-team/p/data:v0',
    experimental_config: { learning_rate: [1e-4, 2.5e-7] },
  })
  emulator.clock.advance('2h')
  let compared = 0
  for (const job of emulator.engine.store.jobs.values()) {
    const indexes = Array.from({ length: job.events.count }, (_, index) => index)
    const written = indexes.map((index) => job.events.jsonAt(index))
    const events = indexes.map((index) => job.events.answeredAt(index))
    expect(written.map(({ json }) => json)).toEqual(events.map(nonFiniteJson))
    expect(written.map(({ id }) => id)).toEqual(events.map(({ id }) => id))
    compared += written.length
  }
  return compared
}

it('the JSON of an event is that of its object, for the jobs of each built-in scenario', async () => {
  let compared = 0
  // Most scenarios have the jobs of another one.
  const different = new Map(builtInScenarios.map(({ jobs }) => [JSON.stringify(jobs), jobs]))
  for (const jobs of different.values()) {
    const emulator = createEmulator({ scenario: { name: 'its-jobs', jobs }, clock: 'manual' })
    compared += await compareEvents(emulator)
    await emulator.close()
  }
  expect(compared).toBeGreaterThan(1000)
})

it('the JSON of an event is that of its object, for odd names and values of metrics', async () => {
  const scenario = defineScenario({
    name: 'odd',
    jobs: [
      {
        num_sequences: 12,
        timeline: [
          { event: 'training_started', after: '1s', data: { '7': 1, 'a"b': null } },
          {
            event: 'gradient_step',
            count: 3,
            metrics: {
              zebra: 1e21,
              '2': { curve: 'list', values: [0.1, -0, 1e-7] },
              reward: { curve: 'formula', formula: '1 / (step - 1)' },
              'a "quoted" name': -0,
              gradient_step: 0.5,
              __proto__: 3,
            },
            spoil: [
              { at: 2, metric: 'zebra', with: 'NaN' },
              { at: 2, metric: ['loss', 'loss'], with: 'Infinity' },
              { at: 3, metric: ['loss', 'reward'], with: 'missing' },
            ],
          },
          { event: 'gradient_step', count: 2, metrics: { learning_rate: 3 } },
          { event: 'gradient_step', count: 2 },
          { event: 'training_failed', error_message: 'out of "memory"' },
        ],
      },
    ],
  })
  const emulator = createEmulator({ scenario, clock: 'manual' })
  expect(await compareEvents(emulator)).toBe(27)
  await emulator.close()
})
