import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client.js'
import { createEmulator, OptionsError } from '../../src/index.js'
import { matchers } from '../../src/runners/matchers/matchers.js'
import { groups } from '../support/trainer.js'
import { clientOf } from '../support/api-client.js'

describe('setting up a test', () => {
  it('invents names that a test omits, the same ones for each seed', async () => {
    const arranged = async (seed: number) => {
      const emulator = createEmulator({ seed, clock: 'manual' })
      const model = await emulator.models.create()
      const job = await emulator.jobs.start({ model })
      emulator.jobs.finish(job)
      return { model, events: job.events }
    }
    expect(await arranged(7)).toEqual(await arranged(7))
    expect((await arranged(7)).model.name).not.toBe((await arranged(8)).model.name)
  })

  it('invents a name that no other model has', async () => {
    const emulator = createEmulator()
    const [first] = [await emulator.models.create(), await emulator.models.create()]
    emulator.models.delete(first)
    await Promise.all([emulator.models.create(), emulator.models.create()])
    expect(new Set(emulator.db.models.all().map(({ name }) => name)).size).toBe(3)
  })

  it('creates a model with a given name', async () => {
    const emulator = createEmulator()
    const model = await emulator.models.create({ name: 'poet', project: 'verse' })
    expect(model).toMatchObject({ name: 'poet', project: 'verse', entity: 'local-team' })
    await expect(emulator.models.create({ name: 'poet', project: 'verse' })).rejects.toThrow(
      'local-team/verse already has one called "poet"',
    )
  })

  it('moves a job event by event, to its end or to its failure', async () => {
    const emulator = createEmulator({ clock: 'manual' })
    const job = await emulator.jobs.start()
    expect(emulator.jobs.advance(job).status).toBe('running')
    expect(emulator.jobs.advance(job, 2).gradientSteps).toBe(2)
    expect(() => emulator.jobs.advance(job, 9)).toThrow(': it has only 3 events left.\n')
    expect(job.gradientSteps).toBe(2)
    expect(emulator.jobs.finish().status).toBe('ended')
    const other = await emulator.jobs.start({ kind: 'sft', examples: 3 })
    expect(emulator.jobs.fail(other, 'disk full').errorMessage).toBe('disk full')
    expect(() => emulator.jobs.advance(other)).toThrow('it is over (failed)')
    expect(emulator.jobs.all.map(({ kind }) => kind)).toEqual(['rl', 'sft'])
  })

  it('reports invalid options of a job', async () => {
    const emulator = createEmulator()
    const trajectory_groups = [{ trajectories: [{ reward: 'much' }] }]
    await expect(emulator.jobs.start({ trajectory_groups })).rejects.toThrow(
      'trajectory_groups.0.trajectories.0.reward: Input should be a valid number',
    )
    await expect(emulator.jobs.start({ model: { id: 'no-such-id' } })).rejects.toThrow(
      'No model has the id or name "no-such-id".',
    )
  })

  it('creates the model of a job if the model is new, as over HTTP', async () => {
    const emulator = createEmulator({ clock: 'manual' })
    const first = await emulator.jobs.start({ model: 'poet' })
    const second = await emulator.jobs.start({ model: 'poet' })
    const third = await emulator.jobs.start({ model: first.model.id.toUpperCase() })
    const client = createClient({ url: emulator.trainingUrl, fetch: emulator.fetch })
    const overHttp = await client.jobs.create({ model: 'poet' })
    expect([first, second, third].map(({ model }) => model.name)).toEqual(['poet', 'poet', 'poet'])
    expect(overHttp.model.id).toBe(first.model.id)
    const [poet, ...others] = await client.models.list()
    expect(poet).toMatchObject({ name: 'poet', project: 'demo', jobs: 4 })
    expect(others).toEqual([])
  })

  it('finds the newest of several models of one name, as over HTTP', async () => {
    const emulator = createEmulator({ clock: 'manual' })
    const older = await emulator.models.create({ name: 'poet', project: 'demo' })
    const newest = await emulator.models.create({ name: 'poet', project: 'other' })
    const client = createClient({ url: emulator.trainingUrl, fetch: emulator.fetch })
    const inProcess = await emulator.jobs.start({ model: 'poet' })
    const overHttp = await client.jobs.create({ model: 'poet' })
    expect([inProcess.model.id, overHttp.model.id]).toEqual([newest.id, newest.id])
    const byId = await client.jobs.create({ model: older.id.toUpperCase() })
    expect(byId.model.id).toBe(older.id)
  })

  it('waits for the models of the scenario', async () => {
    const scenario = {
      name: 'own',
      base_models: ['a/base'],
      models: [{ name: 'poet', project: 'own', base_model: 'a/base' }],
    }
    const job = await createEmulator({ scenario }).jobs.start({ model: 'poet' })
    expect(job.model).toMatchObject({ name: 'poet', project: 'own' })
    const emulator = createEmulator({ scenario })
    const { step } = await emulator.checkpoints.add({ model: 'poet' })
    expect(step).toBe(1)
    expect(emulator.db.models.all()).toMatchObject([{ name: 'poet', project: 'own' }])
  })

  it('creates one model for two jobs that start at once', async () => {
    const emulator = createEmulator({ clock: 'manual' })
    const [first, second] = await Promise.all([
      emulator.jobs.start({ model: 'poet' }),
      emulator.jobs.start({ model: 'poet' }),
    ])
    expect(first.model.id).toBe(second.model.id)
    await expect(emulator.jobs.start({ model: '' })).rejects.toThrow('name')
  })

  it('deletes models and checkpoints, as a request does', async () => {
    const emulator = createEmulator({ clock: 'manual' })
    const job = await emulator.jobs.start({ model: 'poet' })
    await emulator.checkpoints.add({ model: 'poet' })
    expect(emulator.checkpoints.delete(0, { model: 'poet' }).step).toBe(0)
    expect(() => emulator.checkpoints.delete(0)).toThrow(
      'Failed to delete a checkpoint: poet has no checkpoint of step 0. It has: 1.',
    )
    expect(emulator.models.delete('poet').name).toBe('poet')
    expect([job.status, emulator.db.models.count()]).toEqual(['failed', 0])
    expect(() => emulator.models.delete('poet')).toThrow('No model has the id or name "poet".')
    expect(() => emulator.models.delete(7 as never)).toThrow(OptionsError)
    expect(() => emulator.checkpoints.delete(1)).toThrow('no model exists')
  })

  it('starts a job with a timeline of its own', async () => {
    const emulator = createEmulator({ clock: 'manual' })
    const timeline = [{ event: 'training_failed', after: '5s', error_message: 'no luck' } as const]
    const job = await emulator.jobs.start({ model: 'poet', timeline: [...timeline] })
    emulator.clock.advance('1m')
    expect(job.status).toBe('failed')
    const refused = emulator.jobs.start({ timeline: [{ event: 'never' }, { event: 'never' }] })
    await expect(refused).rejects.toThrow('timeline[0].event: nothing can follow never')
  })

  it('adds checkpoints, which clients can list', async () => {
    const emulator = createEmulator()
    const model = await emulator.models.create()
    const { step } = await emulator.checkpoints.add({ metrics: { 'val/reward': 0.9 } })
    const path = `/preview/models/${model.id}/checkpoints?order=desc`
    const { data } = (await clientOf(emulator).get(path)).body
    expect(step).toBe(1)
    expect(data[0]).toMatchObject({ step: 1, metrics: { 'val/reward': 0.9 } })
    expect((await createEmulator().checkpoints.add()).step).toBe(1)
  })

  it('finds a job, or lists the existing jobs', async () => {
    const emulator = createEmulator({ clock: 'manual' })
    expect(() => emulator.job()).toThrow('There is no job. None was created')
    const isolated = createEmulator({ isolate: 'api-key' })
    await isolated.world('a').jobs.start({ model: 'poet' })
    expect(() => isolated.job()).toThrow('Jobs are in world-1: use emulator.world()')
    const model = await emulator.models.create({ name: 'poet' })
    const job = await emulator.jobs.start({ model })
    await emulator.jobs.start({ model: await emulator.models.create({ name: 'painter' }) })
    expect(emulator.job().model.name).toBe('painter')
    expect(emulator.job({ model: 'poet' }).id).toBe(job.id)
    expect(emulator.job(job.id).story).toBe(emulator.job(job).story)
    expect(() => emulator.job({ model: 'poett' })).toThrow(
      `There is no job of a model "poett". Did you mean "poet"? There are:\n  ${job.id} of model "poet", queued`,
    )
    for (let count = 0; count < 9; count++) await emulator.jobs.start({ model })
    expect(() => emulator.job('none')).toThrow(/queued\n {2}… and 1 older one$/)
  })
})

