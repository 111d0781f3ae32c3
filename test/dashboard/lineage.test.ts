import { describe, expect, it } from 'vitest'
import {
  answersOf,
  distancesOf,
  hasEqualRewards,
  jobName,
  marksOf,
  rewardsText,
  rewardText,
  sourcesOf,
  sourcesText,
  trajectoriesOf,
  usesOf,
} from '../../src/dashboard/data/lineage.js'
import { nearestIn } from '../../src/dashboard/parts/arrow-keys.js'
import { createEmulator } from '../../src/index.js'
import type { LineageAnswer } from '../../src/emulator/lineage.js'
import { trainThreeJobs } from './training-run.js'

describe('the lineage of three jobs', () => {
  it('says where the answers of each group are from', async () => {
    const emulator = createEmulator()
    await trainThreeJobs(emulator)
    const { jobs } = emulator.lineage()
    const [, second, third] = jobs.map((job) =>
      job.groups.map(({ trajectories }) => sourcesText(sourcesOf(answersOf(trajectories), job))),
    )
    expect(new Set(second)).toEqual(new Set(['16 × step 1, newest', '8 × step 0, 1 behind']))
    expect(third!.slice(3)).toEqual([
      '8 × step 2, newest',
      '8 × step 0, 2 behind',
      '8 × base model',
      '1 × step 2, newest; 7 × unknown',
      '8 × step 2, newest',
      '8 × step 0, 2 behind',
    ])
    expect(Object.fromEntries(distancesOf(jobs))).toEqual({
      newest: 169,
      behind: 32,
      far: 16,
      other: 0,
      base: 8,
      unknown: 7,
    })
    expect(jobs.flatMap(trajectoriesOf)).toHaveLength(200)
  })

  it('says what is wrong with trajectories', async () => {
    const emulator = createEmulator()
    await trainThreeJobs(emulator)
    const { groups } = emulator.lineage().jobs[2]!
    const marks = groups.map(({ trajectories }) => [...new Set(trajectories.flatMap(marksOf))])
    expect(marks).toEqual([['differs'], [], [], [], [], [], [], [], ['twice']])
    expect(groups.findIndex(hasEqualRewards)).toBe(7)
    expect(rewardsText(groups[7]!.trajectories)).toBe('all 0.5')
    expect(rewardsText(groups[0]!.trajectories)).toBe('0 to 1')
  })

  it('says which jobs trained on the answers of a checkpoint', async () => {
    const emulator = createEmulator()
    const { jobs } = await trainThreeJobs(emulator)
    const trained = emulator.lineage().jobs
    const usesOfStep = (step: number, isOwn = true): unknown[] =>
      usesOf(trained, { name: 'singer', step, isOwn: () => isOwn }).map(({ job, count, lag }) => [
        job.job,
        count,
        lag,
      ])
    expect(usesOfStep(0)).toEqual([
      [jobs[0], 64, 0],
      [jobs[1], 32, 1],
      [jobs[2], 16, 2],
    ])
    expect(usesOfStep(3)).toEqual([])
    // The jobs of another model with the same name did not train on its answers.
    expect(usesOfStep(0, false)).toEqual([])
  })
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
  expect(marksOf(broken)).toEqual(['failed'])
  expect(hasEqualRewards({ trajectories: [broken, broken] })).toBe(false)
  expect(hasEqualRewards({ trajectories: [{ ...broken, reward: 2 }] })).toBe(false)
})

it('names a job that the dashboard does not know by its id', async () => {
  const emulator = createEmulator()
  await trainThreeJobs(emulator)
  const [job] = emulator.lineage().jobs
  expect(jobName(job!, undefined)).toBe(`singer ${job!.job.slice(0, 8)}`)
})

describe('an arrow key', () => {
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
  ])('%s goes from cell %d to cell %s', (key, from, to) => {
    expect(nearestIn(key, cells[from]!, cells)).toBe(to)
  })
})
