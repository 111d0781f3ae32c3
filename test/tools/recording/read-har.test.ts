import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEmulator, type Emulator } from '../../../src/index.js'
import { callsOfHar } from '../../../src/tools/recording/read-har.js'
import { readInput } from '../../../src/tools/recording/read-events.js'
import { scenarioFrom, type MadeScenario } from '../../../src/tools/recording/scenario-from.js'
import { checkScenario } from '../../../src/service/scenario/check-scenario.js'
import type { Scenario } from '../../../src/service/scenario/scenario.js'
import { clientOf } from '../../support/api-client.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { chat, createModel, listEvents, startJob } from '../../support/trainer.js'

const NCCL = 'NCCL watchdog: rank 3 lost'
const RULES = [{ match: { user: { is: 'Name a color.' } }, answer: 'Blue.' }]
const WITHOUT_CONTENTS =
  'The contents of 1 chat were not recorded, so answers are invented. Their finish reasons: 1 × stop. Write the file without --without-contents to have them.'

/** A client that chats, and polls a job until it is over. Every fourth poll is refused. */
async function run(emulator: Emulator): Promise<void> {
  const client = clientOf(emulator)
  await chat(client, 'Name a color.')
  const { id } = await createModel(client, { name: 'poet' })
  const job = await startJob(client, id)
  for (let poll = 0; poll < 20; poll++) {
    emulator.clock.advance('2s')
    await client.get(`/preview/training-jobs/${job}`)
  }
}

function incident(): Emulator {
  const scenario = checkScenario({
    name: 'own',
    chat: { rules: RULES },
    jobs: [
      {
        timeline: [
          { event: 'training_started', after: '7s' },
          { event: 'gradient_step', every: '10s', count: 2 },
          { event: 'training_failed', after: '3500ms', error_message: NCCL },
        ],
      },
    ],
    faults: [
      {
        fault: 'status',
        status: 503,
        match: { operation: 'getTrainingJob' },
        calls: { from: 4, every: 4 },
      },
    ],
  })
  const emulator = createEmulator({ scenario, clock: 'manual' })
  onTestFinished(() => emulator.close())
  return emulator
}

function saved(text: string, name = 'requests.har'): string {
  const file = join(temporaryFolder(), name)
  writeFileSync(file, text)
  return file
}

async function scenarioOf(text: string, world?: string): Promise<MadeScenario> {
  const input = await readInput(saved(text), { world })
  if (input.kind === 'events' || input.kind === 'played') throw new Error('It has no calls.')
  return scenarioFrom({ ...input, source: 'requests.har', name: 'made' })
}

function expectIncident({ scenario, missing }: MadeScenario): void {
  expect(missing).toEqual([])
  expect(scenario.jobs).toMatchObject([
    {
      timeline: [
        { event: 'training_started', after: '7s' },
        { event: 'gradient_step', every: '10s', count: 2 },
        { event: 'training_failed', after: '3500ms', error_message: NCCL },
      ],
    },
  ])
  expect(scenario.faults).toMatchObject([
    { fault: 'status', status: 503, calls: { from: 4, every: 4 } },
  ])
}

/** A call of a client, as the developer tools of a browser save it. */
function entry(at: number, call: string, answer: object, more: object = {}) {
  const [method = '', url = ''] = call.split(' ')
  const text = JSON.stringify(answer)
  return {
    startedDateTime: new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString(),
    time: 40,
    timings: { blocked: 1, send: 1, wait: 30, receive: 8 },
    request: { method, url, httpVersion: 'h2', headers: [], queryString: [], cookies: [] },
    response: {
      status: 200,
      statusText: '',
      headers: [{ name: 'Content-Type', value: 'application/json' }],
      content: { size: text.length, mimeType: 'application/json', text },
      redirectURL: '',
    },
    ...more,
  }
}

const JOBS = 'https://api.example.com/training/v1/preview/training-jobs'

function harOf(...entries: object[]): string {
  const creator = { name: 'WebInspector', version: '537.36' }
  return JSON.stringify({ log: { version: '1.2', creator, pages: [], entries } }, null, 2)
}

const POLLS = [
  entry(0, `POST ${JOBS}`, { id: 'j1' }),
  entry(10, `GET ${JOBS}/j1`, { id: 'j1', status: 'queued' }),
  entry(20, `GET ${JOBS}/j1`, { id: 'j1', status: 'running' }),
  entry(60, `GET ${JOBS}/j1`, { id: 'j1', status: 'failed', error_message: NCCL }),
]

