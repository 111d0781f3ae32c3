import { expect, it } from 'vitest'
import type { Emulator, EmulatorOptions } from '../../src/index.js'
import { clientOf } from '../support/api-client.js'
import { rolloutsOf, sampleGroup } from '../support/rollouts.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { openEmulator } from './open-emulator.js'

function keeping(keepJobs: number, options: EmulatorOptions & { data?: string } = {}): Emulator {
  return openEmulator({ keepJobs, ...options })
}

/** Runs jobs of a model to their ends, and returns their ids. */
async function run(emulator: Emulator, jobs: number, model = 'poet'): Promise<string[]> {
  const ids: string[] = []
  for (let count = 0; count < jobs; count++) {
    const job = await emulator.jobs.start({ model })
    emulator.jobs.finish(job)
    ids.push(job.id)
  }
  return ids
}

const kept = (emulator: Emulator): string[] => emulator.jobs.all.map(({ id }) => id)

it('forgets the oldest jobs that are over', async () => {
  const emulator = keeping(3)
  const ids = await run(emulator, 5)
  expect(kept(emulator)).toEqual(ids.slice(2))
  const client = clientOf(emulator)
  expect(await client.get(`/preview/training-jobs/${ids[1]}`)).toMatchObject({ status: 404 })
  expect(await client.get(`/preview/training-jobs/${ids[2]}`)).toMatchObject({ status: 200 })
  expect(emulator.journal.entries).toContainEqual(
    expect.objectContaining({
      kind: 'note',
      text: 'forgot the 1 oldest job that is over: it keeps 3 (--keep-jobs)',
    }),
  )
  // What the jobs made is there.
  const checkpoints = await client.get(`/preview/models/${emulator.job().model.id}/checkpoints`)
  expect(checkpoints.body.data).toHaveLength(6)
})

it('keeps unfinished jobs, and the latest job of each model, beyond the limit', async () => {
  const emulator = keeping(1)
  const [ended] = await run(emulator, 1, 'poet')
  const running = [
    await emulator.jobs.start({ model: 'judge' }),
    await emulator.jobs.start({ model: 'judge' }),
  ]
  expect(kept(emulator)).toEqual([ended, ...running.map(({ id }) => id)])
  expect((await emulator.jobs.start({ model: 'poet' })).ordinal).toBe(2)
  expect(kept(emulator)).not.toContain(ended)
})

it('keeps what a model learned from a job that it forgot', async () => {
  const rules = [{ learner: { candidates: ['one', 'two'] } }]
  const emulator = keeping(1, { scenario: { name: 'learning', chat: { rules } } })
  const rollouts = await rolloutsOf(emulator)
  for (const prompt of ['Sing.', 'Hum.']) await rollouts.train(await sampleGroup(rollouts, prompt))
  expect([...emulator.engine.lessons.ids]).toHaveLength(2)
  const snapshot = await emulator.snapshot()
  const { engine } = keeping(1, { snapshot })
  expect([...engine.lessons.ids]).toEqual([...emulator.engine.lessons.ids])
})

it('forgets every job of a model that was deleted', async () => {
  const emulator = keeping(1)
  const [ended] = await run(emulator, 1, 'poet')
  emulator.models.delete('poet')
  const [latest] = await run(emulator, 1, 'poet')
  expect(kept(emulator)).toEqual([latest])
  expect(latest).not.toBe(ended)
})

it('makes a new job of SFT data once the job of that data is forgotten', async () => {
  const emulator = keeping(1)
  const model = await emulator.models.create({ name: 'poet' })
  const submit = async (batch: string): Promise<string> => {
    const body = {
      model_id: model.id,
      training_data_url: `artifact://t/${batch}`,
    }
    return (await clientOf(emulator).post('/preview/sft-training-jobs', body)).body.id
  }
  const first = await submit('one')
  expect(await submit('one')).toBe(first)
  emulator.jobs.finish()
  const second = await submit('two')
  emulator.jobs.finish()
  expect(kept(emulator)).toEqual([second])
  expect(await submit('one')).not.toBe(first)
})

it('goes on from a folder and a snapshot with the same numbers and ids', async () => {
  const data = temporaryFolder()
  const first = keeping(2, { data })
  await run(first, 4)
  const ids = kept(first)
  const snapshot = await first.snapshot()
  const bill = await first.bill()
  await first.close()
  for (const again of [keeping(2, { data }), keeping(2, { snapshot })]) {
    expect(kept(again)).toEqual(ids)
    expect(await again.bill()).toEqual(bill)
    expect((await again.jobs.start({ model: 'poet' })).ordinal).toBe(5)
  }
})

it('says in the bill what it forgot', async () => {
  const emulator = keeping(2)
  await run(emulator, 6)
  const { totals, notes } = await emulator.bill({ steps: 20 })
  expect(totals.jobs).toBe(6)
  expect(notes).toEqual([
    'The bill has no trained tokens and no time of the 4 jobs that the emulator forgot: see --keep-jobs.',
    'No estimate: the emulator forgot 4 training jobs of the run.',
  ])
})

it('looks for jobs to forget once in each tenth of the limit', async () => {
  const emulator = keeping(20)
  const ids = await run(emulator, 22)
  expect(kept(emulator)).toEqual(ids)
  const [last] = await run(emulator, 1)
  expect(kept(emulator)).toEqual([...ids.slice(3), last])
})
