import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFetch } from '../../../src/emulator/adapters/fetch.js'
import { createEmulator, type ScenarioInput } from '../../../src/index.js'
import { play } from '../../../src/tools/play/player.js'
import { readInput } from '../../../src/tools/recording/read-events.js'
import { recordingIn } from '../../../src/tools/recording/read-recording.js'
import { scenarioFrom, type MadeScenario } from '../../../src/tools/recording/scenario-from.js'
import { scenarioFromEvents } from '../../../src/tools/recording/scenario-from-job.js'
import { checkScenario } from '../../../src/service/scenario/check-scenario.js'
import { apiClient, type ApiClient } from '../../support/api-client.js'
import { recordedCall } from './recorded-call.js'
import { endOpen, recordCalls } from './recorded-calls.js'
import { allBlocks } from '../../support/pages.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { chat, createModel, startJob } from '../../support/trainer.js'

interface Options {
  contents?: 'redacted' | 'recorded'
  source?: string
  name?: string
}

/** Plays a scenario. Returns the calls of the client, and what it saw. */
async function recordedPlay(input: Omit<ScenarioInput, 'name'> = {}) {
  const scenario = checkScenario({ name: 'own', ...input })
  const emulator = createEmulator({ scenario, clock: 'manual' })
  const calls = recordCalls(emulator)
  const { jobs } = await play(emulator)
  return { recorded: endOpen(calls), jobs }
}

/** Plays a scenario, and makes one from the recording. */
async function remade(
  input: Omit<ScenarioInput, 'name'>,
  { contents = 'redacted', source = 'a test', name = 'made' }: Options = {},
): Promise<MadeScenario & { seen: Record<string, unknown>[][] }> {
  const { recorded, jobs } = await recordedPlay(input)
  const steps = jobs.map(({ events }) => events.filter(({ type }) => type === 'gradient_step'))
  const seen = steps.map((events) => events.map(({ data }) => data))
  return { ...scenarioFrom({ recorded, source, contents, name }), seen }
}

/** Makes the calls of a test, one after the other, and makes a scenario from the recording. */
async function remadeFromCalls(
  input: Omit<ScenarioInput, 'name'>,
  calls: (client: ApiClient, wait: (time: string) => void) => Promise<void>,
  lostTookEffect = false,
): Promise<MadeScenario> {
  const scenario = checkScenario({ name: 'own', ...input })
  const emulator = createEmulator({ scenario, clock: 'manual' })
  const recorded = recordCalls(emulator)
  const send = createFetch(emulator.handle, (url) => emulator.hostOf(url))
  await calls(apiClient(emulator, send), (time) => emulator.clock.advance(time))
  const source = 'a test'
  return scenarioFrom({ recorded, source, contents: 'recorded', name: 'made', lostTookEffect })
}

const ENDS = { event: 'training_ended' } as const
const STARTS = { event: 'training_started' } as const

it('an answer that was not recorded is named', async () => {
  const { recorded } = await recordedPlay()
  const [first, ...others] = recorded
  const { text } = scenarioFrom({
    recorded: [{ ...first!, text: '[not recorded: 93 bytes]' }, ...others],
    source: 'a test',
    name: 'made',
  })
  expect(text).toContain(
    '# 1 answer is not in the recording, so nothing shows what it said: createModel.',
  )
})

it('a call that never reached the service is no fault of it', async () => {
  const { recorded } = await recordedPlay()
  const first = { ...recorded[0]!, response: undefined, text: '' }
  const unreached = { ...first, end: { ...recorded[0]!.end!, how: 'unreached' as const } }
  const from = (calls: typeof recorded) => {
    return scenarioFrom({ recorded: calls, source: 'a test', name: 'made' })
  }
  const { text, scenario } = from([unreached, ...recorded])
  expect(scenario.faults).toEqual([])
  expect(text).toContain('1 request never reached the service, and is left out.')
  expect(text).not.toContain('took effect')
  expect(() => from([unreached])).toThrow(/^a test has 1 request, and none reached the service\./)
})

