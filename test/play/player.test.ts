import { describe, expect, it } from 'vitest'
import type { ScenarioInput } from '../../src/scenario/scenario.js'
import { callsOf, played, remarks, troubledCalls } from './played.js'

describe('a scenario that is played', () => {
  it('happy-path: ends with a checkpoint, with which the client chats', async () => {
    const report = await played('happy-path')
    const [job] = report.jobs
    expect(job).toMatchObject({ kind: 'rl', ended: 'ended', endedAt: 6000 })
    expect(job!.events.map(({ at, type }) => [at, type])).toEqual([
      [1000, 'training_started'],
      [2000, 'gradient_step'],
      [3000, 'gradient_step'],
      [4000, 'gradient_step'],
      [5000, 'gradient_step'],
      [6000, 'training_ended'],
    ])
    expect(job!.checkpoint).toMatchObject({ model: 'my-model', step: 1 })
    expect(callsOf(report).at(-1)).toMatchObject({ host: 'inference', result: 'answered' })
    expect(troubledCalls(report)).toEqual([])
    expect(report.duplicates).toBe(0)
  })

  it('learning-policy: the client rolls out before each job, and its reward rises', async () => {
    const { jobs } = await played('learning-policy')
    const rewards = jobs.map(({ events }) => Number(events.at(-2)!.data.reward))
    expect(rewards).toHaveLength(10)
    expect(rewards[0]).toBeLessThan(0.3)
    expect(rewards.at(-1)).toBeGreaterThan(0.7)
  })

  it('failing-job: fails, and the reason is told', async () => {
    const { jobs } = await played('failing-job')
    expect(jobs[0]).toMatchObject({ ended: 'failed', endedAt: 5000, checkpoint: { step: 0 } })
    expect(jobs[0]!.reason).toMatch(/^CUDA out of memory/)
  })

  it('stuck-job: the client gives up after ten minutes without news', async () => {
    const report = await played('stuck-job')
    expect(report.jobs[0]).toMatchObject({ ended: 'running', endedAt: 603_000 })
    expect(remarks(report)).toEqual(['The client gave up waiting.'])
  })

  it('is the same every time', async () => {
    expect(await played('happy-path')).toEqual(await played('happy-path'))
  })

  it('submits what the scenario says', async () => {
    const { jobs } = await played({
      play: {
        jobs: [
          { kind: 'sft', model: 'one' },
          { model: 'two', trajectories: 6 },
        ],
      },
      sft: { sequences: 2 },
    })
    expect(jobs.map(({ kind, model, ended }) => [kind, model, ended])).toEqual([
      ['sft', 'one', 'ended'],
      ['rl', 'two', 'ended'],
    ])
    const steps = jobs.map(({ events }) => {
      return events.filter(({ type }) => type === 'gradient_step').length
    })
    expect(steps).toEqual([2, 6])
  })

  it('presents a key that is accepted', async () => {
    const { jobs } = await played({ auth: { keys: { 'the-key': {} } } })
    expect(jobs[0]!.ended).toBe('ended')
  })
})

