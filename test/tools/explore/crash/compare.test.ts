import { describe, expect, it } from 'vitest'
import { countsOf } from '../../../../src/base/text/counted.js'
import {
  causesAmong,
  compareWork,
  leftOver,
  missingRows,
} from '../../../../src/tools/explore/crash/compare-work.js'
import { formatKill, readKill } from '../../../../src/tools/explore/crash/kill.js'
import type { Work, WorkJob } from '../../../../src/tools/explore/crash/work.js'
import { killsFor } from '../../../../src/tools/explore/parts/crashes.js'

const job = (id: string, batch: string, other: Partial<WorkJob> = {}): WorkJob => ({
  id,
  batch,
  groups: batch.split(' '),
  lag: 0,
  sampledOld: false,
  fromBase: 0,
  unseen: 0,
  ...other,
})

const model = (made: readonly number[], checkpoints = made): Work['models'][number] => ({
  name: 'poet',
  step: Math.max(...made),
  made: countsOf(made),
  checkpoints,
})

const run = (path: string, rows: Record<string, number>): Work['runs'][number] => ({
  path,
  rows: new Map(Object.entries(rows)),
})

const work: Work = {
  calls: {},
  lastCall: undefined,
  models: [model([0, 1, 2, 3], [2, 3])],
  jobs: [job('j1', 'a b'), job('j2', 'c d'), job('j3', 'a b')],
  runs: [run('team/demo/poet', { loss: 3, reward: 3 })],
}

/** Compares with the same work, but for some of it. */
const textsOf = (other: Partial<Work>, before = work): string[] => {
  return causesAmong(compareWork(before, { ...work, ...other })).map(({ title, text }) => {
    return `${title}: ${text}`
  })
}

const LOST_ID =
  'the code did not store the id of its job, which had not ended. If its client tells no id, it can only look for a new checkpoint before it trains again'

