import { describe, expect, it } from 'vitest'
import type { ScenarioInput } from '../../../src/index.js'
import { traceText } from '../../../src/emulator/testing/trace.js'
import { describeTransports } from '../../support/transports.js'
import { clientOf } from '../../support/api-client.js'
import { submit } from '../../support/trainer.js'
import { jobsWith, timelineWith } from '../../support/job-timelines.js'
import { controlled, controlledOver } from './control.js'

interface Entry {
  id: number
  text: string
}

describeTransports('the timeline of the control API', (open) => {
  it('has causes above effects, and what is scheduled after now', async () => {
    const { emulator, client, call } = await controlledOver(open, { scenario: 'failing-job' })
    emulator.createSink()
    const job = await submit(emulator)
    const other = await submit(emulator, 'painter')
    await client.clock.advance('2s')
    await emulator.webhooks.idle()
    const { entries, now, left_out } = await client.timeline({ job })
    expect({ now, left_out }).toEqual({ now: (await client.clock.state()).now, left_out: 0 })
    expect(entries.map(({ depth, kind, scheduled }) => `${depth} ${kind} ${scheduled}`)).toEqual([
      '0 request false',
      '1 job false',
      '2 delivery false',
      '3 receipt false',
      '1 job false',
      '1 job true',
    ])
    expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted())
    expect(entries[1]).toMatchObject({ cause: entries[0]!.id, job_id: job })
    expect(entries[2]!.delivery_id).toBe(emulator.webhooks.deliveries[0]!.id)
    expect(entries[3]!.record_id).toBe('1')
    expect(entries.at(-1)).toMatchObject({ id: null, cause: entries[0]!.id, job_id: job })
    const all = (await client.timeline()).entries
    expect(all.filter(({ scheduled }) => scheduled)).toHaveLength(2)
    expect(all.map(({ job_id }) => job_id)).toContain(other)
    const trace = await client.trace({ job })
    const places = entries.map(({ text }) => trace.indexOf(text))
    expect(places).toEqual(places.toSorted((one, two) => one - two))
    expect(places[0]).toBeGreaterThan(0)
    expect(trace).toMatch(
      /\nNow \+2\.00s\. Scheduled:\n {2}\+\d\.\d\ds {2}→ poet \w+ step 2 of \d+\n$/,
    )
    const { entries: told, lines } = (await call(`GET /trace?format=json&job=${job}`)).body
    expect(`${traceText(lines)}\n`).toBe(trace)
    const happened = entries.filter(({ scheduled }) => !scheduled)
    expect(told.map(({ id, text }: Entry) => ({ id, text }))).toEqual(
      happened.map(({ id, text }) => ({ id, text })),
    )
    const short = await client.timeline({ limit: 2 })
    expect(short.left_out).toBe(all.length - 2 - 2)
  })
})

it('has the refused calls of a job in its trace and its requests, and no calls of other jobs', async () => {
  const { emulator, client } = controlled()
  const api = clientOf(emulator)
  const job = await submit(emulator)
  const other = await submit(emulator, 'painter')
  const match = { operation: 'listTrainingJobEvents' }
  await client.faults.add({ fault: 'status', status: 429, match })
  for (let call = 0; call < 4; call++) await api.get(`/preview/training-jobs/${job}/events`)
  await api.get(`/preview/training-jobs/${job.toUpperCase()}/eventz`)
  await api.get(`/preview/training-jobs/${other}`)
  const about = [200, 429, 429, 429, 429, 404]
  const requests = await client.requests.list({ job })
  expect(requests.map(({ status }) => status)).toEqual(about)
  const { entries } = await client.timeline({ job })
  const calls = entries.filter(({ kind, scheduled }) => kind === 'request' && !scheduled)
  expect(calls.map(({ outcome }) => outcome)).toEqual(about.map(String))
  // The call that created it does not name it.
  expect(calls.map(({ job_id }) => job_id)).toEqual([null, ...Array(5).fill(job)])
  const trace = await client.trace({ job })
  const [failed, happened] = trace.split('What happened')
  expect(failed!.match(/\/events 429.* \(4 times\)$/gm)).toHaveLength(1)
  expect(happened!.match(/\/events 429/g)).toHaveLength(4)
  expect(trace).not.toContain(other)
})