describe('calls that go wrong', () => {
  it('are made again, after as long as clients wait', async () => {
    const report = await played({
      faults: [
        { fault: 'status', status: 503, match: { operation: 'createModel' }, calls: [1, 2] },
      ],
    })
    expect(callsOf(report).slice(0, 3)).toMatchObject([
      { at: 0, attempt: 1, result: 'refused', status: 503, retryIn: 500 },
      { at: 500, attempt: 2, result: 'refused', status: 503, retryIn: 1000 },
      { at: 1500, attempt: 3, result: 'answered', status: 200 },
    ])
    expect(report.jobs[0]).toMatchObject({ ended: 'ended', startedAt: 1500 })
  })

  it('wait as long as the service asks', async () => {
    const match = { operation: 'createModel' }
    const report = await played({
      faults: [{ fault: 'status', status: 429, match, calls: 1, retry_after: '7s' }],
    })
    expect(callsOf(report)[0]).toMatchObject({ status: 429, retryIn: 7000 })
    expect(callsOf(report)[1]).toMatchObject({ at: 7000, result: 'answered' })
  })

  it('may have done their work: a dropped answer leaves a job behind', async () => {
    const match = { operation: 'createRlTrainingJob' }
    const report = await played({ faults: [{ fault: 'drop', match, calls: 1, stage: 'after' }] })
    expect(troubledCalls(report)).toMatchObject([{ result: 'lost', retryIn: 500 }])
    // The second job waits for the first one, of which the client never heard.
    expect(report.jobs[0]).toMatchObject({ ended: 'ended', checkpoint: { step: 2 } })
  })

  it.each<[string, NonNullable<ScenarioInput['faults']>[number], object]>([
    ['refused for good', { fault: 'status', status: 400 }, { result: 'refused', status: 400 }],
    ['not JSON', { fault: 'malformed', form: 'html' }, { result: 'unreadable' }],
    ['never answered', { fault: 'hang' }, { result: 'timeout', took: 60_000 }],
    ['broken off', { fault: 'drop', stage: 'mid_body' }, { result: 'lost' }],
    ['too late', { fault: 'delay', delay: '2m' }, { result: 'timeout', took: 60_000 }],
  ])('%s: the client goes on without the job', async (_name, fault, expected) => {
    const faults = [{ ...fault, match: { operation: 'createModel' } }]
    const report = await played({ faults })
    expect(troubledCalls(report)[0]).toMatchObject(expected)
    expect(report.jobs[0]!.ended).toBe('refused')
    expect(remarks(report)).toEqual(['The client continues without this job.'])
  })

  it('are waited for, where they take their time', async () => {
    const match = { operation: ['createModel', 'createInferenceChatCompletion'] }
    const report = await played({
      faults: [
        { fault: 'delay', delay: '5s', match },
        { fault: 'trickle', bytes: 100, every: '100ms', match: { operation: 'listCheckpoints' } },
      ],
    })
    expect(troubledCalls(report)).toEqual([])
    expect(callsOf(report)[0]).toMatchObject({ took: 5000 })
    expect(callsOf(report).at(-1)).toMatchObject({ took: 5000 })
    expect(callsOf(report).at(-2)!.took).toBeGreaterThan(0)
  })

  it('end the following of a job, where the service says no', async () => {
    const report = await played({
      faults: [{ fault: 'status', status: 403, match: { operation: 'listTrainingJobEvents' } }],
    })
    expect(report.jobs[0]!.ended).toBe('lost')
    expect(remarks(report)).toEqual(['The client stops following the job.'])
  })
})

describe('pages that go wrong', () => {
  const jobs: ScenarioInput['jobs'] = [
    {
      timeline: [
        { event: 'training_started' },
        { event: 'gradient_step', every: '1ms', count: 30 },
        { event: 'training_ended' },
      ],
    },
  ]
  const match = { operation: 'listTrainingJobEvents' }

  it('begin anew: what comes again is counted, and told once', async () => {
    const faults: ScenarioInput['faults'] = [{ fault: 'page_restart', match, calls: 3 }]
    const report = await played({ jobs, faults })
    expect(report.duplicates).toBeGreaterThan(0)
    expect(report.jobs[0]!.events).toHaveLength(32)
    expect(report.jobs[0]!.ended).toBe('ended')
  })

  it.each(['page_restart', 'page_empty', 'page_repeat'] as const)(
    '%s for ever does not hold the client up',
    async (fault) => {
      const report = await played({ jobs, faults: [{ fault, match }] })
      expect(report.jobs[0]!.ended).not.toBe('refused')
      expect(callsOf(report).length).toBeLessThan(70_000)
    },
  )
})

describe('bad data', () => {
  it('is read as the service writes it', async () => {
    const { jobs } = await played({
      jobs: [
        {
          timeline: [
            { event: 'training_started' },
            {
              event: 'gradient_step',
              count: 3,
              spoil: [
                { at: 1, metric: 'loss', with: 'NaN' },
                { at: 2, metric: 'loss', with: '-Infinity' },
                { at: 3, metric: 'loss', with: { text: 'NaN' } },
              ],
            },
            { event: 'training_ended' },
          ],
        },
      ],
    })
    const losses = jobs[0]!.events.slice(1, -1).map(({ data }) => data['loss'])
    expect(losses).toEqual([Number.NaN, -Infinity, 'NaN'])
  })
})
