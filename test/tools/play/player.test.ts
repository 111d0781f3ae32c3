import { describe, expect, it } from 'vitest'
import type { ScenarioInput } from '../../../src/service/scenario/scenario.js'
import { callsOf, played, remarks, troubledCalls } from './played.js'

describe('playing a scenario', () => {
  it('happy-path ends with a checkpoint, and the client chats with it', async () => {
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

  it.each<[string, object]>([
    ['no data', { remove: 'data.*.data' }],
    ['nothing', { set: { 'data.*': null } }],
  ])('stops following a job whose events have %s', async (_what, change) => {
    const match = { operation: 'listTrainingJobEvents' } as const
    const { jobs } = await played({ faults: [{ fault: 'edit', match, ...change } as never] })
    const reason = 'a page of events has something else than events'
    expect(jobs[0]).toMatchObject({ ended: 'lost', reason })
  })

  it.each([5, null, [null]])('takes %j in place of checkpoints', async (data) => {
    const match = { operation: 'listCheckpoints' } as const
    const { jobs } = await played({ faults: [{ fault: 'edit', match, set: { data } }] })
    expect(jobs[0]).toMatchObject({ ended: 'ended' })
    expect(jobs[0]!.checkpoint).toBeUndefined()
  })

  it('uses a key that is accepted', async () => {
    const { jobs } = await played({ auth: { keys: { 'the-key': {} } } })
    expect(jobs[0]!.ended).toBe('ended')
  })
})

describe('a rollout', () => {
  const rules = [{ match: { tools: true }, answer: { tool_calls: [{ name: '{{tool}}' }] } }]
  const rollout = { ask: 'Name a color.', reward: 'Blue' }

  it.each([
    ['choices.0', null, 'The model answers in words: undefined'],
    ['choices.0.message', null, 'The model answers in words: undefined'],
    ['choices.0.message.tool_calls', 5, 'The model answers in words: '],
    ['choices.0.message.tool_calls', [null], 'The model calls undefined with undefined'],
  ])('takes answers that have something else at %s: %j', async (place, value, remark) => {
    const match = { operation: 'createChatCompletion' } as const
    const request = { logprobs: true, tools: [{ type: 'function', function: { name: 'pick' } }] }
    const { timeline } = await played({
      faults: [{ fault: 'edit', match, set: { [place]: value } }],
      play: { jobs: [{ trajectories: 1, rollout: { ...rollout, request } }] },
    })
    const said = timeline.flatMap((entry) => (entry.kind === 'remark' ? [entry.text] : []))
    expect(said).toContainEqual(expect.stringContaining(remark))
  })

  it('can be one call for each trajectory, with more fields', async () => {
    const request = { tools: [{ type: 'function', function: { name: 'pick' } }] }
    const report = await played({
      chat: { rules },
      play: { jobs: [{ trajectories: 2, rollout: { ...rollout, calls: 'each', request } }] },
    })
    expect(callsOf(report).filter(({ path }) => path.endsWith('/completions'))).toHaveLength(3)
    expect(remarks(report)).toEqual([
      'The model calls pick with {}',
      'The model calls pick with {}',
    ])
  })

  it('can have all calls at the same time, and retries those that are refused', async () => {
    const report = await played('chat-concurrency-limit')
    expect(report.jobs[0]).toMatchObject({ ended: 'ended' })
    expect(troubledCalls(report).map(({ status }) => status)).toContain(429)
    expect(await played('chat-concurrency-limit')).toEqual(report)
  })

  it('can submit captured calls, and counts missing log probabilities', async () => {
    const report = await played('missing-logprobs')
    expect(report.jobs.map(({ ended }) => ended)).toEqual(['ended', 'failed'])
    expect(remarks(report)).toEqual([
      '1 of 4 answers have no log probabilities.',
      '1 of 4 answers have no log probabilities.',
    ])
  })

  it('can use a step that is gone', async () => {
    const { jobs } = await played('checkpoint-expires')
    expect(jobs.map(({ ended }) => ended)).toEqual(['ended', 'refused'])
  })
})

describe('the client', () => {
  it('retries more statuses if the scenario says so', async () => {
    const { jobs } = await played('stray-400')
    expect(jobs.map(({ ended }) => ended)).toEqual(['lost', 'ended'])
  })

  it('waits before a job if the scenario says so', async () => {
    const { jobs } = await played('payment-required-then-cleared')
    expect(jobs.map(({ ended, startedAt }) => [ended, startedAt])).toEqual([
      ['refused', 0],
      ['ended', 10_000],
    ])
  })
})

describe('failed calls', () => {
  it('are repeated after the usual delay of clients', async () => {
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

  it('are repeated after the delay that the service asks for', async () => {
    const match = { operation: 'createModel' }
    const report = await played({
      faults: [{ fault: 'status', status: 429, match, calls: 1, retry_after: '7s' }],
    })
    expect(callsOf(report)[0]).toMatchObject({ status: 429, retryIn: 7000 })
    expect(callsOf(report)[1]).toMatchObject({ at: 7000, result: 'answered' })
  })

  it('can have had an effect: a dropped answer leaves a job behind', async () => {
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
    ['half an answer', { fault: 'hang', stage: 'mid_body' }, { result: 'timeout', took: 60_000 }],
    ['broken off', { fault: 'drop', stage: 'mid_body' }, { result: 'lost' }],
    ['too late', { fault: 'delay', delay: '2m' }, { result: 'timeout', took: 60_000 }],
  ])('with %s make the client continue without the job', async (_name, fault, expected) => {
    const faults = [{ ...fault, match: { operation: 'createModel' } }]
    const report = await played({ faults })
    expect(troubledCalls(report)[0]).toMatchObject(expected)
    expect(report.jobs[0]!.ended).toBe('refused')
    expect(remarks(report)).toEqual(['The client continues without this job.'])
  })

  it('are awaited if they are slow', async () => {
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

  it('end the polling of a job if the service refuses', async () => {
    const report = await played({
      faults: [{ fault: 'status', status: 403, match: { operation: 'listTrainingJobEvents' } }],
    })
    expect(report.jobs[0]!.ended).toBe('lost')
    expect(remarks(report)).toEqual(['The client stops following the job.'])
  })
})

describe('wrong pages', () => {
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

  it('begin again, and repeated events are counted and reported once', async () => {
    const faults: ScenarioInput['faults'] = [{ fault: 'page_restart', match, calls: 3 }]
    const report = await played({ jobs, faults })
    expect(report.duplicates).toBeGreaterThan(0)
    expect(report.jobs[0]!.events).toHaveLength(32)
    expect(report.jobs[0]!.ended).toBe('ended')
  })

  it.each(['page_restart', 'page_empty', 'page_repeat'] as const)(
    '%s on all pages does not stop the client',
    async (fault) => {
      const report = await played({ jobs, faults: [{ fault, match }] })
      expect(report.jobs[0]!.ended).not.toBe('refused')
      expect(callsOf(report).length).toBeLessThan(70_000)
    },
  )
})