/** Changes what the file has of each answer. */
function withContents(change: (text: string, index: number) => object): object[] {
  return POLLS.map((each, index) => {
    const { text, ...content } = each.response.content
    return {
      ...each,
      response: { ...each.response, content: { ...content, ...change(text, index) } },
    }
  })
}

describe('a HAR file of the emulator', () => {
  it('has the webhooks with their copies, and no retry or resend counts as a copy', async () => {
    const scenario = checkScenario({
      name: 'own',
      secrets: { SIGN: 'very-secret-value' },
      webhooks: [
        {
          name: 'hook',
          secret: 'SIGN',
          retries: ['1s', '1s'],
          adversary: [{ do: 'duplicate', deliveries: 3 }],
        },
      ],
      automations: [{ name: 'tell', webhook: 'hook', event: 'CREATE_ARTIFACT', payload: '{}' }],
    })
    /** Counts how often each delivery of three jobs comes, if the receiver takes the first one late. */
    const deliveries = async (emulator: Emulator): Promise<number[]> => {
      emulator.createSink().answer({ status: 503, times: 2 })
      const client = clientOf(emulator)
      const { id } = await createModel(client, { name: 'poet' })
      for (let job = 0; job < 3; job++) await startJob(client, id)
      await emulator.settle()
      return emulator.webhooks.deliveries.map(({ attempts }) => attempts.length)
    }
    await using first = createEmulator({ scenario, clock: 'manual' })
    expect(await deliveries(first)).toEqual([3, 1, 2])
    await first.webhooks.resend(first.webhooks.deliveries[1]!.id)
    const har = JSON.stringify(await first.har())
    expect(har).not.toContain('very-secret-value')
    for (const text of [har, await first.report()]) {
      const made = await scenarioOf(text)
      expect(made.text.replaceAll('\n# ', ' ')).toContain('Webhooks are those of the run.')
      await using second = createEmulator({ scenario: made.scenario, clock: 'manual' })
      expect(await deliveries(second)).toEqual([3, 1, 2])
    }
  })

  it('has what faults changed about answers, or says that the scenario does not have it', async () => {
    const faults = [
      { fault: 'edit', match: { operation: 'get*' }, remove: ['error_message'] },
      { fault: 'edit', match: { operation: 'list*' }, calls: 2, set: { 'data.0.type': 'private' } },
      { fault: 'content_type', match: { operation: 'list*' }, content_type: 'text/plain' },
    ] as const
    await using emulator = createEmulator({
      scenario: checkScenario({ name: 'a clock of mine', faults: [...faults] }),
      clock: 'instant',
    })
    const client = clientOf(emulator)
    const { id } = await createModel(client, { name: 'poet' })
    const job = await startJob(client, id)
    await client.get(`/preview/training-jobs/${job}`)
    const events = `/preview/training-jobs/${job}/events`
    for (let poll = 0; poll < 3; poll++) await client.get(events)
    const [ofJob, ofEvents, type] = faults
    const match = { operation: 'listTrainingJobEvents' }
    const known = [
      { ...ofJob, match: { operation: 'getTrainingJob' } },
      { ...type, match },
    ]
    const made = await scenarioOf(JSON.stringify(await emulator.har()))
    expect(made.scenario.faults).toMatchObject([...known, { ...ofEvents, match }])
    expect(made.scenario.faults.map(({ calls }) => calls)).toEqual([undefined, undefined, 2])
    expect(made.losses).toEqual([])
    expect(made.clock).toBe('instant')
    const har = JSON.stringify(await emulator.har({ contents: 'redacted' }))
    expect(har).not.toMatch(/"set":/)
    const redacted = await scenarioOf(har)
    expect(redacted.scenario.faults).toMatchObject(known)
    expect(redacted.losses).toEqual([
      '1 answer was changed by fault 2 (edit); the scenario does not have that.',
    ])
    expect(redacted.text.replaceAll('\n# ', ' ')).toContain(redacted.losses[0])
  })

  /** The faults of a file of another tool with one call, which got this response. */
  async function faultsOf(response: object, wait = 1): Promise<Scenario['faults']> {
    await using emulator = createEmulator({ clock: 'manual' })
    await clientOf(emulator).get('/preview/base-models')
    const { log } = await emulator.har()
    const entries = log.entries.map(({ _svtrain, ...call }) => {
      const timings = { ...call.timings, wait }
      return { ...call, time: wait, timings, response: { ...call.response, ...response } }
    })
    const har = { log: { ...log, creator: { name: 'another', version: '1' }, entries } }
    return (await scenarioOf(JSON.stringify(har))).scenario.faults
  }

  it.each([
    ['no status', { status: 0, _error: 'net::ERR_EMPTY_RESPONSE' }, {}],
    ['a status below 0', { status: -1, _failureText: 'net::ERR_EMPTY_RESPONSE' }, {}],
    ['nobody who listens', { status: 0, _error: 'net::ERR_CONNECTION_REFUSED' }, {}],
    ['a system that gave up', { status: 0, _error: 'net::ERR_CONNECTION_ABORTED' }, {}],
    ['no reason', { status: 0 }, {}],
    [
      'the status of what broke off',
      { _error: 'net::ERR_INCOMPLETE_CHUNKED_ENCODING' },
      { stage: 'mid_body' },
    ],
  ])('of another tool has lost calls, with %s', async (_what, response, place) => {
    expect(await faultsOf(response)).toMatchObject([{ fault: 'drop', calls: 1, ...place }])
  })

  it.each([
    ['net::ERR_TIMED_OUT', {}],
    ['net::ERR_CONNECTION_TIMED_OUT', {}],
    ['NS_ERROR_NET_TIMEOUT', {}],
    ['The request timed out.', {}],
    ['read ETIMEDOUT', {}],
    ['net::ERR_ABORTED', {}],
    ['NS_BINDING_ABORTED', {}],
    ['cancelled', {}],
    ['Client disconnected.', {}],
    ['net::ERR_TIMED_OUT', { status: 200 }],
  ])('of another tool has calls whose clients stopped waiting: %s %j', async (_error, answer) => {
    const stage = 'status' in answer ? 'mid_body' : 'before'
    const faults = await faultsOf({ status: 0, _error, ...answer })
    expect(faults).toMatchObject([{ fault: 'hang', calls: 1, stage }])
  })

  it('of another tool has the keys of its calls and what looks like one: none is in the scenario', async () => {
    const key = 'a-key-that-looks-like-nothing'
    const other = `sk-proj-${'Ab1'.repeat(16)}`
    const [created, ...polls] = POLLS
    const failed = entry(70, `GET ${JOBS}/j1`, {
      id: 'j1',
      status: 'failed',
      error_message: `no access for ${key} and ${other}`,
    })
    // Only the last call shows what the answers before it repeat.
    const headers = [{ name: 'Authorization', value: `Bearer ${key}` }]
    const refused = entry(75, `GET ${JOBS}/j1`, { detail: `Invalid key ${key}` })
    const last = {
      ...refused,
      request: { ...refused.request, headers },
      response: { ...refused.response, status: 401 },
    }
    const { text, scenario } = await scenarioOf(harOf(created!, ...polls.slice(0, 2), failed, last))
    expect(text).not.toContain(key)
    expect(text).not.toContain(other)
    expect(scenario.jobs[0]!.timeline.at(-1)).toMatchObject({
      error_message: 'no access for [not shown] and [not shown]',
    })
  })

  it('of another tool that gives no reason has by the wait whether a call met silence', async () => {
    expect(await faultsOf({ status: 0 }, 30_000)).toMatchObject([{ fault: 'hang', calls: 1 }])
    const late = { fault: 'delay', calls: 1, delay: '30s' }
    const reset = { status: 0, _error: 'net::ERR_CONNECTION_RESET' }
    expect(await faultsOf(reset, 30_000)).toMatchObject([late, { fault: 'drop', calls: 1 }])
    const refused = { status: 504 }
    expect(await faultsOf(refused, 30_000)).toMatchObject([late, { fault: 'status', ...refused }])
  })

  it('tells chats of the inference API by where they went', async () => {
    await using emulator = createEmulator({ clock: 'manual' })
    const { inference, ...client } = clientOf(emulator)
    emulator.faults.add({ fault: 'status', status: 429, match: { operation: '*ChatCompletion' } })
    await client.get('/preview/base-models')
    const question = {
      model: 'example/base-8b-instruct',
      messages: [{ role: 'user', content: 'Hi.' }],
    }
    await inference.post('/chat/completions', question)
    await client.post('/chat/completions', question)
    const { scenario } = await scenarioOf(JSON.stringify(await emulator.har()))
    expect(scenario.faults.map(({ match }) => match)).toMatchObject([
      { operation: 'createInferenceChatCompletion' },
      { operation: 'createChatCompletion' },
    ])
  })

  it('says its clock, also in a file of an older version', async () => {
    await using emulator = createEmulator({ clock: 'manual' })
    await clientOf(emulator).get('/preview/base-models')
    const { log } = await emulator.har()
    const { clock: _clock, ...older } = log._svtrain
    const clockOf = (changes: object): string | undefined => {
      return callsOfHar({ log: { ...log, ...changes } }, 'own.har', undefined).clock
    }
    expect(clockOf({ comment: 'written by hand' })).toBe('manual')
    expect(clockOf({ _svtrain: older })).toBe('manual')
  })

  it('of a fast clock has the delays of its faults, and no others', async () => {
    const match = { operation: 'listBaseModels' }
    const scenario = checkScenario({
      name: 'own',
      faults: [{ fault: 'delay', match, delay: '30s' }],
    })
    await using emulator = createEmulator({ scenario, clock: 'real', speed: 1000 })
    const client = clientOf(emulator)
    await client.get('/preview/base-models')
    for (const question of ['One?', 'One and two?', 'One, two, three?'])
      await chat(client, question)
    const made = await scenarioOf(JSON.stringify(await emulator.har()))
    expect(made.scenario.faults).toMatchObject([{ fault: 'delay', match }])
    expect(made.scenario.chat.pace).toEqual(scenario.chat.pace)
  })

  it('says how many bodies are not whole, and uses their answers', async () => {
    const emulator = incident()
    const client = clientOf(emulator)
    const { id } = await createModel(client, { name: 'poet' })
    const long = {
      reward: 1,
      messages_and_choices: [{ role: 'user', content: 'x'.repeat(70_000) }],
    }
    const job = await startJob(client, id, [{ trajectories: [long, { reward: 0 }] }])
    emulator.clock.advance('1m')
    const listed = await listEvents(client, job)
    expect(listed.at(-1)!.type).toBe('training_failed')
    const made = await scenarioOf(JSON.stringify(await emulator.har()))
    expect(made.text).toContain(
      '# 1 body is not whole in the file, and is not used: POST /preview/training-jobs.',
    )
    expect(made.scenario.play.jobs).toMatchObject([{ model: 'poet' }])
    expect(made.scenario.jobs[0]!.timeline.at(-1)).toMatchObject({ error_message: NCCL })
  })

  it.each([
    ['as the emulator knows it', 'svtrain-emulator'],
    ['as calls show it', 'WebInspector'],
  ])('gives each job its own checkpoint, also of one list for two jobs: %s', async (_how, name) => {
    const values = [0.7, 0.3]
    const scenario = checkScenario({
      name: 'own',
      jobs: values.map((loss, index) => ({
        ...(index === 0 && { match: { ordinal: 1 } }),
        timeline: [
          { event: 'training_started', after: '1s' },
          { event: 'gradient_step', after: '1s', metrics: { loss } },
          { event: 'training_ended', after: '1s' },
        ],
      })),
    })
    await using emulator = createEmulator({ scenario, clock: 'manual' })
    const client = clientOf(emulator)
    const { id } = await createModel(client, { name: 'poet' })
    const jobs = [await startJob(client, id), await startJob(client, id)]
    emulator.clock.advance('20s')
    for (const job of jobs) await listEvents(client, job)
    await client.get(`/preview/models/${id}/checkpoints`)
    const { log } = await emulator.har()
    const made = await scenarioOf(JSON.stringify({ log: { ...log, creator: { name } } }))
    const ends = made.scenario.jobs.map(({ timeline }) => timeline.at(-1))
    expect(ends).toMatchObject([{ checkpoint: true }, { checkpoint: true }])
    expect(made.scenario.timeline).toEqual([])
  })

  it('of several worlds needs the name of one', async () => {
    await using emulator = createEmulator({ clock: 'manual', isolate: 'api-key' })
    for (const key of ['first-key', 'second-key']) await run(emulator.world(key))
    const text = JSON.stringify(await emulator.har())
    await expect(scenarioOf(text)).rejects.toThrow(
      /has the requests of 2 worlds: world-1 \(23 requests\), world-2 \(23 requests\)\. A scenario shows one of them\. Choose it: --world world-1\.$/,
    )
    await expect(scenarioOf(text, 'wrld-2')).rejects.toThrow(
      /has no world "wrld-2"\. It has world-1, world-2\. Did you mean --world world-2\?$/,
    )
    const { scenario, text: written } = await scenarioOf(text, 'world-2')
    expect(written).toContain('requests.har: 23 requests.')
    expect(scenario.jobs).toHaveLength(1)
  })
})

