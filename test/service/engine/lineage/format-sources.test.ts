import { expect, it } from 'vitest'
import { formatSources } from '../../../../src/service/engine/lineage/format-sources.js'
import type {
  TrainedAnswer,
  TrainedJob,
} from '../../../../src/service/engine/lineage/trained-job.js'

const ofStep = (step: number): TrainedAnswer => ({ turn: 0, sample: 1, model: 'poet', step })

it.each([
  [[ofStep(2)], '1 answer of step 2'],
  [[ofStep(1), ofStep(2)], '2 answers: 1 of step 1 (1 behind), 1 of step 2'],
  // Its checkpoint was deleted since.
  [[ofStep(3)], '1 answer of step 3'],
  [[{ turn: 0, isPlain: true as const }], undefined],
])('the journal says from which checkpoints answers are', (answers, expected) => {
  const trajectories = [{ reward: 1, begins: 0, answers }]
  const job: TrainedJob = {
    job: 'job',
    model: 'poet',
    at: 0,
    latest: 2,
    afterChats: true,
    groups: [{ isEqual: false, trajectories }],
    request: undefined,
  }
  expect(formatSources(job)).toBe(expected)
})
