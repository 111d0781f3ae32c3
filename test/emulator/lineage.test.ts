import { expect, it } from 'vitest'
import { createEmulator } from '../../src/index.js'
import type { ModelState } from '../../src/service/engine/model.js'
import { judgeRequest } from '../support/judge-request.js'
import { rolloutsOf, sampleGroup, question, trajectory } from '../support/rollouts.js'
import { describeTransports } from '../support/transports.js'
import { controlled } from './control/control.js'

describeTransports('the lineage', (open) => {
  it('has the sample of each answer, its checkpoint and its lag', async () => {
    const { emulator, ...client } = await open()
    const rollouts = await rolloutsOf(emulator, client)
    const old = await sampleGroup(rollouts, 'Sing.')
    const first = await rollouts.train(await sampleGroup(rollouts, 'Rhyme.', { size: 1 }))
    const second = await rollouts.train(old)
    const unused = await rollouts.ask(question('Dream.'))

    const { counts, jobs, unused: left } = emulator.lineage()
    expect(counts).toEqual({ samples: 4, unused: 1, trained: 3, unknown: 0 })
    expect(jobs).toMatchObject([
      { job: first, model: 'singer', status: 'ended', latest: 0, step: 1 },
      { job: second, latest: 1, step: 2 },
    ])
    const [sampled] = jobs[1]!.groups[0]!.trajectories
    expect(sampled).toMatchObject({ reward: 0, duplicate: null, failed: null })
    expect(sampled!.answers).toMatchObject([
      { turn: 1, state: 'sampled', lag: 1, sample: { model: 'singer', step: 0, finish: 'stop' } },
    ])
    expect(left).toMatchObject([{ text: unused.message.content, step: 2 }])
  })
})

it('is the same in the control API, for one job as well', async () => {
  const { emulator, client } = controlled()
  const rollouts = await rolloutsOf(emulator)
  await rollouts.train(await sampleGroup(rollouts, 'Sing.'))
  const job = await rollouts.train([trajectory(question('Sing.'), 1)])
  expect(await client.lineage()).toEqual(emulator.lineage())
  const { jobs, unused } = await client.lineage({ job })
  expect(jobs.map((each) => each.job)).toEqual([job])
  expect(unused).toEqual([])
  await expect(client.lineage({ job: 'x' })).rejects.toMatchObject({ status: 404 })
})

it('finds where a checkpoint is from by each of its names', async () => {
  const { emulator, client } = controlled()
  const rollouts = await rolloutsOf(emulator)
  const first = await rollouts.train(await sampleGroup(rollouts, 'Sing.'))
  const second = await rollouts.train(await sampleGroup(rollouts, 'Sing.'))
  const byFirst = { model: 'singer', step: 1, from: 'job', job: first }
  const [{ checkpoints }] = [...emulator.engine.store.modelStates] as [ModelState]
  const { id } = checkpoints.at(1)!
  for (const name of [
    id,
    id.toUpperCase(),
    'singer:step1',
    'singer@step1',
    'demo/singer:v1',
    'singer step 1',
    `${rollouts.policy}:step1`,
    `wandb-${rollouts.policy}:step1`,
  ]) {
    const report = await client.lineage({ checkpoint: name })
    expect(report).toEqual(emulator.lineage({ checkpoint: name }))
    expect(report).toMatchObject({ checkpoint: byFirst, jobs: [{ job: first }], unused: [] })
  }
  expect(emulator.lineage({ checkpoint: 'singer' }).checkpoint?.job).toBe(second)
  const { step } = await emulator.checkpoints.add({ model: 'singer' })
  expect(emulator.lineage({ checkpoint: `singer:step${step}` })).toMatchObject({
    checkpoint: { from: 'upload', job: null },
    jobs: [],
  })
  emulator.checkpoints.delete(1, { model: 'singer' })
  expect(emulator.lineage({ checkpoint: 'singer:step1' }).checkpoint).toEqual(byFirst)
  expect(emulator.lineage({ checkpoint: id }).checkpoint).toEqual(byFirst)
  expect(emulator.lineage({ checkpoint: 'singer:step0' }).checkpoint?.from).toBe('base_model')
  await emulator.models.create({ name: 'my singer:one' })
  expect(emulator.lineage({ checkpoint: 'my singer:one' })).toMatchObject({
    checkpoint: { model: 'my singer:one', step: 0 },
  })
  expect(emulator.lineage().checkpoint).toBe(null)
  for (const [checkpoint, message] of [
    [
      'singer:step9',
      'there is no checkpoint "singer:step9". Did you mean "singer:step3"? There are singer:step0, singer:step2',
    ],
    ['sinker', 'there is no model "sinker". Did you mean "singer"?'],
  ] as const) {
    await expect(client.lineage({ checkpoint })).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining(message),
    })
    expect(() => emulator.lineage({ checkpoint })).toThrow(message)
  }
})

