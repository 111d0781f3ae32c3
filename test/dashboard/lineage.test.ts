import { describe, expect, it } from 'vitest'
import {
  hasEqualRewards,
  jobName,
  marksOf,
  rewardsText,
  rewardText,
  sourcesOf,
  sourcesText,
  usesOf,
} from '../../src/dashboard/data/lineage.js'
import { nearestIn } from '../../src/dashboard/parts/arrow-keys.js'
import { createEmulator } from '../../src/index.js'
import type { LineageAnswer } from '../../src/emulator/lineage.js'
import { trainThreeJobs } from './training-run.js'

it('knows jobs of another model with the same name, which did not train on the answers of a checkpoint', async () => {
  const emulator = createEmulator()
  await trainThreeJobs(emulator, 2)
  const { jobs } = emulator.lineage()
  const usesIf = (isOwn: boolean) => usesOf(jobs, { name: 'singer', step: 0, isOwn: () => isOwn })
  expect([usesIf(true).length, usesIf(false).length]).toEqual([3, 0])
  // The dashboard does not know this job.
  expect(jobName(jobs[0]!, undefined)).toBe(`singer ${jobs[0]!.job.slice(0, 8)}`)
})

describe('where answers are from', () => {
  it.each([
    ['of another model', { sample: { model: 'judge', step: 3 } }, 'another model'],
    ['that the emulator has forgotten', { sample: null }, 'forgotten'],
    ['of a checkpoint that was deleted', { lag: -1 }, 'step 3'],
    ['that no chat gave', { state: 'unknown' }, 'unknown'],
  ])('is named for answers %s', (_, more, text) => {
    const answer = { state: 'sampled', lag: null, sample: null, ...more } as LineageAnswer
    expect(sourcesOf([answer], { latest: 2 })).toMatchObject([{ text, count: 1 }])
  })

  it('is listed with the nearest checkpoint first', () => {
    const answers = [9, 1, 0, 10].map((lag) => ({ state: 'sampled', lag }) as LineageAnswer)
    expect(sourcesText(sourcesOf(answers, { latest: 10 }))).toBe(
      '1 × step 10, newest; 1 × step 9, 1 behind; 1 × step 1, 9 behind; 1 × step 0, 10 behind',
    )
    expect(sourcesText([])).toBe('no answers')
  })
})

it('has a word for rewards that are not finite, and for a failed call', () => {
  const broken = { reward: null, answers: [], duplicate: null, failed: 'chat 503' }
  expect(rewardText(null)).toBe('–')
  expect(rewardsText([broken])).toBe('–')
  expect(rewardsText([{ ...broken, reward: 2 }])).toBe('2')
  const many = Array.from({ length: 200_000 }, (_, at) => ({ ...broken, reward: at % 2 }))
  expect(rewardsText(many)).toBe('0 to 1')
  expect(marksOf(broken)).toEqual(['failed'])
  expect(hasEqualRewards({ trajectories: [broken, broken] })).toBe(false)
  expect(hasEqualRewards({ trajectories: [{ ...broken, reward: 2 }] })).toBe(false)
})

const place = (left: number, top: number) => ({ left, top, right: left + 10, bottom: top + 10 })
/** Two rows of two cells, and a cell to the right between the rows. */
const cells = [place(0, 0), place(20, 0), place(0, 20), place(20, 20), place(40, 10)]

it.each([
  ['ArrowRight', 0, 1],
  ['ArrowLeft', 1, 0],
  ['ArrowDown', 1, 3],
  ['ArrowUp', 2, 0],
  ['ArrowRight', 3, 4],
  ['ArrowUp', 0, undefined],
  ['ArrowLeft', 0, undefined],
])('an arrow key %s goes from cell %d to cell %s', (key, from, to) => {
  expect(nearestIn(key, cells[from]!, cells)).toBe(to)
})
