import { describe, expect, it } from 'vitest'
import { jobsWith } from '../../support/job-timelines.js'
import { controlled } from './control.js'

describe('jobs in the control API', () => {
  it('are shown with all fields', async () => {
    const { emulator, call } = controlled({ scenario: 'failing-job' })
    const { body: made } = await call('POST /jobs', { model: 'poet', trajectories: 4 })
    emulator.clock.advance('1m')
    const { body: job } = await call(`GET /jobs/${made.id}`)
    expect(job).toMatchObject({
      id: made.id,
      kind: 'rl',
      model: { entity: 'local-team', project: 'demo', name: 'poet' },
      ordinal: 1,
      status: 'failed',
      stalled: false,
      step: 3,
      steps: 6,
      latest: { reward: 0.5, num_trajectories: 4 },
      created_at: '2026-01-01T00:00:00.000Z',
      training_start: '2026-01-01T00:00:01.000Z',
      training_end: '2026-01-01T00:00:05.000Z',
      error_message: expect.stringContaining('out of memory'),
      checkpoint_step: null,
      events: 5,
    })
    const cause = emulator.journal.entries.find(({ id }) => id === job.request_id)
    expect(cause).toMatchObject({ kind: 'note', text: 'control: a job on poet' })
  })

  it('are listed newest first, and filtered by model and state', async () => {
    const { call } = controlled()
    const { body: first } = await call('POST /jobs', { model: 'poet' })
    const { body: second } = await call('POST /jobs', { model: 'painter' })
    await call(`POST /jobs/${first.id}/fail`)
    const ids = async (query: string): Promise<string[]> => {
      const { body } = await call(`GET /jobs${query}`)
      return body.jobs.map(({ id }: { id: string }) => id)
    }
    expect(await ids('')).toEqual([second.id, first.id])
    expect(await ids('?model=poet')).toEqual([first.id])
    expect(await ids(`?model=${second.model.id}`)).toEqual([second.id])
    expect(await ids('?status=failed')).toEqual([first.id])
    expect(await ids('?status=failed&model=painter')).toEqual([])
    expect(await ids('?limit=1')).toEqual([second.id])
  })

  it('say behind which job they are queued, everywhere', async () => {
    const { emulator, client } = controlled()
    const { id: first } = await emulator.jobs.start({ model: 'poet' })
    emulator.clock.advance('2s')
    const { id } = await emulator.jobs.start({ model: 'poet' })
    const queued = (state: string): string =>
      `it is queued behind ${first.slice(0, 8)}, which ${state}`
    expect(await client.jobs.get(id)).toMatchObject({ why_waiting: queued('is running') })
    await client.jobs.stall(first)
    const why = queued('is stalled')
    expect(await client.jobs.get(id)).toMatchObject({ status: 'queued', why_waiting: why })
    expect(await client.jobs.get(first)).toMatchObject({ why_waiting: 'it is stalled' })
    expect(() => emulator.jobs.advance(first)).toThrow('it is stalled')
    expect((await client.pending()).pending.map((each) => each.why)).toEqual([
      'stalled, 1 of 4 steps taken',
      `queued, 0 of 4 steps taken: ${why}`,
    ])
    expect(await client.trace({ job: id })).toMatch(new RegExp(`\\nThe job waits: ${why}\\.\\n$`))
    expect(() => emulator.jobs.advance(id)).toThrow(`${why}.`)
    await expect(emulator.settle(new Promise(() => {}), { within: 10 })).rejects.toThrow(
      `is queued and will never end: ${why}.`,
    )
  })

  it('say that nothing more is scheduled for them', async () => {
    const { emulator, client } = controlled({ scenario: 'stuck-job' })
    const { id } = await emulator.jobs.start({ model: 'poet' })
    expect(await client.jobs.get(id)).toMatchObject({ status: 'queued', why_waiting: null })
    emulator.clock.advance('1h')
    const why = 'its scenario has no more events for it, so finish or fail it'
    const state = { status: 'running', stalled: false, why_waiting: why }
    expect(await client.jobs.get(id)).toMatchObject(state)
    const [pending] = (await client.pending()).pending
    expect(pending!.why).toBe(`running, 2 of 6 steps taken: ${why}`)
    expect(await client.trace({ job: id })).toContain(`\nThe job waits: ${why}.\n`)
    expect(emulator.trace()).toContain(`\nStuck:\n  poet ${id.slice(0, 8)}: ${why}`)
    expect(() => emulator.jobs.advance(id)).toThrow(why)
    await expect(client.jobs.resume(id)).rejects.toThrow(`it is not stalled, and ${why}.`)
    await client.jobs.finish(id)
    expect(emulator.trace()).not.toContain('Stuck')
  })

  it('can be finished also if whoever hears of their events ends them first', async () => {
    const { emulator } = controlled({ scenario: 'happy-path' })
    const { id } = await emulator.jobs.start({ model: 'poet' })
    emulator.journal.subscribe((entry) => {
      if (entry.kind === 'job' && entry.event === 'training_started') emulator.jobs.fail(id)
    })
    emulator.jobs.finish(id)
    expect(emulator.jobs.get(id).status).toBe('failed')
  })

  it('say that they were resumed from a snapshot, and their state', async () => {
    const { emulator, client } = controlled({ scenario: 'stuck-job' })
    const { id } = await emulator.jobs.start({ model: 'poet' })
    emulator.clock.advance('1h')
    emulator.restore(await emulator.snapshot())
    expect(await client.trace({ job: id })).toMatch(
      /^Resumed from a snapshot, whose journal is not in it: the job is running, 2 of 6 steps taken /,
    )
  })

  it('can be failed, finished, stalled and resumed', async () => {
    const { emulator, call } = controlled()
    const { body: job } = await call('POST /jobs', { model: 'poet' })
    emulator.clock.advance('2s')
    const stalled = await call(`POST /jobs/${job.id}/stall`)
    expect(stalled.body).toMatchObject({ stalled: true, step: 1 })
    emulator.clock.advance('1h')
    expect((await call(`GET /jobs/${job.id}`)).body.step).toBe(1)
    expect((await call(`POST /jobs/${job.id}/resume`)).body.stalled).toBe(false)
    const { body: finished } = await call(`POST /jobs/${job.id}/finish`)
    expect(finished).toMatchObject({ status: 'ended', step: 6, checkpoint_step: 1 })

    const { body: other } = await call('POST /jobs', { model: 'poet', kind: 'sft' })
    const { body: failed } = await call(`POST /jobs/${other.id}/fail`, { error_message: 'no luck' })
    expect(failed).toMatchObject({ kind: 'sft', status: 'failed', error_message: 'no luck' })
  })

  it.each(['fail', 'finish', 'stall', 'resume'])('that have ended refuse to %s', async (verb) => {
    const { call } = controlled({ clock: 'instant' })
    const { body: job } = await call('POST /jobs', {})
    const refused = await call(`POST /jobs/${job.id}/${verb}`)
    expect(refused).toEqual({
      status: 409,
      body: { detail: `Failed to ${verb} job ${job.id}: it has ended.` },
    })
  })

  it('have events with their times, in both orders', async () => {
    const { call } = controlled()
    const { body: job } = await call('POST /jobs', { model: 'poet', trajectories: 3 })
    await call('POST /clock/advance', { by: '2s' })
    await call(`POST /jobs/${job.id}/stall`)
    await call('POST /clock/advance', { by: '10s' })
    await call(`POST /jobs/${job.id}/resume`)
    await call('POST /clock/settle')
    const { body } = await call(`GET /jobs/${job.id}/events`)
    expect(body.total).toBe(5)
    expect(body.events.map(({ type, at }: Event) => `${at.slice(17, 19)} ${type}`)).toEqual([
      '01 training_started',
      '02 gradient_step',
      '13 gradient_step',
      '14 gradient_step',
      '15 training_ended',
    ])
    const slice = await call(`GET /jobs/${job.id}/events?from=-2&limit=1`)
    expect(slice.body.events).toEqual([body.events[3]])
    expect((await call(`GET /jobs/${job.id}/events?from=9`)).body.events).toEqual([])
    expect((await call(`GET /jobs/${job.id}/events?limit=1001`)).status).toBe(400)
  })

  it('name the numbers that JSON cannot express', async () => {
    const { call } = controlled({ scenario: 'nan-metrics', clock: 'instant' })
    const { body: job } = await call('POST /jobs', {})
    const { body } = await call(`GET /jobs/${job.id}/events?limit=1000`)
    const losses = body.events.map(({ data }: Event) => data.loss)
    expect(losses).toContain('NaN')
    const { body: series } = await call(`GET /jobs/${job.id}/metrics`)
    expect(series.metrics.loss).toContain(null)
  })
})