describe('jobs', () => {
  it('with the same lifecycle have one rule, and others are matched', async () => {
    const steps = { event: 'gradient_step', count: 2, metrics: METRICS } as const
    const failed = { event: 'training_failed', error_message: 'out of memory' } as const
    const { scenario } = await remade({
      jobs: [
        { match: { model: 'poet' }, timeline: [STARTS, steps, failed] },
        { timeline: [STARTS, steps, ENDS] },
      ],
      play: { jobs: [{ repeat: 2 }, { model: 'poet' }, { model: 'critic' }] },
    })
    expect(scenario.jobs.map(({ match }) => match)).toEqual([{ model: 'poet', ordinal: 1 }, {}])
    expect(scenario.jobs[0]!.timeline.at(-1)).toEqual({ ...failed, after: '1s' })
    expect(scenario.play.jobs).toMatchObject([
      { repeat: 2 },
      { model: 'poet' },
      { model: 'critic' },
    ])
  })

  it('of which there are more than one entry can have are all there', async () => {
    const { scenario } = await remade({
      jobs: [{ timeline: [STARTS, ENDS] }],
      play: { jobs: [{ repeat: 1000 }, { repeat: 5 }] },
    })
    expect(scenario.play.jobs).toMatchObject([{ repeat: 1000 }, { repeat: 5 }])
  })

  it('go on after a while in which nothing happened', async () => {
    const steps = { event: 'gradient_step', every: '2s', count: 2, metrics: METRICS } as const
    const { scenario } = await remade({
      jobs: [{ timeline: [STARTS, steps, { event: 'pause', for: '1m' }, steps, ENDS] }],
    })
    expect(scenario.jobs[0]!.timeline).toMatchObject([
      { event: 'training_started', after: '1s' },
      { event: 'gradient_step', every: '2s', count: 2 },
      { event: 'gradient_step', after: '62s', every: '2s', count: 2 },
      { event: 'training_ended', after: '1s' },
    ])
  })

  it('have another rhythm where their steps become slower', async () => {
    const quick = { event: 'gradient_step', every: '2s', count: 7, metrics: METRICS } as const
    const slow = { ...quick, every: '10s', count: 5 } as const
    const { scenario } = await remade({ jobs: [{ timeline: [STARTS, quick, slow, ENDS] }] })
    expect(scenario.jobs[0]!.timeline).toMatchObject([
      { event: 'training_started' },
      { event: 'gradient_step', every: '2s', count: 7 },
      { event: 'gradient_step', every: '10s', count: 5 },
      { event: 'training_ended' },
    ])
  })

  it('that wait for a job of the same model have the time of their own work', async () => {
    const steps = { event: 'gradient_step', every: '2s', count: 2, metrics: METRICS } as const
    const { scenario } = await remadeFromCalls(
      { jobs: [{ timeline: [STARTS, steps, ENDS] }] },
      async (client, wait) => {
        const { id } = await createModel(client)
        const jobs = [await startJob(client, id), await startJob(client, id)]
        for (let poll = 0; poll < 30; poll++) {
          wait('500ms')
          for (const job of jobs) await client.get(`/preview/training-jobs/${job}/events`)
        }
      },
    )
    expect(scenario.jobs).toMatchObject([
      { match: {}, timeline: [{ after: '1s' }, { every: '2s' }, { after: '1s' }] },
    ])
  })

  it('with irregular steps have the mean time between them, and a remark', async () => {
    const times = { every: '20s', jitter: '15s', count: 100 } as const
    const steps = { event: 'gradient_step', ...times, metrics: METRICS } as const
    const { text, scenario } = await remade({ jobs: [{ timeline: [STARTS, steps, ENDS] }] })
    expect(scenario.jobs[0]!.timeline[1]).toMatchObject({
      every: expect.stringMatching(/^(?:1[89]|2[01])/),
      count: 100,
    })
    expect(text.replaceAll('\n# ', ' ')).toContain(
      'Job 1 of my-model: its steps came at irregular times. Here they have the mean time between them.',
    )
  })

  it('that never end say so, with the time that a client waited', async () => {
    const { text, scenario } = await remade({ jobs: [{ timeline: [STARTS, { event: 'never' }] }] })
    expect(scenario.jobs[0]!.timeline.at(-1)).toMatchObject({
      event: 'training_failed',
      error_message: 'not in the recording: how this job ended',
    })
    expect(text.replaceAll('\n# ', ' ')).toContain(
      'Partial: nothing shows how the job ended. Job 1 of my-model: it was running when the client last asked, 10m and 600 polls after training started. Here it fails after that with "not in the recording: how this job ended". If it is stuck, write event: never in place of that.',
    )
  })

  it('have the checkpoints that lists and chats showed, and when they did', async () => {
    const checkpoint = { metrics: { score: 0.9 }, served_after: '4s', expires_after: '30s' }
    const added = { do: 'add_checkpoint', metrics: { score: 0.5 } } as const
    const { scenario } = await remadeFromCalls(
      {
        jobs: [
          {
            timeline: [
              STARTS,
              { event: 'gradient_step', every: '2s', count: 3, metrics: METRICS },
              { ...ENDS, checkpoint },
            ],
          },
        ],
        timeline: [{ ...added, after: { event: 'gradient_step', step: 2 } }],
      },
      async (client, wait) => {
        const { id, entity } = await createModel(client)
        const job = await startJob(client, id)
        const model = `artifact:///${entity}/my-project/my-model:step2`
        for (let poll = 0; poll < 50; poll++) {
          wait('1s')
          await client.get(`/preview/training-jobs/${job}/events`)
          await client.get(`/preview/models/${id}/checkpoints`)
          if (poll > 8 && poll < 20) await chat(client, 'Hi', { model })
        }
      },
    )
    expect(scenario.timeline).toMatchObject([
      { ...added, after: { event: 'gradient_step', step: 2 } },
    ])
    expect(scenario.jobs[0]!.timeline.at(-1)).toMatchObject({ ...ENDS, checkpoint })
  })

  describe.each([
    'lists and submits again',
    'submits again and lists',
    'submits what fails and lists',
    'lists',
  ])('whose client lost an answer, and then %s,', (then) => {
    it.each(['after', 'before'] as const)('say if it was lost %s the work', async (stage) => {
      const match = { operation: 'createRlTrainingJob' }
      const { scenario, losses } = await remadeFromCalls(
        {
          faults: [
            { fault: 'drop', match, calls: 2, stage },
            ...(then.includes('fails') ? [{ fault: 'fail_job' as const, calls: 3 }] : []),
          ],
        },
        async (client, wait) => {
          const { id } = await createModel(client)
          const list = () => client.get(`/preview/models/${id}/checkpoints`)
          const train = async () => {
            const job = await startJob(client, id)
            wait('1m')
            await client.get(`/preview/training-jobs/${job}/events`)
          }
          await train()
          if (!then.includes('fails')) await list()
          await expect(startJob(client, id)).rejects.toThrow('fetch failed')
          wait('1m')
          if (then === 'lists and submits again') await list()
          if (then !== 'lists') await train()
          await list()
        },
      )
      expect(scenario.faults).toMatchObject([{ fault: 'drop', calls: 2, stage }])
      expect(losses.length).toBe(stage === 'after' ? 0 : 1)
    })
  })

  it.each(['after', 'before'] as const)(
    'go on in the same way if an answer was lost %s the work, and the user says which',
    async (stage) => {
      const match = { operation: 'createRlTrainingJob' }
      const polled = { operation: 'getTrainingJob' }
      const seen: unknown[] = []
      const client = async (api: ApiClient, wait: (time: string) => void) => {
        const { id } = await createModel(api)
        await api.get(`/preview/models/${id}`)
        await expect(startJob(api, id)).rejects.toThrow('fetch failed')
        wait('1h')
        for (const polls of [1, 2]) {
          const job = await startJob(api, id)
          wait('1h')
          for (let poll = 0; poll < polls; poll++) {
            const { status, body } = await api.get(`/preview/training-jobs/${job}`)
            seen.push([status, body.status, body.error_message])
          }
          const { body } = await api.get(`/preview/training-jobs/${job}/events`)
          seen.push(body.data?.map((event: { type: string }) => event.type))
        }
      }
      const hidden = stage === 'after' ? 1 : 0
      const input: Omit<ScenarioInput, 'name'> = {
        faults: [
          { fault: 'drop', match, calls: 1, stage },
          { fault: 'status', status: 503, match: polled, calls: 2 },
        ],
        jobs: [
          {
            match: { ordinal: 2 + hidden },
            timeline: [
              { ...STARTS, after: '1s' },
              { event: 'training_failed', after: '2s', error_message: 'worker lost' },
            ],
          },
        ],
      }
      const made = await remadeFromCalls(input, client, stage === 'after')
      expect(made.scenario.faults[0]).toMatchObject({ fault: 'drop', calls: 1, stage })
      const truth = seen.splice(0)
      expect(JSON.stringify(truth)).toMatch(/"training_ended".*503.*worker lost/)
      await remadeFromCalls(made.scenario, client)
      expect(seen).toEqual(truth)
      expect(made.losses.length).toBe(stage === 'after' ? 0 : 1)
      const note = 'Job 1 of my-model: --lost-took-effect says that a call of createRlTrainingJob'
      expect(made.text.replaceAll('\n# ', ' ').includes(note)).toBe(stage === 'after')
    },
  )

  it('that nobody saw count in each number that the file says', async () => {
    const match = { operation: 'createRlTrainingJob' }
    const fault = { fault: 'status', status: 504, calls: 1, stage: 'after', match } as const
    const made = await remadeFromCalls({ faults: [fault] }, async (client, wait) => {
      const { id } = await createModel(client)
      for (const isLast of [false, false, true]) {
        const job = await startJob(client, id)
        wait(isLast ? '3s' : '1h')
        if (job) await client.get(`/preview/training-jobs/${job}/events`)
        await client.get(`/preview/models/${id}/checkpoints`)
      }
    })
    expect(made.missing.map(({ seen }) => seen)).toEqual([
      expect.stringMatching(/^Job 3 of my-model: it was running/),
    ])
    const { jobs } = made.scenario
    // The rule of the third job comes last, and has no `match`.
    expect(jobs.map(({ match: which }) => which)).toEqual([{ ordinal: 1 }, { ordinal: 2 }, {}])
    expect(jobs[2]!.timeline.at(-1)).toMatchObject({
      error_message: 'not in the recording: how this job ended',
    })
    const text = made.text.replaceAll('\n# ', ' ')
    expect(text).toContain('nothing shows how 1 of 3 jobs ended.')
    expect(text).toContain('Job 1 of my-model: its checkpoint shows that a call')
    expect(text).toContain('description: A recording of 3 jobs and ')
  })
})

