import { expect, it } from 'vitest'
import type { FaultInput } from '../../../src/service/scenario/scenario.js'
import { describeScenario } from '../../../src/tools/explore/describe-scenario.js'

it.each([
  [2, 'second'],
  [11, '11th'],
  [21, '21st'],
  [22, '22nd'],
  [103, '103rd'],
  [113, '113th'],
])('every %i calls are every %s of the calls', (every, ordinal) => {
  const { description } = describeScenario({ faults: [{ fault: 'drop', calls: { every } }] })
  expect(description).toContain(`Every ${ordinal} of the calls from number 1 on of any operation`)
})

it.each([
  [{ event: 'training_failed', error_message: 'No.' }, 'job-fails', 'A job fails.'],
  [{ event: 'never' }, 'job-never-ends', 'A job never ends.'],
  [{ event: 'training_ended' }, 'job-timeline', 'A job has a timeline of its own.'],
] as const)('a job whose last event is %o is %s', (last, name, description) => {
  expect(describeScenario({ jobs: [{ timeline: [last] }] })).toEqual({ name, description })
})

it.each([
  [{ match: { model: 'poet*' } }, 'All calls about the model poet*'],
  [
    { match: { operation: ['getModel', 'listModels'], host: 'training', method: 'GET' } },
    'All calls of getModel, listModels to the training API by GET',
  ],
  [{ match: { judge: true } }, 'All calls of a judge'],
  [{ match: { judge: false, user: 'ada' } }, 'All calls of others than a judge by the user ada'],
  [
    { match: { key: 'key-of-ada', headers: { cookie: 'a=b' } } },
    'All calls with a certain key with certain headers',
  ],
  [{ match: () => true }, 'All calls of some operations'],
  [{ during: { to: '2s' } }, 'For a time, all calls of any operation'],
  [{ during: { to: '2s' }, calls: 2 }, 'For a time, call 2 of any operation'],
  [{ during: { from: '2s' } }, 'From some time on, all calls of any operation'],
  [{ open: false }, 'For a time, all calls of any operation'],
  [{ calls: { from: 3, to: 3 } }, 'Call 3 of any operation'],
  [{ calls: 1, per: 'operation' }, 'Call 1 of any operation, counted by operation'],
  [
    { calls: [1, 2], per: ['project', 'model'] },
    'Calls 1, 2 of any operation, counted by project and model',
  ],
  [{ probability: 0.5 }, 'Some calls of any operation'],
  [{ probability: 0.5, calls: [1, 3] }, 'Perhaps calls 1, 3 of any operation'],
] as const)('a fault with %o hits "%s"', (which, words) => {
  const { description } = describeScenario({ faults: [{ fault: 'drop', ...which } as FaultInput] })
  expect(description).toBe(`${words}: a lost connection.`)
})

it.each([
  [{}, 'no-fault', 'Nothing goes wrong.'],
  [{ checks: { missing_logprobs: 'fail' } }, 'no-fault', 'Nothing goes wrong.'],
  [
    {
      webhooks: [{ name: 'w' }],
      automations: [{ event: 'RUN_STATE', name: 'a', webhook: 'w' }],
    },
    'own-webhooks-and-automations',
    'It has webhooks, automations of its own.',
  ],
] as const)('a scenario with %o is %s', (scenario, name, description) => {
  expect(describeScenario(scenario as Parameters<typeof describeScenario>[0])).toEqual({
    name,
    description,
  })
})

it('tells of a job with bad metrics how it ends, too', () => {
  const spoil = [{ at: 1, metric: 'loss', with: 'NaN' as const }]
  const timeline = [{ event: 'gradient_step' as const, spoil }, { event: 'never' as const }]
  expect(describeScenario({ jobs: [{ timeline }] }).description).toBe(
    'A job never ends. A job has bad metrics.',
  )
})

it('tells what each job does, and each option of its checkpoint', () => {
  const ended = (checkpoint: object) => ({
    timeline: [{ event: 'training_ended' as const, checkpoint }],
  })
  const failed = { timeline: [{ event: 'training_failed' as const, error_message: 'No.' }] }
  expect(
    describeScenario({
      jobs: [failed, ended({ served_after: '1s', expires_after: '9s' }), failed],
    }),
  ).toEqual({
    name: 'job-fails-and-checkpoint-served-later-and-checkpoint-expires',
    description:
      'A job fails. A new checkpoint is listed before it is served. A new checkpoint is deleted after a time.',
  })
})

it.each([
  [{ system_check: { database: false } }, 'The system check fails.'],
  [{ system_check: { gpu_queue: { success: false } } }, 'The system check fails.'],
  [{ system_check: { database: true, cpu_queue: { duration: 3 } } }, 'Nothing goes wrong.'],
  [{ rl: { most_tokens: 9 } }, 'Trajectories may be too long to train.'],
] as const)('a scenario with %o says: %s', (scenario, description) => {
  expect(describeScenario(scenario).description).toBe(description)
})
