import { expect, it } from 'vitest'
import type { Emulator } from '../../src/index.js'
import { createEmulator as createBrowserEmulator } from '../../src/browser.js'
import { clientOf } from '../support/api-client.js'
import { createModel } from '../support/trainer.js'
import { openEmulator } from './open-emulator.js'

/** What a client sends that knows the newest contract. */
const newer = [
  {
    trajectories: [
      { reward: 0, metadata: { nested: { a: [1] } }, exchanges: { chat_completions: [{}] } },
      { reward: 1 },
    ],
    exceptions: [{ type: 'ValueError', message: 'no', traceback: '' }],
    metadata: { a: null },
    metrics: { a: true },
    logs: ['one'],
  },
  {},
]
const config = {
  assistant_turns: 'last',
  metric_logging: { enabled: true, target_training_step: 2 },
}

/** Submits an RL job and an SFT job, and returns the statuses. */
async function submit(emulator: Emulator): Promise<number[]> {
  const client = clientOf(emulator)
  const { id: model_id } = await createModel(client, { return_existing: true })
  const sft = { model_id, training_data_url: 'artifact:///local-team/my-project/data:v0', config }
  const rl = await client.post('/preview/training-jobs', { model_id, trajectory_groups: newer })
  return [rl.status, (await client.post('/preview/sft-training-jobs', sft)).status]
}

/** Lets all jobs end, and returns how each one ended. */
async function ends(emulator: Emulator): Promise<string[]> {
  emulator.clock.advance('1d')
  await emulator.settle()
  return emulator.jobs.all.map(({ status }) => status)
}

it('a saved world continues with an older contract: its jobs stay, and new requests are read in another way', async () => {
  const first = openEmulator()
  expect(await submit(first)).toEqual([200, 200])
  const snapshot: unknown = JSON.parse(JSON.stringify(await first.snapshot()))
  const second = openEmulator({ snapshot, contract: '2026-01' })
  expect(second.contract).toBe('2026-01')
  expect(await submit(second)).toEqual([422, 200])
  // The older contract ignores `assistant_turns`, so the same data is another job.
  expect(await ends(second)).toEqual(['ended', 'ended', 'ended'])
  const page = await second.report()
  expect(page).toContain('2026-01')
  expect(await ends(first)).toEqual(['ended', 'ended'])
})

it('the older contract gives the same run, if nothing in it is newer', async () => {
  const traces = await Promise.all(
    (['2026-01', '2026-11'] as const).map(async (contract) => {
      const emulator = openEmulator({ contract, scenario: 'failing-job', seed: 5 })
      await emulator.jobs.start({ model: 'poet' })
      await ends(emulator)
      return emulator.trace().replace(', contract 2026-01', '')
    }),
  )
  expect(traces[0]).toBe(traces[1])
})

it('a trace says which contract it is, if it is not the newest', () => {
  expect(openEmulator({ contract: '2026-01' }).trace()).toContain('clock manual, contract 2026-01')
  expect(openEmulator().trace()).not.toContain('contract')
})

it('a browser can choose the contract, too', async () => {
  await using emulator = createBrowserEmulator({ contract: '2026-01' })
  const client = clientOf(emulator)
  const { id: model_id } = await createModel(client)
  const body = { model_id, trajectory_groups: [{}] }
  expect((await client.post('/preview/training-jobs', body)).status).toBe(422)
})