const METRICS = { loss: 0.5, policy_loss: 0.4, entropy: 1, grad_norm: 1 }

describe('metrics', () => {
  const loss = { curve: 'exponential', from: 2.4, to: 0.3, noise: 0.02 } as const
  const long = { event: 'gradient_step', every: '10ms', count: 3000 } as const

  it('of 3,000 steps are lists whose lines fit on a screen', async () => {
    const metrics = { ...METRICS, loss }
    const { text, scenario, seen } = await remade({
      jobs: [{ timeline: [STARTS, { ...long, metrics }, ENDS] }],
    })
    const losses = seen[0]!.map(({ loss: value }) => value)
    expect(losses).toHaveLength(3000)
    expect(scenario.jobs[0]!.timeline[1]).toMatchObject({
      count: 3000,
      metrics: { loss: { curve: 'list', values: losses } },
    })
    const widest = Math.max(
      ...text
        .split('\n')
        .slice(1)
        .map(({ length }) => length),
    )
    expect(widest).toBeLessThanOrEqual(100)
  })

  it('are left out where the file would be longer than a scenario may be', async () => {
    const names = Array.from({ length: 5 }, (_, index) => `m${index}`)
    const metrics = Object.fromEntries(names.map((name) => [name, loss]))
    const { text, scenario } = await remade({
      jobs: [{ timeline: [STARTS, { ...long, metrics }, ENDS] }],
      play: { jobs: [{ model: 'poet' }, { model: 'critic' }] },
    })
    const steps = scenario.jobs.map(({ timeline }) => timeline[1] as { metrics: object })
    expect(steps.map((step) => Object.keys(step.metrics).length > 0)).toEqual([true, false])
    expect(text).toContain(
      '# Job 1 of critic: its metrics are left out, because a scenario cannot be as long.',
    )
  })
})