describe('a HAR file of another tool', () => {
  it('has the calls of the service, at any base URL', async () => {
    const page = entry(5, 'GET https://app.example.com/index.html', {})
    const made = await scenarioOf(harOf(...POLLS, page))
    expect(made.missing).toEqual([])
    expect(made.scenario.jobs).toMatchObject([
      {
        timeline: [
          { event: 'training_started', after: '20s' },
          { event: 'training_failed', error_message: NCCL },
        ],
      },
    ])
    expect(made.text).toContain('# 1 request of no operation of the service is left out.')
    expect(made.text).toContain('# The calls went to api.example.com, app.example.com.')
  })

  it.each([
    ['base64, after a mark of the order of bytes', 'base64', '\uFEFF'],
    ['plain text that says it is base64', 'utf8', ''],
  ] as const)('may have bodies in %s', async (_form, form, start) => {
    const encoded = withContents((text) => {
      return { text: Buffer.from(text).toString(form), encoding: 'base64' }
    })
    const made = await scenarioOf(start + harOf(...encoded))
    expect(made.missing).toEqual([])
    expect(made.scenario.jobs[0]!.timeline.at(-1)).toMatchObject({ error_message: NCCL })
  })

  it('may have bodies in files beside it, and reads no others', async () => {
    const bodies: string[] = []
    const entries = withContents((text, index) => {
      bodies.push(text)
      return { _file: index === 1 ? '../outside.json' : `body-${index}.json` }
    })
    const file = saved(harOf(...entries))
    const folder = dirname(file)
    for (const [index, body] of bodies.entries()) {
      writeFileSync(join(folder, `body-${index}.json`), body)
    }
    const input = await readInput(file)
    if (input.kind !== 'har') throw new Error(input.kind)
    const made = scenarioFrom({ ...input, source: 'requests.har', name: 'made' })
    expect(made.missing).toEqual([])
    expect(made.scenario.jobs[0]!.timeline.at(-1)).toMatchObject({ error_message: NCCL })
    expect(made.text).toContain(
      '# 1 body is not whole in the file, and is not used: GET /preview/training-jobs/j1.',
    )
  })

  it('says which page of events is gone, and where events are missing', async () => {
    const event = (id: string, type: string) => ({ id, type, data: {} })
    const page = (at: number, after: string, ...data: object[]) =>
      entry(at, `GET ${JOBS}/j1/events?after=${after}`, { data, has_more: false })
    const lost = page(20, 'e2', event('e3', 'gradient_step'))
    const file = harOf(
      POLLS[0]!,
      entry(10, `GET ${JOBS}/j1/events`, {
        data: [event('e1', 'training_started'), event('e2', 'gradient_step')],
      }),
      { ...lost, response: { ...lost.response, content: { size: 90 } } },
      page(30, 'e3', event('e4', 'gradient_step'), event('e5', 'training_ended')),
    )
    const { losses, text } = await scenarioOf(file)
    expect(losses).toEqual([
      '1 body is not whole in the file, and is not used: GET /preview/training-jobs/j1/events.',
      'Job j1: events are missing before step 2: no page has after=e3.',
    ])
    expect(text).toContain(`# ${losses[1]}`)
  })

  const started = { id: 'e1', type: 'training_started', data: {} }
  const step = { id: 'e2', type: 'gradient_step', data: { loss: 0.5 } }
  const lastStep = { id: 'e4', type: 'gradient_step', data: { loss: 0.4 } }
  const ended = { id: 'e3', type: 'training_failed', data: { error_message: NCCL } }
  const pageOf = (data: object[], more = false) =>
    entry(30, `GET ${JOBS}/j1/events`, { data, has_more: more })
  const answered = entry(31, `GET ${JOBS}/j1/events?after=e1`, {})
  const refusedPage = { ...answered, response: { ...answered.response, status: 503 } }
  const newestFirst = entry(70, `GET ${JOBS}/j1/events?order=desc`, {
    data: [ended, lastStep, step],
    has_more: true,
  })
  const [submitted, queued, running, failed] = POLLS
  const NOT_LISTED = [
    'Job j1: its gradient steps are not in its record, and the client did not list its events. So it has none here.',
  ]
  const NO_END = [
    'Job j1: no page of its events has its end, which its record shows. Steps before that may be missing.',
  ]
  const NO_START = [
    'Job j1: no page of its events has its start, which its record shows. Steps after that may be missing.',
  ]

  it.each<[string, object[], string[]]>([
    ['the client asked only for its record', [queued!, running!, failed!], NOT_LISTED],
    ['its record went from queued to failed', [queued!, failed!], NOT_LISTED],
    ['a page was refused', [running!, pageOf([started], true), refusedPage, failed!], NO_END],
    ['the last list was too early', [running!, pageOf([started, step]), failed!], NO_END],
    ['the pages with the oldest were not read', [running!, newestFirst], NO_START],
    ['all pages were read', [running!, pageOf([started, step, ended]), failed!], []],
  ])('says which steps of a job may be missing: %s', async (_name, calls, expected) => {
    const { losses, text } = await scenarioOf(harOf(submitted!, ...calls))
    expect(losses).toEqual(expected)
    expect(text.replaceAll('\n# ', ' ')).toContain(expected.join(' '))
    if (calls.includes(newestFirst)) expect(text).toContain('values: [0.5, 0.4]')
  })

  it('that was saved without bodies does not show how a job went', async () => {
    const made = await scenarioOf(harOf(...withContents(() => ({}))))
    expect(made.missing.map(({ seen }) => seen)).toEqual([
      'Job j1: the client asked for it, and the contents of 3 answers are missing.',
    ])
    expect(made.text).toContain(
      '# 4 bodies are not whole in the file, and are not used: POST /preview',
    )
    expect(made.text).toContain('# Save the file with the contents of answers: "HAR with content"')
  })

  it.each([
    ['with its size', { text: undefined }, 0],
    ['of an unknown size', { text: undefined, size: -1 }, -1],
    ['that the tool forgot', { text: undefined, size: 0 }, 64],
    ['with a text that is empty', { text: '' }, 0],
  ])('says nothing of a body %s, and an empty one is a fault', async (_case, content, bodySize) => {
    const [creation, ...polls] = POLLS
    const withBody = (change: object): object => {
      const { response, ...rest } = polls[0]!
      const changed = { ...response.content, ...change }
      return { ...rest, response: { ...response, content: changed, bodySize } }
    }
    const unknown = await scenarioOf(harOf(creation!, withBody(content), ...polls.slice(1)))
    expect(unknown.scenario.faults).toEqual([])
    expect(unknown.text).toContain(
      '# 1 body is not whole in the file, and is not used: GET /preview/training-jobs/j1.',
    )
    const { response, ...rest } = polls[0]!
    const nothing = { ...response, content: { size: 0, text: '' }, bodySize: 20 }
    const empty = await scenarioOf(harOf(creation!, { ...rest, response: nothing }, polls[2]!))
    expect(empty.scenario.faults).toMatchObject([{ fault: 'malformed', form: 'empty', calls: 1 }])
    expect(empty.text).not.toContain('not whole')
  })

  it.each<[string, string, RegExp]>([
    [
      'no requests',
      harOf(),
      /^requests\.har has no requests, so there is nothing .* Save it after your client has called the service\.$/,
    ],
    [
      'no call of the service',
      harOf(entry(0, 'GET https://example.com/models', {})),
      /has 1 request, but none of an operation of the service: GET https:\/\/example\.com\/models\. Expected addresses such as POST https:/,
    ],
    [
      'the health check of a shop',
      harOf(
        entry(
          0,
          'GET https://shop.example.com/v1/health',
          {},
          { response: { status: 500, content: { text: '{}' } } },
        ),
      ),
      /shows nothing that a scenario would do: no job, .* It has healthCheck\. Save the calls of a client that trains\.$/,
    ],
    [
      'half of it',
      harOf(...POLLS).slice(0, 900),
      /is a HAR file that is cut off or damaged: it is not JSON\. Save it again\./,
    ],
    [
      'no list of entries',
      '{"log": {"version": "1.2"}}',
      /is not a HAR 1\.2 file: log\.entries is not a list\./,
    ],
    [
      'an entry of something else',
      '{"log": {"entries": [{"a": 1}]}}',
      /is not a HAR 1\.2 file: log\.entries\[0\]\.startedDateTime is missing\. Expected a time in/,
    ],
    [
      'an entry without a time',
      harOf({ ...POLLS[0], startedDateTime: 'soon' }),
      /log\.entries\[0\]\.startedDateTime is "soon"\. Expected a time in ISO 8601\. Save the file/,
    ],
    [
      'an entry without a method',
      harOf(POLLS[0]!, { ...POLLS[1], request: { url: JOBS } }),
      /log\.entries\[1\]\.request\.method is missing\. Expected a text\./,
    ],
    [
      'an entry with a part of an address',
      harOf({ ...POLLS[0], request: { method: 'GET', url: '/v1/models' } }),
      /log\.entries\[0\]\.request\.url is "\/v1\/models"\. Expected a whole URL\./,
    ],
    [
      'an entry without a status',
      harOf({ ...POLLS[0], response: { status: '200' } }),
      /log\.entries\[0\]\.response\.status is "200"\. Expected a number, 0 without an answer\./,
    ],
  ])('is refused with %s', async (_name, text, message) => {
    await expect(scenarioOf(text)).rejects.toThrow(message)
  })

  it('shows a failed job without a message, and the scenario says none to a client either', async () => {
    const events = [{ id: 'e1', type: 'training_failed', data: {} }]
    const har = harOf(
      entry(0, `POST ${JOBS}`, { id: 'j1' }),
      entry(10, `GET ${JOBS}/j1/events`, { data: events, has_more: false }),
    )
    const { scenario, text } = await scenarioOf(har)
    expect(text.replaceAll('\n# ', ' ')).toContain(
      'Job j1: its error message is not known, so its record has "not in the recording" here.',
    )
    await using emulator = createEmulator({ scenario, clock: 'instant' })
    const client = clientOf(emulator)
    const { id } = await createModel(client, { name: 'poet' })
    const listed = await listEvents(client, await startJob(client, id))
    expect(listed.at(-1)).toMatchObject({ type: 'training_failed', data: {} })
    expect(listed.at(-1)!.data).not.toHaveProperty('error_message')
  })

  it('counts the polls of one model alone, and names the clock that makes as many', async () => {
    const models = 'https://api.example.com/training/v1/preview/models'
    const poll = (at: number, job: string, more?: object) => {
      return entry(at, `GET ${JOBS}/${job}`, { id: job, status: 'running' }, more)
    }
    const refused = { response: { ...poll(0, 'j2').response, status: 503 } }
    const har = harOf(
      ...['poet', 'critic'].map((name, at) => entry(at, `POST ${models}`, { id: name, name })),
      ...['poet', 'critic'].map((name, at) => {
        const postData = { text: JSON.stringify({ model_id: name }) }
        const { request, ...call } = entry(2 + at, `POST ${JOBS}`, { id: `of-${name}` })
        return { ...call, request: { ...request, postData } }
      }),
      poll(10, 'of-poet'),
      poll(11, 'of-critic'),
      poll(20, 'of-poet'),
      poll(21, 'of-critic', refused),
      ...['of-poet', 'of-critic'].map((id, at) => {
        return entry(30 + at, `GET ${JOBS}/${id}`, { id, status: 'failed', error_message: NCCL })
      }),
    )
    const { scenario, text, clock } = await scenarioOf(har)
    expect(scenario.faults).toMatchObject([
      { status: 503, match: { operation: 'getTrainingJob', model: 'critic' }, calls: 2 },
    ])
    expect(clock).toBe('real')
    expect(text.replaceAll('\n# ', ' ')).toContain(
      'Some faults come only after other polls, and clocks that skip time make fewer. --clock real keeps them.',
    )
  })

  it('has no worlds', async () => {
    await expect(scenarioOf(harOf(...POLLS), 'first')).rejects.toThrow(
      /has no worlds\. Leave out --world first\.$/,
    )
  })
})

