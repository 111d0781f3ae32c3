import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createEmulator, type Emulator } from '../../../src/index.js'
import type { FaultInput } from '../../../src/service/scenario/scenario.js'
import { findingsIn } from '../../../src/emulator/testing/client-checks.js'
import type { CheckName } from '../../../src/service/scenario/check-names.js'
import { anUncommittedVersion, aRunThat } from '../../support/platform-records.js'
import { openArtifact, openRun } from '../../support/platform-client.js'
import { groups } from '../../support/trainer.js'
import { BASE_MODEL, bearer, withKey, type ApiClient } from '../../support/api-client.js'
import { jobsWith } from '../../support/job-timelines.js'
import { client } from './client.js'

function failedChecks(emulator: Emulator): string {
  try {
    emulator.assertClientChecks()
    return 'none'
  } catch (error) {
    return (error as Error).message
  }
}

/** The options of an emulator whose webhooks arrive. */
const acknowledged = {
  webhooks: [{ url: 'http://127.0.0.1:9/hook' }],
  send: () => Promise.resolve({ status: 204, body: '' }),
}

const lostAnswer = { fault: 'drop', stage: 'after', calls: 1 } as const

describe('two jobs of one batch', () => {
  it('are reported, and the report names the one without a received response', async () => {
    const { emulator, submit } = await client()
    emulator.faults.add(lostAnswer)
    await submit().catch(() => 'lost')
    const id = await submit()
    expect(failedChecks(emulator)).toMatch(
      new RegExp(
        `job ${id} is a duplicate: request 2 \\(.* 200\\) sent the same batch as request 1 \\(.* connection dropped\\), which created job .*, but the client never received its response \\(duplicateJobs: false allows it\\)`,
      ),
    )
    emulator.assertClientChecks({ duplicateJobs: false })
  })

  it('are allowed once a webhook has told that the first job ended', async () => {
    const { emulator, submit } = await client(acknowledged)
    await submit()
    await emulator.settle()
    await submit()
    await emulator.settle()
    expect(failedChecks(emulator)).toBe('none')
  })

  it('are reported if the client had not seen the first job end', async () => {
    const { emulator, submit, events } = await client()
    const id = await submit()
    emulator.jobs.advance(undefined, 2)
    await events(id)
    await submit()
    expect(failedChecks(emulator)).toMatch(
      new RegExp(`created job ${id}, and the client had not seen that job end \\(duplicateJobs`),
    )
    const other = await client()
    const first = await other.submit()
    other.emulator.jobs.finish()
    other.emulator.faults.add({ fault: 'malformed', form: 'html', calls: 1 })
    await other.poll(first).catch(() => 'unreadable')
    await other.poll(first, 'a-key-of-somebody-else')
    await other.submit()
    expect(failedChecks(other.emulator)).toContain('had not seen that job end')
  })

  it('are reported after a lost answer, even if a webhook told that the job ended', async () => {
    const { emulator, submit } = await client(acknowledged)
    emulator.faults.add(lostAnswer)
    await submit().catch(() => 'lost')
    await emulator.settle()
    await submit()
    expect(failedChecks(emulator)).toContain('but the client never received its response')
  })

  it('are compared with the last job of the batch', async () => {
    const { emulator, submit, poll } = await client()
    emulator.faults.add({ fault: 'status', status: 502, stage: 'after', calls: 1 })
    await submit()
    const id = await submit()
    emulator.jobs.finish()
    await poll(id)
    await submit()
    // The second one repeats the first one. The third one belongs to the next step.
    expect(failedChecks(emulator).match(/is a duplicate/g)).toHaveLength(1)
  })

  it('are allowed if the batches differ or are empty', async () => {
    const { emulator, submit } = await client()
    await submit(groups)
    await submit(groups.slice(1))
    await submit([])
    await submit([])
    expect(failedChecks(emulator)).toBe('none')
  })
})