describe('faults', () => {
  const match = { operation: 'listTrainingJobEvents' }
  const jobs: ScenarioInput['jobs'] = [
    { timeline: [STARTS, { event: 'gradient_step', count: 20, metrics: METRICS }, ENDS] },
  ]

  it.each<[string, NonNullable<ScenarioInput['faults']>[number]]>([
    ['a refusal', { fault: 'status', status: 503, match, calls: 3, retry_after: '2s' }],
    ['a refusal in words', { fault: 'status', status: 500, match, calls: 3, message: 'A bug.' }],
    ['an odd body', { fault: 'status', status: 502, match, calls: 3, body: { up: 'stream' } }],
    [
      'a refusal of a chat in words',
      {
        fault: 'status',
        status: 500,
        match: { operation: 'createInferenceChatCompletion' },
        calls: 1,
        message: 'A bug.',
      },
    ],
    ['a lost connection', { fault: 'drop', match, calls: [4, 8, 9] }],
    ['half an answer', { fault: 'drop', match, calls: 2, stage: 'mid_body' }],
    ['no answer', { fault: 'hang', match, calls: 5 }],
    ['a page that begins too early', { fault: 'page_overlap', match, calls: 4 }],
    ['a page that begins two events too early', { fault: 'page_overlap', match, calls: 6, by: 2 }],
    ['a late answer', { fault: 'delay', match, calls: 3, delay: '250ms' }],
  ])('%s is found', async (_name, fault) => {
    const { scenario } = await remade({ jobs, faults: [fault] })
    expect(scenario.faults).toMatchObject([fault])
  })

  const refused = { fault: 'status', status: 503 } as const

  it.each<[string, object, object]>([
    ['a run of refusals', { calls: { from: 3, to: 7 } }, { from: 3, to: 7 }],
    ['refusals from a call on', { calls: { from: 3 } }, { from: 3, to: 22 }],
    ['a rhythm', { calls: { from: 2, every: 3 } }, { from: 2, to: 26, every: 3 }],
    ['two refusals', { calls: [2, 5] }, [2, 5]],
    ['a pause of the service', { during: { from: '5s', to: '9s' } }, { from: 6, to: 9 }],
  ])('have the calls that were seen, and no more: %s', async (_name, which, calls) => {
    const { scenario } = await remade({ jobs, faults: [{ ...refused, match, ...which }] })
    expect(scenario.faults).toMatchObject([{ ...refused, match, calls }])
    expect(scenario.faults[0]!.calls).toEqual(calls)
  })

  it.each([
    ['a dropped connection', { fault: 'drop' }, true],
    ['the answer of a gateway', { fault: 'status', status: 502 }, true],
    ['a refusal of the service', { fault: 'status', status: 429 }, false],
  ] as const)('say when nothing shows what a call did: %s', async (_what, fault, isUnknown) => {
    const { text } = await remadeFromCalls(
      { faults: [{ ...fault, match: { operation: 'createModel' }, calls: 2 }] },
      async (client) => {
        await createModel(client, 'one')
        await createModel(client, 'two').catch(() => {})
        await client.get('/preview/models')
      },
    )
    const note =
      'Nothing shows whether call 2 of createModel took effect: the service gave no answer. Here it took none. If it did, make the scenario with --lost-took-effect.'
    expect(text.replaceAll('\n# ', ' ').includes(note)).toBe(isUnknown)
  })

  it.each([
    ['text/html; charset=utf-8', '<html>A gateway</html>', 'html'],
    ['text/plain', 'A gateway', 'not_json'],
    ['application/json', '{"detail": "A gate', 'truncated'],
  ])('have a body of the type %s, although it was not recorded', (type, body, form) => {
    const request = { method: 'GET', path: '/v1/preview/base-models' } as const
    const headers = { 'content-type': type }
    const recorded = [
      { status: 504, body: { detail: 'Gateway Timeout' } },
      { status: 504, headers, body },
      { headers, body },
    ].flatMap((answer, index) => {
      const { exchanges } = recordingIn(recordedCall(request, answer).text, 'a test')
      return exchanges.map((each) => ({ ...each, request: { ...each.request, id: index + 1 } }))
    })
    const { scenario } = scenarioFrom({ recorded, source: 'a test', name: 'made' })
    const operation = { operation: 'listBaseModels' }
    expect(scenario.faults).toMatchObject([
      { fault: 'malformed', match: operation, calls: [2, 3], form },
      { fault: 'status', match: operation, calls: [1, 2], status: 504 },
    ])
  })

  it('are listed for each operation, however many they are', async () => {
    const numbers = Array.from({ length: 60 }, (_, index) => index + 1)
    const faults = [
      {
        ...refused,
        match: { operation: 'listBaseModels' },
        calls: numbers.filter((number) => number % 3 === 1 || number % 7 === 2),
      },
      {
        ...refused,
        match: { operation: 'listServedModels' },
        calls: numbers.filter((number) => number % 3 === 2 || number % 11 === 0),
      },
    ]
    const { scenario } = await remadeFromCalls({ faults }, async (client) => {
      for (const _number of numbers) {
        await client.get('/preview/base-models')
        await client.inference.get('/models')
      }
    })
    expect(scenario.faults).toMatchObject(faults)
  })

  it('are not refusals that the emulator has by itself', async () => {
    const rollout = { ask: 'Hi', reward: 'x', request: { max_tokens: 500 } }
    const { scenario } = await remade({
      chat: { context_window: 300 },
      play: { jobs: [{ rollout }] },
    })
    expect(scenario.faults).toEqual([])
    expect(scenario.chat.context_window).toBe(300)
  })

  it('are chats that were refused, of a model that answered others', async () => {
    const operation = 'createChatCompletion' as const
    const fault = { fault: 'status', status: 404, match: { operation }, calls: 2 } as const
    const { scenario } = await remadeFromCalls({ faults: [fault] }, async (client) => {
      for (let call = 0; call < 3; call++) await chat(client, 'Hi')
    })
    expect(scenario.faults).toMatchObject([fault])
  })

  it.each(['asc', 'desc'])('are pages that show it themselves, in the order %s', async (order) => {
    const faults = [
      { fault: 'page_limit', match, calls: 2, limit: 3 },
      { fault: 'page_repeat', match, calls: 3 },
      { fault: 'page_overlap', match, calls: 4, by: 7 },
      { fault: 'page_restart', match, calls: 5 },
      { fault: 'page_empty', match, calls: 6 },
    ] as const
    const { scenario } = await remadeFromCalls(
      { jobs, faults: [...faults] },
      async (client, wait) => {
        const { id } = await createModel(client)
        const job = await startJob(client, id)
        const path = `/preview/training-jobs/${job}/events?limit=5&order=${order}`
        wait('1m')
        let after = ''
        for (let call = 0; call < 6; call++) {
          const { body } = await client.get(`${path}${after}`)
          const last = body.data.at(-1) as { id: string } | undefined
          if (last) after = `&after=${last.id}`
        }
      },
    )
    expect(scenario.faults).toMatchObject([...faults])
  })

  it('are delays of each call, and one for all of an operation if they are many', async () => {
    const delay = { fault: 'delay', delay: { median: '400ms', p99: '2s' }, match } as const
    const { text, scenario } = await remade({ jobs, faults: [delay] })
    expect(scenario.faults).toMatchObject([
      { fault: 'delay', match, delay: expect.stringMatching(/^[345]\d0ms$/) },
    ])
    expect(text.replaceAll('\n# ', ' ')).toMatch(
      /\d+ answers to listTrainingJobEvents took \d+ms to .*\. Here each takes as long as the middle one\./,
    )
  })
})

