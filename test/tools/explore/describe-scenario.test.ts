import { expect, it } from 'vitest'
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