describe('two SFT jobs of the same data', () => {
  async function fineTuning() {
    const world = await client()
    const training_data_url = 'wandb-artifact:///team/poems/letters:v1'
    const body = { model_id: world.model, training_data_url }
    const tune = async (): Promise<string> =>
      (await world.api.post('/preview/sft-training-jobs', body, withKey('a-key'))).body.id
    return { ...world, tune }
  }

  it('are reported if the first one failed, and the client had not seen it', async () => {
    const { emulator, tune } = await fineTuning()
    const id = await tune()
    emulator.jobs.fail()
    await tune()
    expect(failedChecks(emulator)).toMatch(
      new RegExp(`created job ${id}, and the client had not seen that job end \\(duplicateJobs`),
    )
  })

  it('are allowed after a look at the first one, or if its answer was lost', async () => {
    const seen = await fineTuning()
    const id = await seen.tune()
    seen.emulator.jobs.fail()
    await seen.poll(id)
    await seen.tune()
    const lost = await fineTuning()
    lost.emulator.faults.add(lostAnswer)
    await lost.tune().catch(() => 'lost')
    lost.emulator.jobs.fail()
    await lost.tune()
    for (const { emulator } of [seen, lost]) {
      expect(emulator.jobs.all.length).toBe(2)
      expect(failedChecks(emulator)).toBe('none')
    }
  })
})

describe('a job that may still run', () => {
  const other = [...groups, ...groups]

  it('is forgotten if the client polls it in vain, and creates the next one', async () => {
    const { emulator, submit, poll } = await client()
    const id = await submit()
    await poll(id)
    const next = await submit(other)
    expect(found(emulator, 'forgottenJobs')).toEqual([
      `request 3 (POST /v1/preview/training-jobs 200) created job ${next} after the client had polled job ${id} in vain: wait for its end, or end with an error`,
    ])
    // It is not given up if the client polls it later.
    await poll(id)
    expect(found(emulator, 'forgottenJobs')).toEqual([])
  })

  it('is forgotten if the answer was lost, and the client does not look for it', async () => {
    const { emulator, submit } = await client()
    emulator.faults.add(lostAnswer)
    await submit().catch(() => 'lost')
    await submit(other)
    expect(found(emulator, 'forgottenJobs')).toEqual([
      expect.stringContaining(
        'whose answer was lost: look first whether that job made a checkpoint',
      ),
    ])
  })
})

describe('the cursor of a client after an error', () => {
  const after = async (fault: FaultInput) => {
    const world = await client()
    const id = await world.submit()
    world.emulator.jobs.advance(undefined, 5)
    const first = (await world.events(id)).last_id as string
    const second = (await world.events(id, first)).last_id as string
    world.emulator.faults.add(fault)
    await world.events(id, second).catch(() => 'lost')
    world.emulator.faults.clear()
    return { ...world, id, first, second }
  }
  const errors: FaultInput[] = [
    { fault: 'status', status: 503 },
    { fault: 'drop' },
    { fault: 'malformed', form: 'html' },
    { fault: 'status', status: 429, retry_after: '1s' },
  ]

  it.each(errors)('must not be that of an earlier page (%o)', async (fault) => {
    const { emulator, events, id, first } = await after(fault)
    await events(id, first)
    expect(failedChecks(emulator)).toContain('went back: its cursor is event 2 of job')
  })

  it.each(errors)('can be the same one, or the client starts again (%o)', async (fault) => {
    const { emulator, events, id, first, second } = await after(fault)
    await events(id, second)
    await events(id)
    await events(id, first)
    await events(id, second)
    expect(failedChecks(emulator)).toBe('none')
  })
})

it('the cursor of a client can go back after a page that a fault repeated', async () => {
  const { emulator, submit, events } = await client()
  const id = await submit()
  emulator.jobs.advance(id, 4)
  const { data } = await events(id)
  emulator.faults.add({ fault: 'page_repeat', calls: 1 })
  await events(id, data[1].id)
  await events(id, data[0].id)
  expect(failedChecks(emulator)).toBe('none')
})

