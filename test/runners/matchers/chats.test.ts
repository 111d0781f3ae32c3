import { expect, it } from 'vitest'
import { assertAnsweredBy } from '../../../src/assert.js'
import { createEmulator } from '../../../src/index.js'
import { matchers } from '../../../src/jest.js'
import { clientOf } from '../../support/api-client.js'
import { createModel } from '../../support/trainer.js'
import { question, rolloutsOf, sampleGroup } from '../../support/rollouts.js'

expect.extend(matchers)

it('passes for the checkpoint that gave the latest answer, whether a job trained on it or not', async () => {
  const emulator = createEmulator()
  const rollouts = await rolloutsOf(emulator)
  const group = await sampleGroup(rollouts, 'Sing.')
  expect(emulator).toHaveAnsweredBy(0)
  await rollouts.train(group)
  expect(emulator).toHaveAnsweredBy(0, { model: 'singer' })
  await rollouts.ask(question('Dream.'))
  expect(emulator).toHaveAnsweredBy(1, { model: 'singer' })
  expect(emulator).not.toHaveAnsweredBy(0)
  assertAnsweredBy(emulator, 1)
})

it('says which checkpoints answered', async () => {
  const emulator = createEmulator()
  expect(() => assertAnsweredBy(emulator, 1)).toThrow(
    'expected step 1 to have given the latest answer, but no chat was answered',
  )
  const rollouts = await rolloutsOf(emulator)
  await rollouts.ask(question('Dream.'))
  expect(() => assertAnsweredBy(emulator, 1, { model: 'singer' })).toThrow(
    /^expected step 1 of model "singer" to have given the latest answer\. The latest answers:\n {2}singer, step 0: "/,
  )
})

it('shows the latest answers of the model that is asked for', async () => {
  const emulator = createEmulator()
  const { ask, policy } = await rolloutsOf(emulator)
  await createModel(clientOf(emulator), { project: 'demo', name: 'dancer' })
  await ask(question('Sing.'))
  const dancer = { model: policy.replace('singer', 'dancer') }
  for (let count = 0; count < 6; count++) await ask(question('Dance.'), dancer)
  expect(() => assertAnsweredBy(emulator, 1, { model: 'singer' })).toThrow(
    /The latest answers:\n {2}singer, step 0: "[^\n]*$/,
  )
})

it('shows an answer once that two jobs train on', async () => {
  const emulator = createEmulator()
  const rollouts = await rolloutsOf(emulator)
  const group = await sampleGroup(rollouts, 'Sing.')
  for (let job = 0; job < 2; job++) await rollouts.train(group)
  const answers = emulator.lineage().jobs[0]!.groups[0]!.trajectories.length
  const lines = new RegExp(`The latest answers:(?:\\n {2}singer, step 0: [^\\n]*){${answers}}$`)
  expect(() => assertAnsweredBy(emulator, 7)).toThrow(lines)
})

it('refuses a value that is not an emulator, and wrong arguments', () => {
  const emulator = createEmulator()
  expect(() => assertAnsweredBy({} as never, 1)).toThrow('not an emulator. Pass the emulator.')
  expect(() => assertAnsweredBy(emulator, -1)).toThrow(/step.*-1/)
  expect(() => assertAnsweredBy(emulator, 1, { modle: 'x' } as never)).toThrow(
    'Did you mean "model"?',
  )
})