it('shows what is scheduled in a trace before anything has happened', async () => {
  const { emulator, client } = controlled()
  await emulator.jobs.start({ model: 'poet' })
  expect(await client.trace()).toMatch(
    /^Nothing happened \(.*\)\.\nNow \+0\.00s\. Scheduled:\n {2}\+\d+\.\d\ds {2}poet /,
  )
})

describe('the lines of the timeline', () => {
  it('have no outcome for a request that is not answered yet', async () => {
    const { emulator, client } = controlled()
    await client.faults.add({ fault: 'delay', delay: '1m' })
    const answered = clientOf(emulator).get('/health')
    await emulator.settle(Promise.resolve())
    const outcomes = async () => {
      const { entries } = await client.timeline()
      return entries.filter(({ kind, scheduled }) => kind === 'request' && !scheduled)
    }
    expect(await outcomes()).toMatchObject([{ outcome: null, problem: false }])
    emulator.clock.advance('1m')
    await answered
    expect(await outcomes()).toMatchObject([{ outcome: '200', problem: false }])
  })

  it('have what their texts say of calls and steps as fields, too', async () => {
    const { emulator, client } = controlled()
    const job = await submit(emulator)
    emulator.clock.advance('3s')
    await clientOf(emulator).get('/preview/base-models?limit=2')
    const { entries } = await client.timeline()
    const subject = `poet ${job.slice(0, 8)}`
    const call = entries.find(({ text }) => text.includes('?limit=2'))!
    expect(call).toMatchObject({ method: 'GET', path: '/v1/preview/base-models', step: null })
    const [step, ...tasks] = entries.filter(({ text }) => text.startsWith(`${subject} step `))
    expect(step).toMatchObject({ subject, step: 1, steps: expect.any(Number), method: null })
    expect(step!.text).toBe(`${subject} step 1 of ${step!.steps}, ${step!.metrics}`)
    expect(tasks.at(-1)).toMatchObject({ subject, step: null, scheduled: true })
  })

  it('leave out old steps first, so that the cause of a long job stays', async () => {
    const scenario = { name: 'long', jobs: jobsWith({ count: 50 }) }
    const { emulator, client } = controlled({ scenario })
    const job = await submit(emulator)
    await client.settle()
    const { entries, left_out } = await client.timeline({ job, limit: 10 })
    expect({ left_out, length: entries.length }).toEqual({ left_out: 43, length: 10 })
    expect(entries.map(({ kind }) => kind).slice(0, 2)).toEqual(['request', 'job'])
    expect(entries[1]).toMatchObject({ event: 'training_started', depth: 1 })
    expect(entries[2]!.text).toContain('step 44 of 50')
    expect(entries.at(-1)).toMatchObject({ event: 'training_ended' })
  })

  it('say how requests, steps, deliveries and receipts went', async () => {
    const { emulator, client } = controlled({
      scenario: {
        name: 'bad-day',
        secrets: { KEY: 's3cret' },
        webhooks: [
          { name: 'hook', secret: 'KEY', retries: ['1s'], adversary: [{ do: 'wrong_secret' }] },
        ],
        automations: [{ name: 'states', webhook: 'hook', event: 'RUN_STATE' }],
        jobs: jobsWith(
          { count: 2, spoil: [{ at: 2, metric: 'loss', with: 'NaN' }] },
          { event: 'training_failed', error_message: 'out of memory' },
        ),
      },
    })
    emulator.createSink().answer({ status: 503, times: 1 })
    await submit(emulator)
    await clientOf(emulator).get('/preview/training-jobs/unknown')
    await client.settle()
    const { entries } = await client.timeline()
    const lines = entries.map(({ kind, event, attempt, outcome, problem }) => {
      return [kind, event, attempt, outcome, problem && 'problem'].filter(Boolean).join(' ')
    })
    expect(new Set(lines)).toEqual(
      new Set([
        'request 200',
        'request 404 problem',
        'job training_started',
        'job gradient_step',
        'job gradient_step NaN problem',
        'job training_failed failed problem',
        'delivery RUN_STATE 1 503 problem',
        'delivery RUN_STATE 2 200',
        'delivery RUN_STATE 1 200',
        'receipt invalid problem',
      ]),
    )
  })
})