describe('whether a file has contents', () => {
  const said = { messages: [{ role: 'user', content: '[12 characters]' }] }

  async function contentsOf(har: string): Promise<string> {
    const input = await readInput(saved(har))
    if (!('contents' in input)) throw new Error('It has no calls.')
    return input.contents
  }

  it('is no question of its words: a message may say what stands in place of one', async () => {
    const foreign = harOf(entry(0, `GET ${JOBS}`, said))
    expect(await contentsOf(foreign)).toBe('recorded')
    await using emulator = createEmulator()
    await chat(clientOf(emulator), '[12 characters]')
    for (const contents of ['shown', 'redacted'] as const) {
      const har = JSON.stringify(await emulator.har({ contents }))
      const expected = contents === 'shown' ? 'recorded' : 'redacted'
      expect(await contentsOf(har)).toBe(expected)
    }
  })

  it('shows in the words of older files of the emulator, which do not say it', async () => {
    await using emulator = createEmulator()
    await chat(clientOf(emulator), 'Name a color.')
    const { log } = await emulator.har({ contents: 'redacted' })
    const { contents: _, ...older } = log._svtrain
    const har = JSON.stringify({ log: { ...log, _svtrain: older } })
    expect(await contentsOf(har)).toBe('redacted')
  })
})

describe('the page of a report', () => {
  it('gives the same scenario as the HAR file: the jobs, the faults and the chats', async () => {
    const emulator = incident()
    await run(emulator)
    for (const contents of ['shown', 'redacted'] as const) {
      const har = await scenarioOf(JSON.stringify(await emulator.har({ contents })))
      const page = await scenarioOf(await emulator.report({ contents }))
      expectIncident(page)
      expect(page.text).toBe(har.text)
      expect(page.scenario.chat.rules).toMatchObject(contents === 'shown' ? RULES : [])
      expect(page.text.replaceAll('\n# ', ' ').includes(WITHOUT_CONTENTS)).toBe(
        contents === 'redacted',
      )
    }
  })

  it.each<[string, (page: string) => string, RegExp]>([
    [
      'of version 0.2',
      (page) => page.replace(/<script.*<\/script>\n/, ''),
      /without the data of its requests\. Reports of version 0\.2 have none, .* Write the report again, or use the HAR file/,
    ],
    [
      'that is cut off',
      (page) => page.slice(0, -2000),
      /is a report that is cut off or changed\. Write the report again/,
    ],
    [
      'of something else',
      () => '<!doctype html><title>Hello</title>',
      /is a page, but no report of svtrain-emulator\./,
    ],
  ])('is refused: one %s', async (_name, change, message) => {
    const emulator = incident()
    await run(emulator)
    await expect(scenarioOf(change(await emulator.report()))).rejects.toThrow(message)
  })

  it('has short answers where all bodies would be too long', async () => {
    const emulator = incident()
    const client = clientOf(emulator)
    // Much of it must be escaped.
    for (let call = 0; call < 25; call++) await chat(client, '<'.repeat(60_000))
    await run(emulator)
    const page = await emulator.report()
    expect(page.length).toBeLessThan(10_000_000)
    expect(page).toContain('The body is too long to be kept on the page.')
    const made = await scenarioOf(page)
    expectIncident(made)
    expect(made.text).toContain('# 25 bodies are not whole in the file, and are not used: POST')
  })
})