describe('what a program made, compared with what it makes without a kill', () => {
  it.each([
    [{ latest: 0 }, LOST_ID],
    [{ latest: 1 }, 'after a start, the code does not go on from its newest checkpoint'],
    [{ latest: 1, lag: 1 }, LOST_ID],
    [
      { latest: 1, lag: 1, sampledOld: true },
      'after a start, the code does not go on from its newest checkpoint',
    ],
    [{}, 'the code did not store the id of its job, or goes on from an old checkpoint'],
  ])('tells why a batch came again as %j', (again, cause) => {
    const jobs = [job('j1', 'a b', { latest: 0, made: 1 }), job('j2', 'a b', { ...again, made: 2 })]
    const [found] = compareWork({ ...work, jobs: jobs.slice(0, 1) }, { ...work, jobs })
    expect(found!.cause).toBe(`Usual cause: ${cause}.`)
  })

  it('is the same if nothing differs', () => {
    expect(textsOf({})).toEqual([])
  })

  it.each<[text: string, other: Partial<Work>]>([
    [
      'a restart opens another run: 2 runs instead of 1: team/demo/poet, team/demo/poet-2.',
      { runs: [...work.runs, run('team/demo/poet-2', {})] },
    ],
    [
      'a batch is trained twice after a restart: Batch 2 was trained twice instead of once: jobs j2 and j4.',
      { jobs: [...work.jobs, job('j4', 'c d')] },
    ],
    [
      'a batch whose checkpoint exists is trained again after a restart: Batch 2 was trained twice instead of once: jobs j2 and j4.',
      {
        jobs: [
          job('j1', 'a b', { latest: 0, made: 1 }),
          job('j2', 'c d', { latest: 1, made: 2 }),
          job('j3', 'a b', { latest: 2, made: 3 }),
          job('j4', 'c d', { latest: 3, made: 4 }),
        ],
      },
    ],
    [
      'a restart trains another time: 3 jobs instead of 2 trained on the same prompts: jobs j1, j3 and j4.',
      { jobs: [...work.jobs, job('j4', 'a b')] },
    ],
    [
      'a batch is trained twice after a restart: 3 jobs instead of 2 trained on the same prompts: jobs j1, j4 and j3. Jobs j1 and j4 have the same trajectories. Batch 2 was never trained.',
      { jobs: [job('j1', 'a b'), job('j4', 'a b', { copyOf: 'j1' }), job('j3', 'a b')] },
    ],
    [
      'a batch after a restart is none of the others: Job j4 has a batch that no other run has: 2 of its 3 groups have known prompts.',
      { jobs: [...work.jobs, job('j4', 'b c e')] },
    ],
    [
      'steps are lost after a restart: Model poet ends at step 2 instead of 3.',
      { models: [model([0, 1, 2])] },
    ],
    [
      'a checkpoint is missing after a restart: Model poet has no checkpoint of step 2 at the end.',
      { models: [model([0, 1, 2, 3], [3])] },
    ],
    [
      'a checkpoint is made twice after a restart: Model poet made the checkpoint of step 3 again.',
      { models: [model([0, 1, 2, 3, 3], [2, 3])] },
    ],
    [
      'it goes on from a wrong checkpoint after a restart: Job j3 trains on 8 answers of the base model, although its model had a checkpoint.',
      { jobs: [...work.jobs.slice(0, 2), job('j3', 'a b', { fromBase: 8 })] },
    ],
    [
      'metrics are logged twice after a restart: Values of metrics: reward has 4 instead of 3.',
      { runs: [run('team/demo/poet', { loss: 3, reward: 4 })] },
    ],
  ])('is told: %s', (text, other) => {
    expect(textsOf(other)).toEqual([text])
  })

  it('may have a checkpoint that is left over', () => {
    const other = { ...work, models: [model([0, 1, 2, 3], [1, 2, 3])] }
    expect(compareWork(work, other)).toEqual([])
    expect(leftOver(work, other)).toBe(
      'Model poet has the checkpoint of step 1 at the end, and without a kill it is deleted.',
    )
    expect(leftOver(work, work)).toBeUndefined()
  })

  it('may have gaps in metrics, because an SDK sends them later', () => {
    const other = { ...work, runs: [run('team/demo/poet', { loss: 2, reward: 1 })] }
    expect(compareWork(work, other)).toEqual([])
    expect(missingRows(work, other)).toBe(
      'Metrics have gaps: loss has 2 instead of 3, reward has 1 instead of 3. What a client has not sent is lost with its process.',
    )
    expect(missingRows(work, work)).toBeUndefined()
  })

  it('may train on answers of the base model, as it does without a kill', () => {
    const before = { ...work, jobs: [job('j1', 'a b', { fromBase: 1 }), ...work.jobs.slice(1)] }
    const jobs = [...work.jobs.slice(0, 2), job('j3', 'a b', { fromBase: 8 })]
    expect(textsOf({ jobs }, before)).toEqual([])
  })

  it('says nothing about batches that are not known', () => {
    const jobs = work.jobs.map((each) => ({ ...each, batch: undefined }))
    expect(textsOf({ jobs })).toEqual([])
  })
})

describe('the kills of a rehearsal', () => {
  it('are at the first, a middle and the last call of each operation', () => {
    const calls = {
      createChatCompletion: 12,
      createRlTrainingJob: 3,
      'platformGraphql.UpsertBucket': 1,
      dropTelemetry: 9,
    }
    const kills = killsFor({ calls, lastCall: 'createRlTrainingJob' }).map(formatKill)
    expect(kills).toEqual([
      'createRlTrainingJob:2:before',
      'createRlTrainingJob:2:after',
      'createChatCompletion:7:before',
      'createChatCompletion:7:after',
      'platformGraphql.UpsertBucket:1:before',
      'platformGraphql.UpsertBucket:1:after',
      'createRlTrainingJob:3:before',
      'createChatCompletion:12:before',
      'createChatCompletion:12:after',
      'createRlTrainingJob:1:before',
      'createRlTrainingJob:1:after',
      'createChatCompletion:1:before',
      'createChatCompletion:1:after',
    ])
  })

  it('are as many for a thousand calls as for three', () => {
    const count = (calls: number): number => {
      return killsFor({ calls: { createModel: calls }, lastCall: undefined }).length
    }
    expect([1, 2, 3, 1000].map(count)).toEqual([2, 4, 6, 6])
  })

  it('are written as --crash-at takes them', () => {
    const texts = ['createModel:1:before', 'platformGraphql.UpsertBucket:12:after']
    expect(texts.map((text) => formatKill(readKill(text)!))).toEqual(texts)
    const wrong = [
      'createModel',
      'createModel:0:before',
      'createModel:1:during',
      'makeModel:1:after',
    ]
    expect(wrong.map(readKill)).toEqual([undefined, undefined, undefined, undefined])
  })
})
