import { expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/index.js'
import { aRunThat } from '../support/platform-records.js'
import { controlledOver } from './control/control.js'
import { describeTransports } from '../support/transports.js'

/** A run as a program leaves it. */
function logPoem(emulator: Emulator): void {
  const rows = [
    { _step: 0, loss: 2, val: { reward: 0.5 } },
    { _step: 1, loss: 'NaN' },
    { _step: 2, loss: 1, val: { reward: 0.75 } },
  ]
  aRunThat(emulator, {
    name: 'poem',
    facts: {
      displayName: 'My poem',
      tags: ['good'],
      config: '{"lr": {"value": 0.1, "desc": null}, "_wandb": {"value": {}}}',
    },
    rows,
    summary: { _step: 2, loss: 1, best: 'Infinity', val: { reward: 0.75 }, title: 'Ode' },
    files: { 'config.yaml': 'lr: 0.1\n' },
    exitCode: 0,
  })
}

describeTransports('runs', (open) => {
  it('are listed and read in code and over HTTP', async () => {
    const { emulator, client } = await controlledOver(open)
    logPoem(emulator)
    aRunThat(emulator, { name: 'draft' })
    const { runs } = emulator
    expect(runs.list().map(({ name, state }) => [name, state])).toEqual([
      ['draft', 'running'],
      ['poem', 'finished'],
    ])
    const [listed, ...others] = runs.list({ project: 'verse', state: 'finished' })
    expect(others).toEqual([])
    expect(listed).toMatchObject({
      path: 'local-team/verse/poem',
      display_name: 'My poem',
      exit_code: 0,
      tags: ['good'],
      rows: 3,
      last_step: 2,
      metrics: { loss: 1, best: null, 'val.reward': 0.75 },
    })
    const run = runs.get('local-team/verse/poem')
    expect(run).toEqual({ ...listed, ...run })
    expect(run.config).toEqual({ lr: 0.1 })
    expect(run.summary).toMatchObject({ title: 'Ode', best: 'Infinity' })
    expect(run.files).toMatchObject([{ path: 'config.yaml', size: 8 }])

    expect(await client.runs.list()).toEqual(runs.list())
    expect(await client.runs.list({ state: 'finished', limit: 1 })).toEqual([listed])
    expect(await client.runs.get(run.path)).toEqual(run)
    expect(await client.runs.get('poem')).toEqual(run)
  })

  it('are listed with one that logged what nobody can show', async () => {
    const { emulator, client } = await controlledOver(open)
    const { runs } = emulator.engine.platformWithCheckpoints()
    const run = aRunThat(emulator, { name: 'deep' })
    const levels = 5000
    const row = `${'{"loss":'.repeat(levels)}1${'}'.repeat(levels)}`
    runs.log(run, { history: { offset: 0, lines: [row, '{"loss":2}'] } }, { user: 'ada' })
    expect(await client.runs.list()).toMatchObject([{ name: 'deep', rows: 2 }])
    expect(await client.runs.history('deep')).toEqual([{ step: 1, values: { loss: 2 } }])
  })

  it('have a history, of one metric as well', async () => {
    const { emulator, client } = await controlledOver(open)
    logPoem(emulator)
    const { runs } = emulator
    expect(runs.history('poem')).toEqual([
      { step: 0, values: { loss: 2, 'val.reward': 0.5 } },
      { step: 1, values: { loss: 'NaN' } },
      { step: 2, values: { loss: 1, 'val.reward': 0.75 } },
    ])
    const rewards = runs.history('poem', { metric: 'val.reward' })
    expect(rewards.map(({ step, values }) => [step, values['val.reward']])).toEqual([
      [0, 0.5],
      [2, 0.75],
    ])
    expect(runs.history('poem', { points: 2 }).map(({ step }) => step)).toEqual([0, 2])
    const path = 'local-team/verse/poem'
    expect(await client.runs.history(path)).toEqual(runs.history())
    expect(await client.runs.history(path, { metric: 'val.reward' })).toEqual(rewards)
  })

  it('have files', async () => {
    const { emulator, client } = await controlledOver(open)
    logPoem(emulator)
    const bytes = await emulator.runs.download('poem', 'config.yaml')
    expect(new TextDecoder().decode(bytes)).toBe('lr: 0.1\n')
    expect(await client.runs.download('local-team/verse/poem', 'config.yaml')).toEqual(bytes)
  })

  it('have the nearest name in errors', async () => {
    const { emulator, client } = await controlledOver(open)
    logPoem(emulator)
    await expect(client.runs.get('local-team/verse/poen')).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('Did you mean "local-team/verse/poem"?'),
    })
    await expect(
      client.runs.history('local-team/verse/poem', { metric: 'losss' }),
    ).rejects.toMatchObject({ status: 404 })
  })
})

it('says what there is instead', async () => {
  const emulator = createEmulator()
  const { runs } = emulator
  expect(() => runs.get()).toThrow('There is no run. A run begins when a program opens it')
  expect(() => runs.get('poem')).toThrow('there is no run "poem": none was started.')
  logPoem(emulator)
  expect(runs.get().name).toBe('poem')
  expect(() => runs.get('team/verse/x')).toThrow(
    'there is no run "team/verse/x". There is only local-team/verse/poem.',
  )
  expect(() => runs.history('poem', { metric: 'lass' })).toThrow(
    'the run local-team/verse/poem logged no metric "lass". Did you mean "loss"? There are loss, val.reward.',
  )
  await expect(runs.download('poem', 'config.yml')).rejects.toMatchObject({
    code: 'SVTRAIN_NOT_FOUND',
    message:
      'Not found: the run local-team/verse/poem has no file "config.yml". Did you mean "config.yaml"? There is only config.yaml.',
  })
  expect(() => runs.list({ stat: 'finished' } as object)).toThrow('Did you mean "state"?')
  expect(() => runs.list({ state: 'done' as 'failed' })).toThrow('"crashed"')
})
