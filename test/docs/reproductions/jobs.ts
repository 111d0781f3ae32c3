import { vi } from 'vitest'
import { createEmulator, type Emulator } from '../../../src/index.js'
import { clientOf } from '../../support/api-client.js'
import { createModel, listEvents, startJob } from '../../support/trainer.js'
import { errorOf, type Reproductions } from './reproduction.js'

/** The trace of a job whose trajectories have these rewards. */
async function traceOfJob(rewards: readonly number[]): Promise<string> {
  const emulator = createEmulator()
  const client = clientOf(emulator)
  const { id } = await createModel(client)
  await startJob(client, id, [{ trajectories: rewards.map((reward) => ({ reward })) }])
  await emulator.settle()
  return emulator.trace()
}

/** Polls a job until it is over. Before each poll it sleeps on the timers of its process. */
async function pollWithTimers(emulator: Emulator): Promise<string> {
  const client = clientOf(emulator)
  const id = await startJob(client, (await createModel(client)).id)
  let last: string | undefined
  while (last !== 'training_ended') {
    await new Promise((resolve) => void setTimeout(resolve, 60_000))
    last = (await listEvents(client, id)).at(-1)?.type
  }
  return last
}

export const jobs: Reproductions = {
  queued: async () => {
    const emulator = createEmulator({ clock: 'manual' })
    await emulator.jobs.start({ model: 'poet' })
    const said = emulator.job().status
    emulator.clock.advance('10s')
    return { said, isFixed: emulator.job().status === 'ended' }
  },

  'will never end': async () => {
    const emulator = createEmulator({ scenario: 'stuck-job', clock: 'manual' })
    const { id } = await emulator.jobs.start({ model: 'poet' })
    const said = await errorOf(() => emulator.settle(new Promise(() => {}), { within: '300ms' }))
    emulator.jobs.finish(id)
    return { said, isFixed: emulator.job().status === 'ended' }
  },

  'pass { advanceTimers }': async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const emulator = createEmulator()
      const outcome = pollWithTimers(emulator)
      const said = await errorOf(() => emulator.settle(outcome, { within: '50ms' }))
      await emulator.settle(outcome, { advanceTimers: (ms) => vi.advanceTimersByTimeAsync(ms) })
      return { said, isFixed: (await outcome) === 'training_ended' }
    } finally {
      vi.useRealTimers()
    }
  },

  'faked by half': async () => {
    const settle = (toFake: ('setTimeout' | 'clearTimeout' | 'Date')[]) => {
      vi.useFakeTimers({ toFake })
      const emulator = createEmulator()
      const outcome = pollWithTimers(emulator)
      const advanceTimers = (ms: number) => vi.advanceTimersByTimeAsync(ms)
      return emulator.settle(outcome, { advanceTimers }).finally(() => vi.useRealTimers())
    }
    const said = await errorOf(() => settle(['setTimeout', 'Date']))
    const { entries } = await settle(['setTimeout', 'clearTimeout', 'Date'])
    return { said, isFixed: entries.length > 0 }
  },

  'nothing to train: all trajectories of the same group have the same reward': async () => ({
    said: await traceOfJob([1, 1]),
    isFixed: (await traceOfJob([1, 0])).includes('step 1 of'),
  }),

  'sim-fails': async () => {
    const play = async (scenario: { name: string; extends?: string }): Promise<string> => {
      const emulator = createEmulator({ scenario })
      await emulator.jobs.start({ model: 'sim-fails' })
      await emulator.settle()
      return emulator.job().status
    }
    return {
      said: `sim-fails ${await play({ name: 'mine' })}`,
      isFixed: (await play({ name: 'mine', extends: 'happy-path' })) === 'failed',
    }
  },
}