it('matchers of jobs print the history of a job that fails them', async () => {
  const emulator = createEmulator({ scenario: 'failing-job', clock: 'manual' })
  const job = await emulator.jobs.start({ trajectory_groups: groups })
  emulator.clock.advance('10s')
  expect(matchers.toHaveStarted(job).pass).toBe(true)
  expect(matchers.toHaveEnded(job).pass).toBe(false)
  expect(matchers.toHaveFailed(job).pass).toBe(true)
  expect(matchers.toHaveFailed(job, 'out of memory').pass).toBe(true)
  const { pass, message } = matchers.toHaveFailed(job, /disk full/)
  expect(pass).toBe(false)
  expect(message()).toMatchInlineSnapshot(`
    "expected job 235f0d9e of model "knotty-monkey-1" to have failed with /disk full/, but it failed with "CUDA out of memory: tried to allocate 2.50 GiB on a device with 1.12 GiB free".

    The story of job 235f0d9e of model "knotty-monkey-1" (scenario "failing-job", seed 1, clock manual):
      +0.00s  created
      +1.00s  started, 6 sequences
      +2.00s  step 1 of 6, loss 0.882016, reward 0.5
      +3.00s  step 2 of 6, loss 0.528152, reward 0.5
      +4.00s  step 3 of 6, loss 0.382812, reward 0.5
      +5.00s  failed: CUDA out of memory: tried to allocate 2.50 GiB on a device with 1.12 GiB free"
  `)
})
