import { expect, it } from 'vitest'
import { createClient, type Client } from '../../../src/client.js'
import { clientOf, type ApiClient } from '../../support/api-client.js'
import { createModel, startJob } from '../../support/trainer.js'
import { describeTransports } from '../../support/transports.js'
import { controlled, controlledOver } from './control.js'

type Step = Awaited<ReturnType<Client['explore']['start']>>
type End = Parameters<Client['explore']['next']>[0]

/** Runs all trials of an exploration with some code. Returns the trials and the report. */
async function explored(client: Client, first: Step, code: () => Promise<unknown>) {
  const trials: NonNullable<Step['trial']>[] = []
  let step = first
  while (step.trial) {
    trials.push(step.trial)
    const end = await code().then(
      (): End => ({ ended: 'success' }),
      (error: unknown): End => ({ ended: 'error', error: (error as Error).message }),
    )
    step = await client.explore.next(end)
  }
  return { trials, report: step.report! }
}

/** Trains once, without any retry. */
async function train(api: ApiClient): Promise<void> {
  await startJob(api, (await createModel(api, 'poet')).id)
}

describeTransports('an exploration over the control API', (open) => {
  it('gives trials one by one, and the report at the end', async () => {
    const { emulator, client, api } = await controlledOver(open, { clock: 'auto' })
    const first = await client.explore.start({ runs: 5, seed: 3 })
    expect(first.report).toBeNull()
    expect(first.trial).toMatchObject({
      number: 1,
      name: 'happy-path',
      kind: 'scenario',
      seed: 3,
      expects: 'success',
      scenario: { name: 'happy-path' },
    })
    const seen: string[] = []
    const { trials, report } = await explored(client, first, async () => {
      expect(emulator.seed).toBe(3)
      expect(emulator.journal.entries.map(({ kind }) => kind)).toEqual(['note'])
      seen.push(emulator.scenario.name)
      await train(api)
    })

    expect(trials.map(({ number }) => number)).toEqual(trials.map((_, index) => index + 1))
    expect(seen).toEqual(trials.map(({ scenario }) => scenario.name))
    expect(report.runs).toHaveLength(5)
    const [failure] = report.failures
    expect(failure).toMatchObject({ verdict: 'failed', seed: 3, flaky: false, finished: true })
    expect(failure!.yaml).toMatch(/createModel|createRlTrainingJob/)
    expect(report.text).toContain(failure!.title)
    // The world is back at its start.
    expect(await client.info()).toMatchObject({ seed: 1, scenario: { name: 'happy-path' } })
    expect(await client.jobs.list()).toEqual([])
  })

  it('refuses the end of a trial that did not begin', async () => {
    const { client } = await controlledOver(open)
    const end = { ended: 'success' } as const
    const refusal = {
      status: 409,
      message: /^Failed to POST .*No trial of an exploration has begun/,
    }
    await expect(client.explore.next(end)).rejects.toMatchObject({ status: refusal.status })
    await expect(client.explore.next(end)).rejects.toThrow(refusal.message)
    await client.explore.start({ runs: 1 })
    const { report } = await client.explore.next(end)
    expect(report).toMatchObject({ ended: 'all_runs', runs: [{ verdict: 'passed' }] })
    await expect(client.explore.next(end)).rejects.toThrow(refusal.message)
  })
})

it('replaces an exploration that has not ended', async () => {
  const { client } = controlled()
  await client.explore.start({ seed: 3 })
  const { trial } = await client.explore.start({ seed: 4, runs: 1 })
  expect(trial).toMatchObject({ number: 1, seed: 4 })
  const { report } = await client.explore.next({ ended: 'success' })
  expect(report).toMatchObject({ seed: 4, runs: [{ number: 1 }] })
})

it('ends when its emulator closes', async () => {
  const { emulator, client } = controlled()
  await client.explore.start({ runs: 5 })
  await emulator.close()
  await emulator.listen()
  const { report } = await client.explore.next({ ended: 'success' })
  expect(report).toMatchObject({ ended: 'interrupted', runs: [] })
})

it('reports what it has when the time is over', async () => {
  const { client } = controlled()
  let { trial, report } = await client.explore.start({ time: 1, runs: 100_000 })
  while (trial) ({ trial, report } = await client.explore.next({ ended: 'success' }))
  expect(report!.ended).toBe('time')
})

it('survives resets, keeps the clock, and is not part of a snapshot', async () => {
  const { emulator, client } = controlled()
  emulator.useClock('instant')
  await client.explore.start({ runs: 1 })
  expect(emulator.clock.mode).toBe('instant')
  const snapshot = await client.snapshot()
  expect(JSON.stringify(snapshot)).not.toContain('exploration')
  await client.reset()
  await client.restore(snapshot)
  const { report } = await client.explore.next({ ended: 'success' })
  expect(report!.runs).toHaveLength(1)
})

it('gives each world its own exploration', async () => {
  const { emulator, client } = controlled({ isolate: 'api-key' })
  const { trainingUrl: url, fetch } = emulator
  const ofWorld = createClient({ url, fetch, world: 'one' })
  await ofWorld.explore.start({ seed: 3, runs: 1 })
  await expect(client.explore.next({ ended: 'success' })).rejects.toThrow('No trial')
  expect([emulator.seed, emulator.world('one').seed]).toEqual([1, 3])
  const { report } = await ofWorld.explore.next({ ended: 'success' })
  expect(report).toMatchObject({ seed: 3 })
})

it('refuses values that it cannot use', async () => {
  const { client } = controlled()
  const wrong = { time: 'soon' }
  await expect(client.explore.start(wrong)).rejects.toThrow(/time.*soon.*expected a duration/)
  await expect(client.explore.start({ checks: { duplicate_job: false } })).rejects.toThrow(
    'Did you mean "duplicateJobs"?',
  )
  await expect(client.explore.start({ runs: 0 })).rejects.toMatchObject({ status: 400 })
})

it('leaves out client checks that are turned off', async () => {
  const { client, emulator } = controlled({ clock: 'auto' })
  const twice = async (): Promise<void> => {
    const { id } = await emulator.models.create({ name: 'poet' })
    const groups = [{ trajectories: [{ reward: 1 }] }]
    for (const _ of [1, 2]) await startJob(clientOf(emulator), id, groups)
  }
  const first = await client.explore.start({ runs: 1, checks: { duplicate_jobs: false } })
  expect((await explored(client, first, twice)).report.failures).toEqual([])
  const second = await client.explore.start({ runs: 1 })
  expect((await explored(client, second, twice)).report.failures).toMatchObject([
    { verdict: 'client_check', title: expect.stringContaining('duplicateJobs') },
  ])
})