it('finds one step for all answers of a trajectory, though a newer step gave some of them too', async () => {
  const scenario = { name: 'same', chat: { rules: [{ answer: 'yes' }] } }
  const emulator = createEmulator({ scenario })
  const rollouts = await rolloutsOf(emulator)
  const first = question('Sing.')
  const { message } = await rollouts.ask(first)
  await rollouts.ask([...first, message, ...question('Again.')])
  await rollouts.train(await sampleGroup(rollouts, 'Rhyme.'))
  await rollouts.ask(first)
  const choice = { index: 0, finish_reason: 'stop', message }
  const again = question('Again.')
  const job = await rollouts.train([trajectory([...first, choice, ...again, choice])])
  const { groups } = emulator.lineage({ job }).jobs[0]!
  expect(groups[0]!.trajectories[0]!.answers.map(({ sample }) => sample?.step)).toEqual([0, 0])
})

it('counts an answer of a judge only if a job trains on it', async () => {
  const rules = [{ match: { model: 'any-judge' }, answer: '0.5' }]
  const emulator = createEmulator({ scenario: { name: 'judging', chat: { rules } } })
  const rollouts = await rolloutsOf(emulator)
  await rollouts.train(await sampleGroup(rollouts, 'Sing.'))
  await rollouts.chat([], judgeRequest(['La la.']))
  const grade = question('Rate this from 0 to 1: La la. Answer with the number.')
  const { message } = await rollouts.ask(grade, { model: 'any-judge' })
  expect(emulator.lineage()).toMatchObject({ counts: { samples: 2, unused: 0 }, unused: [] })
  await rollouts.train([trajectory([...grade, { index: 0, finish_reason: 'stop', message }])])
  expect(emulator.lineage().counts).toMatchObject({ samples: 3, unused: 0 })
})

it('stands in the trace', async () => {
  const emulator = createEmulator()
  const rollouts = await rolloutsOf(emulator)
  const [old] = await sampleGroup(rollouts, 'Sing.')
  await rollouts.train(await sampleGroup(rollouts, 'Rhyme.'))
  await rollouts.train([old!, ...(await sampleGroup(rollouts, 'Sing.', { size: 1 }))])
  expect(emulator.trace()).toContain('; with 2 answers of step 0')
  expect(emulator.trace()).toContain('; with 2 answers: 1 of step 0 (1 behind), 1 of step 1')
})

it('names the model of a chat that fails in the trace, and whether it is a judge', async () => {
  const emulator = createEmulator({ clock: 'manual' })
  const rollouts = await rolloutsOf(emulator)
  emulator.faults.add({ fault: 'status', status: 503 })
  await rollouts.chat(question('Sing.'))
  await rollouts.chat([], judgeRequest(['La la.']))
  emulator.faults.clear()
  await rollouts.chat(question('Sing.'), { temperature: 'hot' })
  expect(emulator.trace()).toMatch(/ 503; .*; asked artifact:[^;,]*\/singer; added fault 1: 503$/m)
  expect(emulator.trace()).toMatch(/ 503; .*; asked any-judge, a judge; added fault 1: 503$/m)
  expect(emulator.trace()).toMatch(/ 400; .*; asked artifact:[^;,]*\/singer$/m)
})

it('survives a snapshot, with what a later job is compared with', async () => {
  const before = createEmulator()
  const rollouts = await rolloutsOf(before)
  const batch = await sampleGroup(rollouts, 'Sing.')
  await rollouts.train(batch)
  const unused = await sampleGroup(rollouts, 'Rhyme.')
  before.faults.add({ fault: 'status', status: 503, calls: 1 })
  await rollouts.chat(question('Dream.'))

  const after = createEmulator({ snapshot: await before.snapshot() })
  await after.ready()
  const withoutRequests = JSON.stringify(before.lineage()).replaceAll(
    /"request":\d+/g,
    '"request":null',
  )
  expect(JSON.stringify(after.lineage())).toBe(withoutRequests)
  const again = await rolloutsOf(after)
  await again.train(unused, [...batch, trajectory(question('Dream.'))])
  const found = after.lineage().jobs.at(-1)!.groups
  expect(found[0]!.trajectories[0]!.answers[0]).toMatchObject({ state: 'sampled', lag: 0 })
  expect(found[1]!.trajectories[0]!.duplicate).toMatchObject({ group: 0, trajectory: 0 })
  expect(found[1]!.trajectories[2]).toMatchObject({ failed: 'chat 503' })
})

it('forgets the oldest samples, and a deleted model keeps its id', async () => {
  const emulator = createEmulator()
  const rollouts = await rolloutsOf(emulator)
  await rollouts.train(await sampleGroup(rollouts, 'Sing.', { size: 1 }))
  const [first] = emulator.engine.lineage.samples.all
  for (let number = 2; number <= 20_001; number++) {
    emulator.engine.lineage.samples.add({ ...first!, number })
  }
  await rollouts.ask(question('Sing.'))
  expect(emulator.lineage().counts.samples).toBe(16_000)
  expect(emulator.lineage().jobs[0]!.groups[0]!.trajectories[0]!.answers[0]).toMatchObject({
    state: 'sampled',
    sample: null,
  })
  emulator.models.delete(rollouts.id)
  expect(emulator.lineage().jobs[0]).toMatchObject({ model: rollouts.id, status: 'ended' })
})
