import { expect, it } from 'vitest'
import { createEmulator } from '../../../../src/index.js'
import { clientOf } from '../../../support/api-client.js'
import { createModel, startJob } from '../../../support/trainer.js'

it('a job that is stalled and resumed while it makes a move makes each later move once', async () => {
  const emulator = createEmulator({
    clock: 'manual',
    scenario: {
      name: 'three-steps',
      jobs: [
        {
          timeline: [
            { event: 'training_started' },
            { event: 'gradient_step', count: 3 },
            { event: 'training_ended' },
          ],
        },
      ],
    },
  })
  const api = clientOf(emulator)
  const { engine } = emulator
  const seen: string[] = []
  engine.events.subscribe((event) => {
    if (!('model' in event && 'job' in event) || !event.job) return
    if (!event.type.startsWith('training_') && event.type !== 'gradient_step') return
    seen.push(event.type)
    if (event.type !== 'gradient_step') return
    engine.training.stall(event.job)
    engine.training.resume(event.model, event.job)
  })
  const model = await createModel(api)
  await startJob(api, model.id)
  emulator.clock.advance('1h')
  const steps = ['gradient_step', 'gradient_step', 'gradient_step']
  expect(seen).toEqual(['training_queued', 'training_started', ...steps, 'training_ended'])
})
