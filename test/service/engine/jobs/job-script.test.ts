import { expect, it } from 'vitest'
import { createEmulator, defineScenario, type ScenarioInput } from '../../../../src/index.js'
import { describeInProcess, type Api } from '../../../support/transports.js'
import { createModel, groups, listEvents, startJob } from '../../../support/trainer.js'
import { bearer, clientOf } from '../../../support/api-client.js'
import { caller } from '../../../emulator/control/control.js'

type Rule = NonNullable<ScenarioInput['jobs']>[number]
type Steps = Rule['timeline']

const start = { event: 'training_started' } as const
const end = { event: 'training_ended' } as const

function fails(error_message: string): Steps {
  return [{ event: 'training_failed', error_message }]
}

/** Which rule a job followed, by the words that it failed with. */
async function ruleOf(api: Api, jobId: string): Promise<unknown> {
  api.emulator.clock.advance('1h')
  return (await listEvents(api, jobId)).at(-1)!.data.error_message
}

describeInProcess('a job follows the first rule that matches it', (open) => {
  it('by kind, globs, ordinal, configuration, data and metadata', async () => {
    const scenario = defineScenario({
      name: 'x',
      jobs: [
        {
          match: { kind: 'sft', config: { batch_size: { above: 3 } } },
          timeline: fails('batches'),
        },
        { match: { kind: 'sft', data: { url: 'art*://*/data*' } }, timeline: fails('url') },
        {
          match: { model: ['poet*', 'bard'], ordinal: { at_least: 2 } },
          timeline: fails('second'),
        },
        { match: { config: { loss_fn: 'ppo' } }, timeline: fails('ppo') },
        { match: { data: { reward: { below: 0.1 } } }, timeline: fails('low reward') },
        { match: { metadata: { tag: 'bad*' } }, timeline: fails('tagged') },
        { match: { base_model: '*14b*' }, timeline: fails('large') },
        { timeline: fails('any') },
      ],
    })
    const api = await open({ scenario })
    const rl = async (model: string, body: object = {}): Promise<unknown> => {
      const { id } = await createModel(api, model)
      const sent = { model_id: id, trajectory_groups: groups, ...body }
      return ruleOf(api, (await api.post('/preview/training-jobs', sent)).body.id)
    }
    const sft = async (model: string, body: object): Promise<unknown> => {
      const { id } = await createModel(api, model)
      const answer = await api.post('/preview/sft-training-jobs', { model_id: id, ...body })
      return ruleOf(api, answer.body.id)
    }
    expect(await rl('one')).toBe('any')
    expect(await rl('two', { experimental_config: { loss_fn: 'ppo' } })).toBe('ppo')
    const poor = [{ trajectories: [{ reward: 0.05 }] }]
    expect(await rl('three', { trajectory_groups: poor })).toBe('low reward')
    const tagged = [{ trajectories: [{ reward: 1 }, { reward: 1, metadata: { tag: 'bad luck' } }] }]
    expect(await rl('four', { trajectory_groups: tagged })).toBe('tagged')
    expect(await sft('five', { training_data_url: 'artifact://t/data-1' })).toBe('url')
    const config = { batch_size: 4 }
    expect(await sft('six', { training_data_url: 'artifact://t/data-1', config })).toBe('batches')
    const bard = await createModel(api, 'bard')
    expect(await ruleOf(api, await startJob(api, bard.id))).toBe('any')
    expect(await ruleOf(api, await startJob(api, bard.id))).toBe('second')
  })

  it('by a function, which can also compute metrics', async () => {
    const scenario = defineScenario({
      name: 'x',
      jobs: [
        { match: (job) => job.model.length > 5, timeline: fails('long name') },
        {
          timeline: [
            start,
            { event: 'gradient_step', count: 2, metrics: { loss: ({ step }) => step * step } },
            end,
          ],
        },
      ],
    })
    const api = await open({ scenario })
    const long = await createModel(api, 'painter')
    expect(await ruleOf(api, await startJob(api, long.id))).toBe('long name')
    const short = await createModel(api, 'poet')
    const job = await startJob(api, short.id)
    api.emulator.clock.advance('1m')
    const losses = (await listEvents(api, job)).map(({ data }) => data.loss)
    expect(losses).toEqual([undefined, 1, 4, undefined])
  })
})

