import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator, type ScenarioInput } from '../../../../src/index.js'
import { clientOf } from '../../../support/api-client.js'
import { createModel, startJob } from '../../../support/trainer.js'

const steps = { event: 'gradient_step', count: 2 } as const
const untilRead = { event: 'stall', until: 'read' } as const

/** A job in three parts. */
const inParts: ScenarioInput = {
  name: 'in-parts',
  jobs: [
    {
      timeline: [
        { event: 'training_started' },
        steps,
        untilRead,
        steps,
        untilRead,
        { event: 'training_ended' },
      ],
    },
  ],
}

async function submitted(options: { clock: 'instant' | 'auto' | 'manual' }) {
  const emulator = createEmulator({ scenario: inParts, ...options })
  const api = clientOf(emulator)
  const model = await createModel(api)
  const job = await startJob(api, model.id)
  return { emulator, api, model: model.id, job }
}

/** The types of the events of a page, after all that can happen has happened. */
async function poll(emulator: Emulator, job: string, after = '') {
  if (emulator.clock.mode === 'manual') emulator.clock.advance('1h')
  const { body } = await clientOf(emulator).get(
    `/preview/training-jobs/${job}/events?after=${after}`,
  )
  const types = body.data.map(({ type }: { type: string }) => type)
  return { types, last: body.last_id as string, more: body.has_more as boolean }
}

describe('a job that waits until a client reads it', () => {
  it.each(['instant', 'auto', 'manual'] as const)(
    'takes three polls under the clock %s',
    async (clock) => {
      const { emulator, job } = await submitted({ clock })
      const first = await poll(emulator, job)
      expect(first.types).toEqual(['training_started', 'gradient_step', 'gradient_step'])
      expect(first.more).toBe(false)
      const second = await poll(emulator, job, first.last)
      expect(second.types).toEqual(['gradient_step', 'gradient_step'])
      const third = await poll(emulator, job, second.last)
      expect(third.types).toEqual(['training_ended'])
    },
  )

  it('goes on after a poll of its record, and of the checkpoints of its model', async () => {
    const { emulator, api, model, job } = await submitted({ clock: 'instant' })
    const { status } = (await api.get(`/preview/training-jobs/${job}`)).body
    expect(status).toBe('running')
    const before = (await api.get(`/preview/models/${model}/checkpoints`)).body.data
    expect(before).toHaveLength(1)
    expect(emulator.job(job).status).toBe('ended')
    const after = (await api.get(`/preview/models/${model}/checkpoints`)).body.data
    expect(after).toHaveLength(2)
  })

  it('waits on in a snapshot, and says so to a test that waits for it', async () => {
    const { emulator, job } = await submitted({ clock: 'instant' })
    const restored = createEmulator({ snapshot: await emulator.snapshot(), clock: 'instant' })
    const jobs = (): string => restored.jobs.advance(job).status
    expect(jobs).toThrow('it waits until a client reads its events')
    for (let polls = 0; polls < 3; polls++) await poll(restored, job)
    expect(restored.job(job).status).toBe('ended')
  })
})
