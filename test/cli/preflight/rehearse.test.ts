import { describe, expect, it } from 'vitest'
import { rehearse, worstKill } from '../../../src/cli/preflight/rehearse.js'
import type { Kill } from '../../../src/tools/explore/crash/kill.js'
import type { Work, WorkJob } from '../../../src/tools/explore/crash/work.js'
import type { TrialResult } from '../../../src/tools/explore/exploration.js'

const calls = { createModel: 1, createRlTrainingJob: 3, listTrainingJobEvents: 9 }

/** What a program makes that trains these batches. */
function made(...batches: string[]): Work {
  const jobs = batches.map((batch, at): WorkJob => {
    return { id: `job-${at}`, batch, groups: [batch], lag: 0, fromBase: 0, unseen: 0 }
  })
  return { calls, lastCall: 'listTrainingJobEvents', models: [], jobs, runs: [] }
}

function ended(work: Work, others: Partial<TrialResult> = {}): TrialResult {
  const created = { jobs: work.jobs.length, models: 0 }
  const nothing = { findings: [], problem: undefined, pending: [], deliveries: 0, uses: [] }
  const observed = { ...nothing, calls, created, succeeded: work.jobs.length, work }
  return { ended: 'success', took: 1, observed, ...others }
}

const kill: Kill = { operation: 'createRlTrainingJob', call: 2, moment: 'after' }

/** Returns these results one after the other, and counts the runs. */
function running(...results: TrialResult[]): { run: () => Promise<TrialResult>; count: number } {
  const runs = { count: 0, run: async () => results[runs.count++]! }
  return runs
}

describe('one kill of a preflight', () => {
  it('comes while the job in the middle is trained', () => {
    expect(worstKill(made('a', 'b', 'c'))).toEqual(kill)
    expect(worstKill({ ...made(), calls: {} })).toBeUndefined()
  })

  it('takes one run if the program survives it', async () => {
    const runs = running(ended(made('a', 'b'), { killed: true }))
    const outcome = await rehearse(kill, made('a', 'b'), runs.run)
    expect(outcome).toEqual({ kill, verdict: 'survived', text: undefined })
    expect(runs.count).toBe(1)
  })

  it('fails if a batch is trained twice, and only after a kill', async () => {
    const runs = running(ended(made('a', 'a', 'b'), { killed: true }), ended(made('a', 'b')))
    const outcome = await rehearse(kill, made('a', 'b'), runs.run)
    expect(outcome).toMatchObject({ verdict: 'failed' })
    expect(outcome.text).toContain('Batch 1 was trained twice instead of once')
    expect(runs.count).toBe(2)
  })

  it('says what is not compared, because it differs without a kill', async () => {
    const runs = running(ended(made('a', 'x'), { killed: true }), ended(made('a', 'y')))
    const outcome = await rehearse(kill, made('a', 'b'), runs.run)
    expect(outcome).toMatchObject({ verdict: 'survived' })
    expect(outcome.text).toContain('Not compared, because they differ without a kill')
  })

  it('is unknown if the program does other work in a second run', async () => {
    const runs = running(ended(made('b'), { killed: true }), ended(made()))
    const outcome = await rehearse(kill, made('a', 'b'), runs.run)
    expect(outcome).toMatchObject({ verdict: 'unknown' })
    expect(outcome.text).toContain('0 jobs instead of 2. If it stores something on this machine')
  })

  it('is unknown if the call of the kill never comes', async () => {
    const runs = running(ended(made('a', 'b'), { killed: false }))
    const outcome = await rehearse(kill, made('a', 'b'), runs.run)
    expect(outcome).toMatchObject({ verdict: 'unknown' })
    expect(outcome.text).toBe(
      'No call came after call 2 of createRlTrainingJob, so nothing was killed.',
    )
  })
})