describe('events that a client skips', () => {
  it('are found by a cursor that it cannot know', async () => {
    const { emulator, submit, events } = await client()
    const id = await submit()
    emulator.jobs.advance(undefined, 5)
    await events(id)
    await events(id, emulator.job(id).events[3]!.id)
    expect(failedChecks(emulator)).toMatch(
      /skipped events: its cursor is event 4 of job .*, but the client received only the first 2; send the id of the last event as after \(skippedEvents: false allows it\)/,
    )
    emulator.assertClientChecks({ skippedEvents: false })
  })

  it('are none if another key reads on, or if the first pages were read before', async () => {
    const { emulator, submit, events } = await client()
    const id = await submit()
    emulator.jobs.advance(undefined, 5)
    const { last_id } = await events(id)
    await events(id, last_id, 'new-key')
    expect(failedChecks(emulator)).toBe('none')

    const other = await client()
    const job = await other.submit()
    other.emulator.jobs.advance(undefined, 5)
    await other.events(job, other.emulator.job(job).events[3]!.id)
    expect(failedChecks(other.emulator)).toBe('none')
  })
})

describe('events that a client reads again', () => {
  /** A job with two more events at each poll. The client says which cursor it sends, from the page before. */
  async function polled(cursorAfter: (page: Page) => string, faults: FaultInput[] = []) {
    const world = await client()
    const id = await world.submit([
      { trajectories: Array.from({ length: 12 }, (_, reward) => ({ reward })) },
    ])
    for (const fault of faults) world.emulator.faults.add(fault)
    let page: Page = { data: [], last_id: '' }
    for (let polls = 0; polls < 5; polls++) {
      world.emulator.jobs.advance(id, 2)
      const path = `training-jobs/${id}/events?after=${cursorAfter(page)}`
      const answer = await world.get(path).catch(() => undefined)
      page = answer?.data ? answer : { data: [], last_id: '' }
    }
    return { ...world, id }
  }

  interface Page {
    data: { id: string }[]
    last_id: string
  }

  it('are reported if it never sends a cursor', async () => {
    const { emulator, id } = await polled(() => '')
    expect(found(emulator, 'eventsReadAgain')).toEqual([
      `request 16 (GET /v1/preview/training-jobs/${id}/events?after= 200) sent no cursor, although the client had received the first 8 events of job ${id}: it read events again 4 times; send the id of the last event as after`,
    ])
    emulator.assertClientChecks({ eventsReadAgain: false })
  })

  it('are reported if its cursor is not the last event', async () => {
    const { emulator, id } = await polled(({ data }) => data[0]?.id ?? '')
    expect(found(emulator, 'eventsReadAgain')).toEqual([
      expect.stringContaining(
        `sent the cursor of event 4, although the client had received the first 8 events of job ${id}`,
      ),
    ])
  })

  it('are reported if each poll walks all pages from the start', async () => {
    const { emulator, submit, follow } = await client()
    const id = await submit()
    emulator.jobs.advance(id, 4)
    for (let poll = 0; poll < 3; poll++) await follow(id)
    expect(failedChecks(emulator)).toBe('none')
    await follow(id)
    expect(found(emulator, 'eventsReadAgain')).toHaveLength(1)
  })

  it('are none if the cursor follows, and starts again after an answer that was lost', async () => {
    // After each lost answer, it starts again without a cursor.
    for (const fault of ['drop', 'page_stale'] as const) {
      const { emulator } = await polled(({ last_id }) => last_id, [{ fault, calls: [2, 4] }])
      expect(failedChecks(emulator)).toBe('none')
    }
  })

  it('are reported with the cause if a strict JSON parser refuses them', async () => {
    const { emulator, submit, get } = await client({ scenario: 'nan-metrics' })
    const id = await submit()
    emulator.jobs.advance(id, 5)
    for (let poll = 0; poll < 6; poll++) {
      await expect(get(`training-jobs/${id}/events`)).rejects.toThrow(SyntaxError)
    }
    expect(failedChecks(emulator)).toContain(', with values that a strict JSON parser refuses: ')
  })

  it('are none for readers side by side', async () => {
    const { emulator, submit, events } = await client()
    const id = await submit()
    emulator.jobs.advance(id, 3)
    const readers = await Promise.all([1, 2, 3, 4].map(() => events(id)))
    await Promise.all(readers.map(({ last_id }) => events(id, last_id)))
    expect(failedChecks(emulator)).toBe('none')
  })
})