describeTransports('the schedule of the control API', (open) => {
  it('lists what is scheduled, and the clock advances to one of them', async () => {
    const { emulator, client } = await controlledOver(open, {
      scenario: {
        name: 'scheduled',
        webhooks: [{ name: 'hook', retries: ['10s'] }],
        automations: [{ name: 'states', webhook: 'hook', event: 'RUN_STATE' }],
        faults: [{ name: 'outage', fault: 'status', status: 503, open: false }],
        timeline: [
          { at: '1m', do: 'open_fault', fault: 'outage' },
          { at: '2m', do: 'stall_job', model: 'p*' },
          { at: '3m', do: 'resume_job' },
        ],
      },
    })
    const sink = emulator.createSink()
    sink.answer({ status: 500, times: 1 })
    const job = await submit(emulator)
    expect((await client.schedule()).tasks[0]).toMatchObject({ kind: 'job', job_id: job })
    await client.clock.advance('1500ms')
    await emulator.webhooks.idle()
    const { tasks, total, now } = await client.schedule()
    expect({ total, now }).toMatchObject({
      total: (await client.clock.state()).pending,
      now: (await client.clock.state()).now,
    })
    const texts = tasks.map(({ kind, text }) => `${kind}: ${text}`)
    expect(texts).toContain('timeline: timeline: open fault "outage"')
    expect(texts).toContain('timeline: timeline: stall job of p*')
    expect(texts).toContain('timeline: timeline: resume job')
    expect(texts).toContain('delivery: RUN_STATE running to hook (attempt 2)')
    const retry = tasks.find(({ kind }) => kind === 'delivery')!
    expect(retry).toMatchObject({ job_id: job, delivery_id: emulator.webhooks.deliveries[0]!.id })
    const { now: then } = await client.clock.advanceTo(retry.at)
    expect(then).toBe(retry.at)
    await emulator.webhooks.idle()
    expect(emulator.webhooks.deliveries[0]!.status).toBe('delivered')
    expect((await client.schedule({ job })).tasks.map(({ job_id }) => job_id)).not.toContain(null)
    expect((await client.schedule({ limit: 1 })).tasks).toHaveLength(1)
    await expect(client.schedule({ job: 'x' })).rejects.toMatchObject({ status: 404 })
    await client.settle()
    expect(await client.schedule()).toMatchObject({ total: 0, tasks: [] })
    // oxlint-disable-next-line typescript/no-deprecated -- The name of 0.2.
    expect(await client.agenda()).toEqual(await client.schedule())
    expect(await client.trace()).not.toContain('Scheduled')
  })

  it('says what comes with the next job, event or call', async () => {
    const { emulator, client } = controlled({
      scenario: {
        name: 'conditional',
        jobs: [
          { match: { model: 'poet', ordinal: 1 }, timeline: [{ event: 'never' }] },
          {
            match: { model: 'poet', ordinal: 3 },
            timeline: timelineWith(
              { count: 2, spoil: [{ at: [1, 2], metric: 'loss', with: 'NaN' }] },
              { event: 'training_failed', error_message: 'out of memory' },
            ),
          },
          { timeline: [{ event: 'training_started' }, { event: 'training_ended' }] },
          { match: { model: 'never-reached' }, timeline: [{ event: 'never' }] },
        ],
        faults: [
          {
            fault: 'status',
            status: 503,
            match: { operation: 'listBaseModels' },
            calls: { to: 3 },
          },
          { name: 'closed', fault: 'drop', open: false },
          { name: 'over', fault: 'drop', during: { to: '1s' } },
          { fault: 'hang', match: { judge: true, step: { at_least: 1 } } },
        ],
        timeline: [
          {
            after: { event: 'training_ended', model: 'poet' },
            wait: '2s',
            do: 'open_fault',
            fault: 'closed',
          },
          {
            after: { event: 'run_state_changed', run: 'poem', state: 'failed' },
            do: 'close_fault',
            fault: 'closed',
          },
        ],
      },
    })
    await client.clock.advance('1s')
    await clientOf(emulator).get('/preview/base-models')
    const job = await submit(emulator)
    await submit(emulator)
    emulator.faults.for({ model: 'poet', user: 'ada' }).add({ fault: 'drop' })
    const { conditional } = await client.schedule()
    expect(conditional.map(({ kind, when, text }) => `${kind}: ${when}: ${text}`)).toEqual([
      'fault: The next call of listBaseModels: status 503, 2 calls left, 1 call so far',
      'fault: The next call that asks a judge for the step {"at_least":1}: hang',
      'fault: The next call about poet by ada: drop',
      'job: When job 1 of poet is over: job 2 of poet can start',
      'job: Job 3 of poet: starts, takes 2 steps, loss NaN at steps 1–2, fails: out of memory',
      'job: Any other job: starts, ends',
      'timeline: After training ended of poet, 2s later: open fault "closed"',
      'timeline: After run state changed of the run poem in the state failed: close fault "closed"',
    ])
    expect(conditional[0]!.fault_id).toBe((await client.faults.list())[0]!.id)
    expect((await client.schedule({ job })).conditional).toEqual([])
  })

  it('lists the rules behind one whose jobs a function selects', async () => {
    const jobs: ScenarioInput['jobs'] = [
      { match: ({ kind }) => kind === 'sft', timeline: [{ event: 'training_ended' }] },
      { match: { model: 'poet' }, timeline: [{ event: 'training_ended' }] },
    ]
    const { client } = controlled({ scenario: { name: 'own', jobs } })
    const { conditional } = await client.schedule()
    expect(conditional.map(({ when }) => when)).toEqual([
      'The next job that a function selects',
      'The next job of poet',
    ])
  })

  it('names the next ten jobs that wait for their model', async () => {
    const { emulator, client } = controlled({ clock: 'manual' })
    const ids: string[] = []
    for (let count = 0; count < 14; count++) ids.push(await submit(emulator))
    emulator.jobs.fail(ids[1])
    const { conditional } = await client.schedule()
    const waiting = conditional.filter(({ when }) => when.endsWith(' of poet is over'))
    expect(waiting.map(({ text }) => text)).toEqual(
      Array.from({ length: 10 }, (_, index) => `job ${index + 3} of poet can start`),
    )
    expect(waiting.slice(0, 2).map(({ when }) => when)).toEqual([
      'When job 1 of poet is over',
      'When job 3 of poet is over',
    ])
  })

  it('says for which time an event counts, and no more once that is over', async () => {
    const started = { event: 'training_started' as const }
    const { emulator, client } = controlled({
      scenario: {
        name: 'times',
        timeline: [
          { after: { ...started, occurrence: 1 }, do: 'stall_job' },
          { after: { ...started, occurrence: [1, 2] }, do: 'resume_job' },
          { after: { ...started, occurrence: { from: 2, every: 3 } }, do: 'fail_job' },
        ],
      },
    })
    const entries = async () => {
      const { conditional } = await client.schedule()
      return conditional.flatMap(({ kind, when }) => (kind === 'timeline' ? when : []))
    }
    const before = [
      'After training started for the first time',
      'After training started for the first and second time',
      'After training started from the second time on, every third time',
    ]
    expect(await entries()).toEqual(before)
    await submit(emulator)
    emulator.clock.advance('2s')
    expect(await entries()).toEqual(before.slice(1))
  })

  it('has times at which a task is due, also if it was scheduled under a real clock', async () => {
    const { emulator, client } = controlled({
      clock: 'real',
      scenario: {
        name: 'later',
        faults: [{ name: 'outage', fault: 'drop', open: false }],
        timeline: [{ at: '1h', do: 'open_fault', fault: 'outage' }],
      },
    })
    // The timeline begins with the first request.
    await clientOf(emulator).get('/health')
    emulator.useClock('manual')
    const { tasks } = await client.schedule()
    expect((await client.clock.state()).next_at).toBe(tasks[0]!.at)
    await client.clock.advanceTo(tasks[0]!.at)
    expect((await client.faults.list())[0]).toMatchObject({ open: true })
    expect((await client.schedule()).tasks).toEqual([])
  })
})