describe('an odd answer in a HAR file of another tool', () => {
  it.each([
    ['99999999999', undefined],
    ['Infinity', undefined],
    ['', undefined],
    ['Wed, 21 Oct 2026 07:28:00 GMT', undefined],
    ['2', '2s'],
    ['Wed, 21 Oct 2026 07:28:00 GMT', '60s', 'Wed, 21 Oct 2026 07:27:00 GMT'],
  ])('that asks to wait for %j keeps the rest', async (wait, retry_after, date = '') => {
    const [created, ...polls] = POLLS
    const refused = entry(5, `GET ${JOBS}/j1`, {}, {})
    const headers = Object.entries({ date, 'Retry-After': wait }).map(([name, value]) => ({
      name,
      value,
    }))
    const response = { ...refused.response, status: 503, headers }
    const { scenario } = await scenarioOf(harOf(created!, { ...refused, response }, ...polls))
    expect(scenario.faults).toMatchObject([{ fault: 'status', status: 503, calls: 1 }])
    expect(scenario.faults[0]).toEqual(expect.objectContaining(retry_after ? { retry_after } : {}))
    expect('retry_after' in scenario.faults[0]!).toBe(retry_after !== undefined)
  })

  it('keeps each character of a chat: the event has no space, and the text looks like YAML', async () => {
    const answer = 'scores:\n  - 1\n  - 2\n  - 3\n\u2028ends'
    const messages = [{ role: 'user', content: 'Judge.' }]
    const called = entry(
      0,
      `POST ${JOBS.replace('/preview/training-jobs', '/chat/completions')}`,
      {},
    )
    const choices = [{ index: 0, delta: { content: answer }, finish_reason: 'stop' }]
    const text = `data:${JSON.stringify({ choices })}\n\ndata: [DONE]\n\n`
    const { scenario } = await scenarioOf(
      harOf({
        ...called,
        request: {
          ...called.request,
          postData: { text: JSON.stringify({ model: 'm', messages }) },
        },
        response: {
          ...called.response,
          headers: [{ name: 'content-type', value: 'text/event-stream' }],
          content: { size: text.length, mimeType: 'text/event-stream', text },
        },
      }),
    )
    expect(scenario.chat.rules).toMatchObject([{ match: { user: { is: 'Judge.' } }, answer }])
  })
})