describe('the end of a job in a client', () => {
  it('is one finding for each job, however often it is polled', async () => {
    const { emulator, submit, poll } = await client()
    const ids = [await submit(), await submit(groups.slice(1))]
    for (const id of ids) {
      emulator.jobs.finish(id)
      for (let polls = 0; polls < 37; polls++) await poll(id)
    }
    const findings = findingsIn(emulator, { equalRewards: false })
    expect(findings.map(({ text }) => text)).toEqual(
      ids.map((id) => {
        return expect.stringMatching(
          new RegExp(
            `polled job ${id}, although request .* had shown its end, and 35 more calls did the same; remember which jobs are over$`,
          ),
        )
      }),
    )
    expect(findings.map(({ requests }) => requests.length)).toEqual([37, 37])
  })

  it('can be read once for each delivery about it, and no more', async () => {
    const { emulator, poll, submit } = await client(acknowledged)
    const id = await submit()
    emulator.jobs.finish()
    await emulator.settle()
    // The receiver reads after all deliveries have come.
    const read = () => poll(id)
    const deliveries = emulator.journal.entries.filter(({ kind }) => kind === 'delivery')
    expect(deliveries.length).toBeGreaterThan(1)
    for (const _delivery of deliveries) await read()
    expect(failedChecks(emulator)).toBe('none')
    await read()
    await read()
    expect(found(emulator, 'pollsPastTheEnd')).toHaveLength(1)
  })

  it('can be polled again if the answer was malformed or missing', async () => {
    const { emulator, submit, events, poll } = await client()
    const id = await submit()
    emulator.jobs.finish()
    emulator.faults.add(lostAnswer)
    await poll(id).catch(() => 'lost')
    await poll(id)
    // A page before the last one does not show the end.
    const { last_id } = await events(id)
    await events(id, last_id)
    expect(failedChecks(emulator)).toBe('none')
  })

  it('can be polled again if the end stood beside values that are no JSON', async () => {
    const { emulator, submit, get } = await client({ scenario: 'nan-metrics' })
    const id = await submit()
    emulator.jobs.finish()
    for (let poll = 0; poll < 6; poll++) {
      await expect(get(`training-jobs/${id}/events`)).rejects.toThrow(SyntaxError)
    }
    expect(failedChecks(emulator)).toBe('none')
  })

  it.each([
    ['a metric is', 'missing', 'finish'],
    ['a metric is', 'null', 'finish'],
    ['a metric is', { text: 'n/a' }, 'finish'],
    ['a step that never came has', 'NaN', 'fail'],
  ] as const)('may not be polled again because %s: %j', async (_why, bad, end) => {
    const jobs = jobsWith({ count: 2, spoil: [{ at: 1, metric: 'loss', with: bad }] })
    const { emulator, get, submit } = await client({ scenario: { name: 'mine', jobs } })
    const id = await submit()
    emulator.jobs[end]()
    for (let poll = 0; poll < 6; poll++) await get(`training-jobs/${id}/events`)
    expect(failedChecks(emulator)).toContain('pollsPastTheEnd')
  })
})