describe('chats', () => {
  const rollout = { ask: 'Name a color.', reward: 'Blue', calls: 'each' } as const
  const rules = [{ match: { user: { is: 'Name a color.' } }, answers: ['Blue.', 'Green.'] }]

  it('have rules with their answers, if contents were recorded', async () => {
    const input = { chat: { rules }, play: { jobs: [{ rollout }] } }
    const { scenario } = await remade(input, { contents: 'recorded' })
    const answers = ['Blue.', 'Green.', 'Green.', 'Green.']
    expect(scenario.chat.rules[0]).toMatchObject({ ...rules[0]!, answers })
  })

  it('have rules with the answers of streams, too', async () => {
    const { scenario } = await remadeFromCalls({ chat: { rules } }, async (client) => {
      await chat(client, 'Name a color.', { stream: true })
      await chat(client, 'Name a color.', { stream: true })
    })
    expect(scenario.chat.rules).toMatchObject([
      { match: { user: { is: 'Name a color.' } }, answers: ['Blue.', 'Green.'] },
    ])
  })
})

describe('the file', () => {
  it('is that of docs/how-to/record.md', async () => {
    const steps = { event: 'gradient_step', every: '2s' } as const
    const loss = { curve: 'exponential', from: 2, to: 0.3 } as const
    const { text } = await remade(
      {
        jobs: [
          {
            num_sequences: 6,
            timeline: [
              STARTS,
              { ...steps, count: 4, metrics: { ...METRICS, loss } },
              { event: 'training_failed', after: '2s', error_message: 'worker lost' },
            ],
          },
        ],
        faults: [
          {
            fault: 'status',
            status: 503,
            retry_after: '2s',
            match: { operation: 'createRlTrainingJob' },
            calls: 1,
          },
          { fault: 'drop', match: { operation: 'listCheckpoints' }, calls: 1 },
        ],
      },
      { source: 'recording', name: 'incident' },
    )
    const shown = allBlocks().find(({ language, code }) => {
      return language === 'yaml' && code.includes('# Made from recording')
    })
    expect(text).toBe(shown?.code)
  })
})

