import type { Matchers } from 'expect'
import { expect, expectTypeOf } from 'vitest'
import {
  createEmulator,
  defineScenario,
  type BuiltInScenarioName,
  type Emulator,
  type EmulatorOptions,
  type JobHandle,
  type Listening,
  type RequestEntry,
  type WebhookSink,
} from '../src/index.js'
import { createEmulator as createInBrowser } from '../src/browser.js'
import { assertFailed } from '../src/assert.js'
import type { EmulatorMatchers } from '../src/jest.js'
import { test } from '../src/vitest.js'

// Checked by the compiler alone; nothing here is run.

test('what a test is given', ({ emulator, sink }) => {
  expectTypeOf(sink).toEqualTypeOf<WebhookSink>()
  expectTypeOf(emulator).toEqualTypeOf<Emulator>()
})

test.override({ emulatorOptions: { scenario: 'failing-job', clock: 'manual', seed: 3 } })
test.override({ checks: false })
// @ts-expect-error there is no such clock
test.override({ emulatorOptions: { clock: 'sundial' } })
// @ts-expect-error there is no such check
test.override({ checks: { politeness: false } })

// test/completions.test.ts has the names that editors complete.
test('names that are accepted, and names that are not', ({ emulator, sink }) => {
  // @ts-expect-error no built-in scenario has this name
  expectTypeOf<'failing-jobs'>().toExtend<BuiltInScenarioName>()
  expectTypeOf<Exclude<EmulatorOptions['scenario'], undefined>>()
    .extract<string>()
    .toEqualTypeOf<BuiltInScenarioName | (string & {})>()
  void emulator.trigger('run_state')
  void sink.waitFor({ event: 'RUN_*' })
  emulator.faults.add({ fault: 'hang', match: { operation: ['create*', 'listCheckpoints'] } })
  defineScenario({ name: 'mine', extends: './common.yaml' })
  // @ts-expect-error there is no such fault
  emulator.faults.add({ fault: 'hangs' })
})

test('arranging and verifying', async ({ emulator, sink }) => {
  expect(sink).toHaveReceivedWebhook({ event: 'RUN_STATE' }, { count: 2 })
  expect(sink).toHaveReceivedInOrder([{ event: 'RUN_*' }])
  expect(sink).toBeValidlySigned()
  // @ts-expect-error count is a number
  expect(sink).toHaveReceivedWebhook({}, { count: 'twice' })
  const model = await emulator.models.create({ name: 'poet' })
  expectTypeOf(model.id).toBeString()
  expectTypeOf(emulator.jobs.start({ model })).resolves.toEqualTypeOf<JobHandle>()
  expectTypeOf(emulator.job().status).toEqualTypeOf<'queued' | 'running' | 'ended' | 'failed'>()
  expectTypeOf(emulator.requests.waitFor('createModel')).resolves.toEqualTypeOf<RequestEntry>()
  expectTypeOf(emulator.requests.count()).toBeNumber()
  expectTypeOf(emulator.requests.find('createModel').body).toBeUnknown()
  expectTypeOf(assertFailed).parameter(1).toEqualTypeOf<string | RegExp | undefined>()
  expectTypeOf(createEmulator).returns.toEqualTypeOf<Emulator>()
  expectTypeOf<Emulator>().toExtend<AsyncDisposable>()

  expect(emulator.job()).toHaveFailed(/out of memory/)
  expect(emulator).toHaveReceivedRequest({ operation: 'createModel' }, { times: 1 })
  expectTypeOf<Matchers<void>>().toExtend<EmulatorMatchers>()
  // @ts-expect-error a number is not a message
  expect(emulator.job()).toHaveFailed(12)
  // @ts-expect-error times is a number
  expect(emulator).toHaveReceivedRequest('createModel', { times: 'once' })
  // @ts-expect-error a job is of one kind or the other
  await emulator.jobs.start({ kind: 'dpo' })
})

test('records, for queries alone', ({ emulator }) => {
  const { models } = emulator.db
  expectTypeOf(models.findFirst((q) => q.where({ name: 'poet' }))?.name).toEqualTypeOf<
    string | undefined
  >()
  expectTypeOf(models.count()).toBeNumber()
  // @ts-expect-error models have no such field
  models.findFirst((q) => q.where({ nam: 'poet' }))
  // @ts-expect-error records cannot be changed
  models.all()[0]!.name = 'critic'
  // @ts-expect-error records cannot be created
  models.create({ name: 'poet' })
  // @ts-expect-error records cannot be deleted
  models.delete((q) => q.where({ name: 'poet' }))
  // @ts-expect-error the database cannot be changed
  emulator.db.models = models
})

test('in a browser', () => {
  const emulator = createInBrowser({ scenario: 'failing-job' })
  expectTypeOf(emulator.world('a-key')).toEqualTypeOf(emulator)
  // @ts-expect-error there are no ports
  emulator.listen()
  // @ts-expect-error there is no sink
  emulator.createSink()
  // @ts-expect-error there are no folders
  createInBrowser({ data: 'folder' })
  // @ts-expect-error there are no files
  createInBrowser({ dataRoot: 'folder' })
})

test('in Node', ({ emulator }) => {
  expectTypeOf(createEmulator({ data: 'folder' })).toEqualTypeOf<Emulator>()
  expectTypeOf(emulator.world('a-key')).toEqualTypeOf<Emulator>()
  expectTypeOf(emulator.listen({ port: 0 })).resolves.toEqualTypeOf<Listening>()
})