describe('a call that comes back', () => {
  const refusal = { fault: 'status', status: 429, retry_after: '2s', calls: 1 } as const
  const ask = (api: ApiClient, content: string, more = {}, headers = {}) => {
    const body = { model: BASE_MODEL, messages: [{ role: 'user', content }], ...more }
    const options = { headers: { ...bearer('a-key'), ...headers } }
    return api.inference.post('/chat/completions', body, options)
  }

  it.each(['auto', 'instant', 'manual', 'real'] as const)(
    'before its Retry-After is reported under the clock %s, although the emulator skips waits',
    async (clock) => {
      const { emulator, submit } = await client({ clock })
      emulator.faults.add(refusal)
      await submit()
      await submit()
      expect(found(emulator, 'earlyRetries')).toEqual([
        'request 2 (POST /v1/preview/training-jobs 200) came back too early: request 1 (POST /v1/preview/training-jobs 429) was refused for 2 s (Retry-After); wait as long as it says',
      ])
    },
  )

  it.each(['auto', 'instant', 'manual'] as const)(
    'after its Retry-After is not, under the clock %s with timers of the test',
    async (clock) => {
      vi.useFakeTimers()
      onTestFinished(() => void vi.useRealTimers())
      const { emulator, submit } = await client({ clock })
      emulator.faults.add(refusal)
      await submit()
      const waited = new Promise((resolve) => void setTimeout(resolve, 2000))
      await vi.advanceTimersByTimeAsync(2000)
      await waited
      await submit()
      expect(found(emulator, 'earlyRetries')).toEqual([])
    },
  )

  it.each([
    ['retry-after', 'soon'],
    ['retry-after', ''],
    ['retry-after', '-5'],
    ['retry-after', '1e999'],
    ['retry-after', 'Sun, 06 Nov 1994 08:49:37 GMT'],
    ['retry-after', 'Sun, 99 Nov 2994 08:49:37 GMT'],
    ['retry-after-ms', 'NaN'],
    // Client libraries ignore a longer wait than a minute.
    ['retry-after', '61'],
  ])('at once is not, if %s is %j: no client library waits for that', async (name, value) => {
    const { emulator, submit } = await client()
    emulator.faults.add({ fault: 'status', status: 429, headers: { [name]: value }, calls: 1 })
    await submit()
    await submit()
    expect(found(emulator, 'earlyRetries')).toEqual([])
  })

  it.each([
    ['retry-after', '2.5', '2.5 s'],
    ['retry-after-ms', '1500', '1.5 s'],
    ['retry-after', (now: number) => new Date(now + 9000).toUTCString(), '9 s'],
  ])('too early is, if %s says how long or until when', async (name, value, wait) => {
    const { emulator, submit } = await client()
    const written = typeof value === 'string' ? value : value(emulator.clock.now())
    emulator.faults.add({ fault: 'status', status: 429, headers: { [name]: written }, calls: 1 })
    await submit()
    await submit()
    expect(found(emulator, 'earlyRetries')).toEqual([
      expect.stringContaining(`was refused for ${wait} (Retry-After)`),
    ])
  })

  it('after the test moved the clock has waited, and a little less is enough', async () => {
    const { emulator, submit } = await client()
    emulator.faults.add(refusal)
    await submit()
    emulator.clock.advance('1900ms')
    await submit()
    expect(found(emulator, 'earlyRetries')).toEqual([])
  })

  it('is another call if its body, its path or its key differs', async () => {
    const { emulator, submit, poll, get } = await client()
    emulator.faults.add({ ...refusal, match: { operation: 'createRlTrainingJob' } })
    await submit()
    const id = await submit([{ trajectories: [{ reward: 1 }, { reward: 0 }] }])
    emulator.faults.add({ ...refusal, match: { operation: 'getTrainingJob' } })
    await poll(id)
    await get(`training-jobs/${id}/events`)
    await poll(id, 'another-key')
    expect(found(emulator, 'earlyRetries')).toEqual([])
  })

  it('may be that of another task, whose wait is over', async () => {
    const { emulator, submit, poll } = await client()
    const id = await submit()
    emulator.faults.add({ ...refusal, match: { operation: 'getTrainingJob' }, calls: [1, 2] })
    await poll(id)
    emulator.clock.advance('3s')
    // This one is refused, too, and the next one is the retry of nobody.
    await poll(id)
    emulator.clock.advance('3s')
    await poll(id)
    expect(found(emulator, 'earlyRetries')).toEqual([])
  })

  it('is not one of several rollouts of the same chat', async () => {
    const { emulator, api } = await client()
    emulator.faults.add({ ...refusal, calls: [1, 2] })
    // Four tasks ask at once: two are refused, and two are answered.
    for (let task = 0; task < 4; task++) {
      await ask(api, 'Sing.')
    }
    expect(found(emulator, 'earlyRetries')).toEqual([])
  })

  it('is a chat that comes early twice', async () => {
    const { emulator, api } = await client()
    for (const [content, count] of [
      ['Sing.', 0],
      ['Rhyme.', 1],
    ] as const) {
      emulator.faults.add(refusal)
      for (let tries = 0; tries < 2; tries++) {
        await ask(api, content)
      }
      expect(found(emulator, 'earlyRetries')).toHaveLength(count)
    }
    expect(found(emulator, 'earlyRetries')[0]).toMatch(
      /^request 2 .*, and 1 more call did the same; wait as long as it says$/,
    )
  })

  it.each([
    ['is still a chat that comes early twice', ['Sing.', 'Rhyme.'], 1],
    ['is still one of several rollouts', ['Sing.', 'Rhyme.', 'Rhyme.', 'Rhyme.'], 0],
  ])('%s when its body was dropped', async (_what, chats, count) => {
    const { emulator, api } = await client()
    for (const content of new Set(chats)) {
      emulator.faults.add(refusal)
      await ask(api, content)
    }
    for (const content of chats) await ask(api, content)
    const user = 'x'.repeat(1_000_000)
    for (let chat = 0; chat < 20; chat++) await ask(api, `Sing ${chat} songs.`, { user })
    expect(emulator.requests.all()[0]?.bodyForgotten).toBe(true)
    expect(found(emulator, 'earlyRetries')).toHaveLength(count)
  })

  it.each<[string, string[], number[], number]>([
    ['that the library counts as a retry', ['0', '1'], [1], 1],
    [
      'of rollouts that are all refused, and repeated by nobody',
      ['0', '0', '0', '0'],
      [1, 2, 3, 4],
      0,
    ],
    // Its own refusal comes later.
    ['of a rollout that begins while another one waits', ['0', '0', '1'], [1, 2], 0],
    ['of two tasks, each at its second try', ['1', '1'], [1], 0],
  ])('a chat %s is judged by its counts of tries, %j', async (_what, tries, calls, count) => {
    const { emulator, api } = await client()
    emulator.faults.add({ ...refusal, calls })
    for (const counted of tries) {
      await ask(api, 'Sing.', {}, { 'x-stainless-retry-count': counted })
      emulator.clock.advance('1s')
    }
    expect(found(emulator, 'earlyRetries')).toHaveLength(count)
  })
})