const EVENTS = [
  { id: 'a', type: 'training_started', data: { num_sequences: 2 } },
  { id: 'b', type: 'gradient_step', data: { loss: 0.5 } },
  { id: 'c', type: 'gradient_step', data: { loss: 0.4 } },
  { id: 'd', type: 'training_failed', data: { error_message: 'gone' } },
]

describe('saved events', () => {
  const page = { object: 'list', data: EVENTS.slice(0, 2), has_more: true }
  const rest = { object: 'list', data: EVENTS.slice(1), has_more: false }

  it.each<[string, string]>([
    ['a page', JSON.stringify({ ...page, data: EVENTS })],
    ['an array of pages', JSON.stringify([page, rest])],
    ['an array of events', JSON.stringify(EVENTS)],
    ['events, one per line', EVENTS.map((event) => JSON.stringify(event)).join('\n')],
    ['pages, one per line', `${JSON.stringify(page)}\n${JSON.stringify(rest)}\n`],
  ])('are read from %s', async (_name, text) => {
    const file = join(temporaryFolder(), 'events.json')
    writeFileSync(file, text)
    const input = await readInput(file)
    expect(input.kind).toBe('events')
    if (input.kind !== 'events') return
    const { scenario } = scenarioFromEvents(input.events, { source: 'events.json', name: 'one' })
    expect(scenario.jobs[0]!.timeline).toMatchObject([
      { event: 'training_started', after: '1s' },
      { event: 'gradient_step', every: '1s', count: 2 },
      { event: 'training_failed', after: '1s', error_message: 'gone' },
    ])
  })

  const [begin, step1, step2, last] = EVENTS as [object, object, object, object]
  const TIMES = ['01', '02', '03', '05'].map((second) => `2026-01-01T00:00:${second}Z`)
  const withTimes = EVENTS.map((event, index) => ({ ...event, created_at: TIMES[index] }))
  const OTHER_ORDER =
    'The job: its events are not in the order of time. Here they are, from the oldest to the newest.'

  it.each<[string, readonly object[], string[]]>([
    ['are as they were', EVENTS, []],
    ['have the newest first', EVENTS.toReversed(), [OTHER_ORDER]],
    [
      'have the newest page first',
      [...withTimes.slice(2), ...withTimes.slice(0, 2)],
      [OTHER_ORDER],
    ],
    [
      'have no start',
      [step1, step2, last],
      [
        'The job: no event is its start, so events before step 1 may be missing. Here it starts just before.',
      ],
    ],
    [
      'have two ends',
      [...EVENTS, { id: 'e', type: 'training_ended', data: {} }],
      ['The job: it has 2 events training_failed, training_ended. Here only the first counts.'],
    ],
    [
      'go on after the end',
      [begin, step1, last, step2],
      [
        'The job: some of its steps come before its start or after its end. Here all are between them.',
      ],
    ],
  ])(
    'that %s are in order, or the file and the command say what is not',
    (_name, events, losses) => {
      const made = scenarioFromEvents(events as never, { source: 'events.json', name: 'one' })
      expect(made.losses).toEqual(losses)
      expect(made.text.replaceAll('\n# ', ' ')).toContain(losses.join(' '))
      expect(made.scenario.jobs[0]!.timeline).toMatchObject([
        { event: 'training_started' },
        { count: 2, metrics: { loss: { values: [0.5, 0.4] } } },
        { event: 'training_failed', error_message: 'gone' },
      ])
    },
  )

  it('that have other types or fields say which were meant', () => {
    const misspelled = { ...step1, type: 'gradient_stepp' }
    const end = { ...last, data: { error: 'gone' } }
    const { losses, text } = scenarioFromEvents([begin, misspelled, step2, end] as never, {
      source: 'events.json',
      name: 'one',
    })
    expect(losses).toEqual([
      'The job: its events gradient_stepp are left out. Did you mean "gradient_step"?',
      'The job: its end has error, and no error_message.',
    ])
    expect(text).toContain('# The job: its error message is not known')
  })

  /** The events, with more data in the steps. */
  const withData = (...more: readonly Record<string, unknown>[]): typeof EVENTS => {
    const [start, one, two, end] = EVENTS
    const [first, second] = [one, two].map((step, index) => {
      return { ...step!, data: { ...step!.data, ...more[index] } }
    })
    return [start!, first!, second!, end!] as typeof EVENTS
  }

  it('keep the metrics that are numbers, and say which are none', () => {
    const others = { layers: { first: 1 }, warm: true, ['__proto__']: 1 }
    const events = withData(others, { word: 'n/a' })
    const { text, scenario } = scenarioFromEvents(events, { source: 'events.json', name: 'one' })
    expect(scenario.jobs[0]!.timeline[1]).toMatchObject({
      metrics: { loss: { curve: 'list', values: [0.5, 0.4] } },
    })
    expect(text).toContain('# Made from the 4 events in events.json.')
    expect(text).toContain('the metric layers is left out: it is not a number.')
    expect(text).toContain('the metric warm is left out: it is not a number.')
    expect(text).toContain('the metric __proto__ is left out: its name is reserved.')
    expect(text).toContain('{ at: 2, metric: word, with: { text: n/a } }')
  })

  it.each(['valueOf', 'constructor'])('keep a metric that is named %s', (name) => {
    const { scenario } = scenarioFromEvents(withData({ [name]: 0.25 }), {
      source: 'events.json',
      name: 'one',
    })
    expect(scenario.jobs[0]!.timeline[1]).toMatchObject({
      metrics: { [name]: 0.25 },
      spoil: expect.arrayContaining([{ at: 2, metric: name, with: 'missing' }]),
    })
  })

  it('of a supervised job play one', () => {
    const steps = EVENTS.map((event) => {
      return event.type === 'gradient_step'
        ? { ...event, data: { ...event.data, gradient_step: 1 } }
        : event
    })
    const { scenario } = scenarioFromEvents(steps, { source: 'events.json', name: 'one' })
    expect(scenario.play.jobs).toMatchObject([{ kind: 'sft' }])
  })

  it('have their usual times where one is none', () => {
    const timed = EVENTS.map((event) => ({ ...event, created_at: Infinity }))
    const { scenario } = scenarioFromEvents(timed, { source: 'events.json', name: 'one' })
    expect(scenario.jobs[0]!.timeline).toMatchObject([{ after: '1s' }, {}, { after: '1s' }])
  })
})