interface Event {
  type: string
  at: string
  data: Record<string, unknown>
}

describe('the metrics of a long job', () => {
  let computed = 0
  const peakAt = ({ step }: { step: number }): number => {
    computed++
    return Number(step === 5432)
  }
  const steps = { count: 10_000, every: '1ms' }
  const scenario = { name: 'long', jobs: jobsWith({ ...steps, metrics: { peak: peakAt } }) }

  it('are thinned without losing a peak', async () => {
    const { call } = controlled({ scenario, clock: 'instant' })
    const { body: job } = await call('POST /jobs', {})
    const { body } = await call(`GET /jobs/${job.id}/metrics?points=100`)
    expect(body.steps.length).toBeLessThanOrEqual(100)
    expect(body.steps.length).toBeGreaterThan(50)
    expect(body.steps).toEqual(body.steps.toSorted((one: number, other: number) => one - other))
    expect([body.steps[0], body.steps.at(-1)]).toEqual([1, 10_000])
    const peak: number[] = body.metrics.peak
    expect(Math.max(...peak)).toBe(1)
    expect(body.steps[peak.indexOf(1)]).toBe(5432)
    expect(body.not_finite).toEqual({})
    for (const points of [2, 3, 7]) {
      const { body: few } = await call(`GET /jobs/${job.id}/metrics?points=${points}`)
      expect(few.steps.length).toBeLessThanOrEqual(points)
      expect([few.steps[0], few.steps.at(-1)]).toEqual([1, 10_000])
    }
  })

  it('are the values of their steps, and say where they are NaN or infinite', async () => {
    const lossAt = (step: number) => Math.round(Math.sin(step) * 1e6) / 1e6
    const metrics = { loss: ({ step }: { step: number }) => lossAt(step) }
    const spoil = [
      {
        at: Array.from({ length: 11 }, (_, place) => 6000 + place),
        metric: 'loss',
        with: 'NaN' as const,
      },
      { at: 7001, metric: 'loss', with: '-Infinity' as const },
      { at: 2, metric: 'constructor', with: 'NaN' as const },
    ]
    const isBad = (step: number) => step === 7001 || (step >= 6000 && step <= 6010)
    const jobs = jobsWith({ ...steps, metrics, spoil })
    const { call } = controlled({ scenario: { name: 'bad', jobs }, clock: 'instant' })
    const { body: job } = await call('POST /jobs', {})
    const runs = [
      { from: 6000, to: 6010, value: 'NaN' },
      { from: 7001, to: 7001, value: '-Infinity' },
    ]
    for (const points of [10_000, 200, 10]) {
      const { body } = await call(`GET /jobs/${job.id}/metrics?points=${points}`)
      const odd = [{ from: 2, to: 2, value: 'NaN' }]
      expect(body.not_finite).toEqual({ loss: runs, constructor: odd })
      expect(body.metrics.loss).toEqual(
        body.steps.map((step: number) => (isBad(step) ? null : lossAt(step))),
      )
    }
  })

  it('cost little if only a part of the events is read', async () => {
    const { call } = controlled({ scenario, clock: 'instant' })
    const { body: job } = await call('POST /jobs', {})
    computed = 0
    const { body } = await call(`GET /jobs/${job.id}/events?from=9000&limit=10`)
    expect(body.events[0].index).toBe(9000)
    expect(computed).toBe(10)
  })
})