it('the message of a failing check ends with the timeline, with an arrow before each effect', async () => {
  const { emulator, submit } = await client({ scenario: 'fails-at-once', seed: 5 })
  await submit()
  emulator.clock.advance('5s')
  await submit()
  expect(emulator.trace()).toMatchInlineSnapshot(`
    "What failed:
      +0.75s  poet cc6ed85f failed: Invalid configuration: no optimizer state could be built
    What happened (scenario "fails-at-once", seed 5, clock manual, times since 2026-01-01T00:00:00.000Z):
      +0.00s  POST /v1/preview/training-jobs 200; queued RL job cc6ed85f-369d-4b5c-84c3-2f49d79a327c on poet: 4 trajectories in 2 groups; trains 4 answers without log probabilities, which the service may skip
      +0.50s  → poet cc6ed85f started, 4 sequences
      +0.75s  → poet cc6ed85f failed: Invalid configuration: no optimizer state could be built
      +5.00s  POST /v1/preview/training-jobs 200; queued RL job fa5aa175-a6c4-4fc0-988d-c22074d92571 on poet: 4 trajectories in 2 groups; trains 4 answers without log probabilities, which the service may skip
    Now +5.00s. Scheduled:
      +5.50s  → poet fa5aa175 starts"
  `)
  expect(failedChecks(emulator)).toContain(emulator.trace())
})

