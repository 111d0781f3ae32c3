import { onTestFinished, vi } from 'vitest'
import { createEmulator, type Emulator } from '../../../src/index.js'
import { clientOf } from '../../support/api-client.js'
import { createProject } from '../../support/project.js'
import { createModel, listEvents, startJob } from '../../support/trainer.js'
import { errorOf, type Reproductions } from './reproduction.js'

/** A client that sleeps a second before each poll. The clock of its process is wound, so nobody waits. */
const sleepyClient = (clock: string): string => `
  let slept = 0
  const { now } = performance
  performance.now = () => now.call(performance) + slept
  const { createEmulator } = await import('svtrain-emulator')

  const step = [{ event: 'gradient_step', count: 1 }, { event: 'pause', for: '1s' }]
  const timeline = [{ event: 'training_started' }, ...step, ...step, ...step, ...step]
  timeline.push({ event: 'training_ended' })
  const scenario = { name: 'mine', jobs: [{ timeline }] }
  const emulator = createEmulator({ clock: '${clock}', scenario })
  const { id } = await emulator.jobs.start({ model: 'poet' })
  const headers = { authorization: 'Bearer any-key' }
  do {
    slept += 1000
    const events = emulator.trainingUrl + '/preview/training-jobs/' + id + '/events'
    await emulator.fetch(events, { headers })
  } while (emulator.job().status !== 'ended')
  console.log(emulator.trace())
`

async function traceOfSleepyClient(clock: 'auto' | 'instant'): Promise<string> {
  const { node, remove } = await createProject()
  onTestFinished(remove)
  return node(['--input-type=module', '--eval', sleepyClient(clock)])
}

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

  'hint: the client slept': async () => ({
    said: await traceOfSleepyClient('auto'),
    isFixed: /ended$/m.test(await traceOfSleepyClient('instant')),
  }),

  'will never end': async () => {
    const emulator = createEmulator({ scenario: 'stuck-job', clock: 'manual' })
    const { id } = await emulator.jobs.start({ model: 'poet' })
    const said = await errorOf(() => emulator.settle(new Promise(() => {}), { within: '300ms' }))
    emulator.jobs.finish(id)
    return { said, isFixed: emulator.job().status === 'ended' }
  },

  'pass { advanceTimers }': async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
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