describe('something else', () => {
  it.each<[string, string, RegExp]>([
    ['an empty file', '', /is empty\. Expected a recording/],
    [
      'a page without events',
      '{"data": [], "has_more": false}',
      /has no events, so there is no job/,
    ],
    ['other JSON', '{"a": 1}', /its item 1 is \{"a":1\}, not an event such as/],
    ['a text', 'hello\nworld', /is not JSON: line 1 is "hello"/],
    ['half a recording', '{"type":"request","id":1}', /Expected a recording|is wrong|begins with/],
  ])('is refused: %s', async (_name, text, message) => {
    const file = join(temporaryFolder(), 'input.json')
    writeFileSync(file, text)
    await expect(readInput(file)).rejects.toThrow(message)
  })

  it('is refused: a recording without a call of the service', () => {
    const request = {
      type: 'request',
      id: 1,
      at: 0,
      host: 'training',
      method: 'GET',
      path: '/favicon.ico',
      query: '',
      headers: {},
    } as const
    const from = (recorded: Parameters<typeof scenarioFrom>[0]['recorded']) => () =>
      scenarioFrom({ recorded, source: 'rec', name: 'made' })
    expect(from([])).toThrow(/^rec has no requests, so there is nothing to make a scenario from/)
    expect(from([{ request, text: '' }])).toThrow(/none of an operation of the service: GET \/fav/)
    const listing = { ...request, host: 'inference', path: '/models' } as const
    const har = [{ request: listing, text: '' }]
    expect(() => scenarioFrom({ recorded: har, kind: 'har', source: 'rec', name: 'made' })).toThrow(
      /only calls that other services have, too\. It has listServedModels\./,
    )
  })

  it('is refused: events of something else', () => {
    const events = [{ id: 'a', type: 'message', data: {} }]
    expect(() => scenarioFromEvents(events, { source: 'e.json', name: 'one' })).toThrow(
      /e\.json has events, but none of a training job: message\. Expected training_started/,
    )
  })
})