describeInProcess('the steps of a job', (open) => {
  const timed = async (timeline: Steps) => {
    const api = await open({ scenario: { name: 'x', jobs: [{ timeline }] } })
    const { id } = await createModel(api)
    const begun = api.emulator.clock.now()
    const job = await startJob(api, id)
    const seen: string[] = []
    let known = 0
    do {
      for (const { type } of (await listEvents(api, job)).slice(known)) {
        seen.push(`${(api.emulator.clock.now() - begun) / 1000} ${type}`)
        known++
      }
    } while (api.emulator.clock.next())
    return { api, id, job, seen }
  }

  it('can be pauses, stalls and checkpoints', async () => {
    const { api, id, job, seen } = await timed([
      start,
      { event: 'gradient_step', count: 2 },
      { event: 'pause', for: '1m' },
      { event: 'gradient_step', count: 1 },
      { event: 'checkpoint', after: '5s', metrics: { 'val/reward': 0.5 } },
      { event: 'stall' },
      { ...end, after: '2s' },
    ])
    const [s, g] = ['training_started', 'gradient_step']
    expect(seen).toEqual([`1 ${s}`, `2 ${g}`, `3 ${g}`, `64 ${g}`])
    const listed = (await api.get(`/preview/models/${id}/checkpoints`)).body.data
    expect(listed.map(({ step }: { step: number }) => step)).toEqual([0, 1])
    expect(listed[1].metrics['val/reward']).toBe(0.5)
    await caller(api.emulator, api.fetch)(`POST /jobs/${job}/resume`)
    api.emulator.clock.advance('2s')
    expect((await listEvents(api, job)).at(-1)!.type).toBe('training_ended')
    expect((await api.get(`/preview/models/${id}/checkpoints`)).body.data).toHaveLength(3)
  })

  it('vary in time with jitter', async () => {
    const steps: Steps = [start, { event: 'gradient_step', count: 20, jitter: '400ms' }, end]
    const { seen } = await timed(steps)
    const times = seen.map((line) => Number.parseFloat(line)).slice(0, 21)
    const gaps = times.slice(1).map((time, index) => time - times[index]!)
    for (const gap of gaps) expect(Math.abs(gap - 1)).toBeLessThanOrEqual(0.4001)
    expect(new Set(gaps).size).toBeGreaterThan(10)
  })

  it('add no checkpoint if the scenario says so', async () => {
    const { api, id } = await timed([start, { ...end, checkpoint: false }])
    expect((await api.get(`/preview/models/${id}/checkpoints`)).body.data).toHaveLength(1)
  })
})

it('a curve keeps the digits of small numbers', async () => {
  const curve = { curve: 'linear' as const, from: 5e-6, to: 1e-8 }
  const metrics = { learning_rate: curve, warmup: ({ step }: { step: number }) => step / 3e6 }
  const timeline = [start, { event: 'gradient_step' as const, count: 3, metrics }, end]
  await using emulator = createEmulator({ scenario: { name: 'x', jobs: [{ timeline }] } })
  const api = clientOf(emulator)
  const job = await startJob(api, (await createModel(api)).id)
  const events = (await listEvents(api, job)).slice(1, -1)
  expect(events.map(({ data }) => data.learning_rate)).toEqual([5e-6, 2.505e-6, 1e-8])
  expect(events.map(({ data }) => data.warmup)).toEqual([3.33333e-7, 6.66667e-7, 1e-6])
})

describeInProcess('spoiled metrics', (open) => {
  it('are sent in events as a service in Python sends them', async () => {
    const bad = ['NaN', 'Infinity', '-Infinity', 'missing', 'null', { text: 'n/a' }] as const
    const spoil = bad.map((each, index) => ({ at: index + 1, metric: 'loss', with: each }))
    const metrics = { loss: 1 }
    const timeline = [start, { event: 'gradient_step' as const, count: 7, metrics, spoil }, end]
    const api = await open({ scenario: { name: 'x', jobs: [{ timeline }] } })
    const { id } = await createModel(api)
    const job = await startJob(api, id)
    api.emulator.clock.advance('1m')
    const url = `${api.emulator.trainingUrl}/preview/training-jobs/${job}/events`
    const response = await api.fetch(url, { headers: bearer() })
    expect(response.headers.get('content-type')).toBe('application/json')
    const text = await response.text()
    expect(text.match(/"loss":[^,}]*/g)).toEqual([
      '"loss":NaN',
      '"loss":Infinity',
      '"loss":-Infinity',
      '"loss":null',
      '"loss":"n/a"',
      '"loss":1',
    ])
    const readable = text.replaceAll(/-?(?:NaN|Infinity)/g, '0')
    expect(JSON.parse(readable).data).toHaveLength(9)
  })

  it('are in the text of a step as null', async () => {
    const spoil = [{ at: 1, metric: 'loss', with: 'null' as const }]
    const timeline = [start, { event: 'gradient_step' as const, count: 1, spoil }, end]
    const api = await open({ scenario: { name: 'x', jobs: [{ timeline }] } })
    await startJob(api, (await createModel(api)).id)
    api.emulator.clock.advance('1m')
    const texts = api.emulator.journal.entries.flatMap((entry) => {
      return entry.kind === 'job' ? entry.text : []
    })
    expect(texts[1]).toBe('step 1 of 1, loss null, reward 0.5')
  })

  it('are null in a checkpoint, and its other metrics are numbers', async () => {
    const spoil = [
      { at: 1, metric: 'loss', with: 'NaN' as const },
      { at: 1, metric: 'entropy', with: { text: 'n/a' } },
    ]
    const timeline = [start, { event: 'gradient_step' as const, count: 1, spoil }, end]
    const api = await open({ scenario: { name: 'x', jobs: [{ timeline }] } })
    const { id } = await createModel(api)
    await startJob(api, id)
    api.emulator.clock.advance('1m')
    const { body } = await api.get(`/preview/models/${id}/checkpoints?order=desc&limit=1`)
    const { 'train/loss': loss, ...others } = body.data[0].metrics
    expect(loss).toBeNull()
    expect(Object.keys(others)).not.toContain('train/entropy')
    expect(Object.values(others).every(Number.isFinite)).toBe(true)
  })
})

it.each<[Steps, string]>([
  [[start, { event: 'stall' }], 'the last step must be training_ended, training_failed or never'],
  [[start, start, end], 'a job starts only once'],
])('a job rule with the steps %j is refused', (timeline, why) => {
  const scenario = { name: 'x', jobs: [{ timeline }] }
  expect(() => createEmulator({ scenario })).toThrow(why)
})
