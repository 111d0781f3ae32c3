import { expect, it } from 'vitest'
import { assertArtifactAlias, assertFinishedRun, assertLoggedMetric } from '../../../src/assert.js'
import { createEmulator, type Emulator } from '../../../src/index.js'
import { matchers } from '../../../src/jest.js'
import { aRunThat } from '../../support/platform-records.js'

expect.extend(matchers)

function poem(exitCode?: number): Emulator {
  const emulator = createEmulator()
  aRunThat(emulator, {
    name: 'poem',
    rows: [
      { _step: 0, loss: 2, val: { reward: 0.5 }, grade: '5' },
      { _step: 1, loss: 'NaN' },
      { _step: 5, loss: 1 },
    ],
    ...(exitCode !== undefined && { exitCode }),
  })
  return emulator
}

it('passes for a metric that was logged', () => {
  const emulator = poem()
  expect(emulator).toHaveLoggedMetric('loss')
  expect(emulator.runs).toHaveLoggedMetric('val.reward', { run: 'poem', step: 0, value: 0.5 })
  expect(emulator).toHaveLoggedMetric('loss', { step: 1, value: NaN })
  expect(emulator).toHaveLoggedMetric('loss', { value: (loss, step) => step > 1 && loss === 1 })
  expect(emulator).toHaveLoggedMetric('grade', { value: '5' })
  expect(emulator).not.toHaveLoggedMetric('grade', { value: 5 })
  expect(emulator).not.toHaveLoggedMetric('reward')
  expect(emulator).not.toHaveLoggedMetric('loss', { step: 2 })
  assertLoggedMetric(emulator, 'loss', { step: 5, value: 1 })
})

it('finds the step of the training, which may differ from the row', () => {
  const emulator = createEmulator()
  aRunThat(emulator, { name: 'poem', rows: [{ _step: 3, loss: 1, training_step: 20 }] })
  assertLoggedMetric(emulator, 'loss', { step: 3, trainingStep: 20, value: 1 })
  expect(() => assertLoggedMetric(emulator, 'loss', { trainingStep: 3 })).toThrow(
    '"loss" at training_step 3; it logged\n  step 3 (training_step 20): 1',
  )
})

it('says what was logged instead', () => {
  const emulator = poem()
  expect(() => assertLoggedMetric(emulator, 'lost')).toThrow(
    'expected local-team/verse/poem to have logged "lost", but it did not. Did you mean "loss"? It logged loss, val.reward, grade.',
  )
  expect(() => assertLoggedMetric(emulator, 'loss', { step: 5, value: 2 })).toThrow(
    [
      'expected local-team/verse/poem to have logged "loss" at step 5 as 2; it logged',
      '  step 0: 2',
      '  step 1: "NaN"',
      '  step 5: 1',
    ].join('\n'),
  )
  expect(() => expect(emulator).not.toHaveLoggedMetric('loss', { step: 5 })).toThrow(
    'expected local-team/verse/poem not to have logged "loss" at step 5; it logged\n  step 5: 1',
  )
  expect(() => assertLoggedMetric(emulator, 'loss', { run: 'poen' })).toThrow(
    'there is no run "poen". Did you mean "poem"?',
  )
})

it('tells whether a run finished', () => {
  assertFinishedRun(poem(0), 'local-team/verse/poem')
  expect(poem(0)).toHaveFinishedRun()
  expect(poem()).not.toHaveFinishedRun()
  expect(() => assertFinishedRun(poem())).toThrow(
    'expected the run local-team/verse/poem to have finished; it is running, and has logged 3 rows',
  )
  expect(() => assertFinishedRun(poem(1))).toThrow('it is failed with exit code 1, and has logged')
})

it('tells whether an artifact has an alias', async () => {
  const emulator = createEmulator()
  await emulator.artifacts.put({ name: 'rows', files: { a: '1' }, aliases: ['best'] })
  await emulator.artifacts.put({ name: 'rows', files: { a: '2' } })
  expect(emulator).toHaveArtifactAlias('rows', 'best')
  expect(emulator.artifacts).toHaveArtifactAlias('local-team/demo/rows', 'latest', {
    version: 'v1',
  })
  expect(emulator).not.toHaveArtifactAlias('rows', 'best', { version: 'v1' })
  expect(emulator).not.toHaveArtifactAlias('rows', 'constructor')
  expect(() => assertArtifactAlias(emulator, 'rows', 'bets')).toThrow(
    'expected the artifact local-team/demo/rows to have the alias "bets". Did you mean "best"? Its aliases: best (v0), latest (v1). Its versions: v1, v0.',
  )
  expect(() => assertArtifactAlias(emulator, 'rows', 'best', { version: 'v1' })).toThrow(
    'to have the alias "best" on v1. Its aliases: best (v0), latest (v1).',
  )
  expect(() => assertArtifactAlias(emulator, 'row', 'best')).toThrow('Did you mean "rows"?')
  for (let version = 2; version < 14; version++) {
    await emulator.artifacts.put({ name: 'rows', files: { a: `more ${version}` } })
  }
  expect(() => assertArtifactAlias(emulator, 'rows', 'bets')).toThrow(/ v2, and 2 more\.$/)
})