/** What a check finds in an emulator. */
const found = (emulator: Emulator, check: CheckName) =>
  findingsIn(emulator)
    .filter((each) => each.check === check)
    .map(({ text }) => text)

describe('metrics out of order', () => {
  const foundIn = (rows: object[], more = {}) => {
    const emulator = createEmulator()
    aRunThat(emulator, { name: 'poem', rows, ...more })
    return found(emulator, 'unorderedMetrics')
  }

  it('are reported with the first step, and how many there are', () => {
    const rows = [{ _step: 4 }, { _step: 5 }, { _step: 2 }, { _step: 3 }, { _step: 6 }]
    expect(foundIn(rows)).toEqual([
      'the run local-team/verse/poem logged step 2 after step 5, and 1 more row: its program began again at a lower step, or two programs write to it; resume the run, or give each program a run of its own',
    ])
  })

  it('are reported if the SDK dropped them, which the output says', () => {
    const said =
      'WARNING Tried to log to step 3 that is less than the current step 5. Steps must be monotonically increasing'
    const files = { 'output.log': `Hi\n${said}` }
    expect(foundIn([{ _step: 5 }], { files })).toEqual([
      'the run local-team/verse/poem lost what its program logged at step 3, because step 5 came before; log steps in order, or use a metric of your own as the axis',
    ])
  })

  it.each([
    [[9, 8, 7], 8, 'came after 9'],
    [[-1, 0, 1], -1, 'is below 0'],
  ])('are reported if rows of training have the steps %j', (steps, step, why) => {
    const rows = steps.map((training_step, _step) => ({
      _step,
      training_step,
      'train/reward': 0.5,
    }))
    expect(foundIn(rows)).toEqual([
      `the run local-team/verse/poem logged training metrics with the training_step ${step}, which ${why}; log each step of the training with its own number, such as the step of its result`,
    ])
  })

  it.each([
    [
      'a validation of older checkpoints',
      [
        { _step: 0, training_step: 3, 'train/reward': 0.5 },
        { _step: 1, training_step: 1, 'val/reward': 0.5 },
        { _step: 2, training_step: 3, 'train/loss': 0.5 },
      ],
    ],
    [
      'a value with a step of its own',
      [{ _step: 10 }, { eval: { _step: 3 }, _step: 11 }, { _step: 1.2e1 }],
    ],
  ])('are not those of %s', (_what, rows) => {
    expect(foundIn(rows)).toEqual([])
  })
})

it('runs are reported until they are over, with the request that opened them', async () => {
  const emulator = createEmulator()
  await openRun({ emulator, fetch: emulator.fetch }, { name: 'poem' })
  const [finding] = findingsIn(emulator, { unfinishedRuns: 'fail' })
  expect(finding).toEqual({
    check: 'unfinishedRuns',
    severity: 'fail',
    text: 'the run local-team/verse/poem never finished: it was last heard at 2026-01-01T00:00:00.000Z; call finish(), or use the run in a with statement',
    requests: [1],
  })
})

describe('artifacts', () => {
  it('are reported with the request that created them, also if their collection has others', async () => {
    const emulator = createEmulator()
    const api = { emulator, fetch: emulator.fetch }
    for (const content of ['one', 'two']) await openArtifact(api, content)
    // The other requests name their files.
    expect(findingsIn(emulator).map(({ requests }) => requests)).toEqual([[1], [3]])
  })

  it('are reported until they are committed', () => {
    const emulator = createEmulator()
    anUncommittedVersion(emulator)
    expect(found(emulator, 'uncommittedArtifacts')).toEqual([
      'the artifact local-team/verse/rows was never committed (uploaded files: 1 of 2); wait until it is logged before the program ends',
    ])
  })
})
