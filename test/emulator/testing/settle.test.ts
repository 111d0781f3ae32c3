import { mock } from 'node:test'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { nextTurn } from '../../../src/base/clock/wall.js'
import {
  createEmulator,
  SettleError,
  type Emulator,
  type ScenarioInput,
} from '../../../src/index.js'
import { controlled } from '../control/control.js'
import { describeTransports, type Api } from '../../support/transports.js'
import { createModel, listEvents, startJob } from '../../support/trainer.js'
import { until } from '../../support/until.js'
import { bearer } from '../../support/api-client.js'

type JobRule = NonNullable<ScenarioInput['jobs']>[number]

/** A client as users write them: it polls, and pauses between its polls. */
async function train(api: Api, pause: () => Promise<void>): Promise<string> {
  const { id } = await createModel(api)
  const job = await startJob(api, id)
  for (;;) {
    const last = (await listEvents(api, job)).at(-1)?.type ?? ''
    if (/ended|failed/.test(last)) return last
    await pause()
  }
}

const breath = () => new Promise<void>(setImmediate)

describeTransports('emulator.settle()', (open) => {
  it.each(['manual', 'auto', 'instant'] as const)(
    'runs a %s world until nothing is left to do',
    async (clock) => {
      const api = await open({ clock, scenario: 'failing-job' })
      const { id } = await createModel(api)
      const job = await startJob(api, id)
      const report = await api.emulator.settle()
      expect((await listEvents(api, job)).at(-1)!.type).toBe('training_failed')
      expect(report.happened).toBe(clock === 'instant' ? 0 : 5)
      expect(report.to).toBe('2026-01-01T00:00:05.000Z')
      if (clock !== 'instant') expect(String(report)).toMatch(/failed: CUDA out of memory/)
    },
  )

  it.each(['manual', 'auto', 'instant', 'real'] as const)(
    'continues under %s until a promise settles, and then until nothing is left to do',
    async (clock) => {
      const api = await open({ clock, ...(clock === 'real' && { speed: 1000 }) })
      const outcome = train(api, breath)
      await api.emulator.settle(outcome)
      expect(await outcome).toBe('training_ended')
      await startJob(api, (await createModel(api, 'other')).id)
      await api.emulator.settle()
      expect(api.emulator.clock.pending).toBe(0)
    },
  )

  it('does not reject if the promise rejects', async () => {
    const api = await open()
    const outcome = Promise.reject(new Error('mine'))
    await api.emulator.settle(outcome)
    await expect(outcome).rejects.toThrow('mine')
  })

  it('waits for delayed responses', async () => {
    const faults = [{ fault: 'delay' as const, delay: '10m' }]
    const api = await open({ scenario: { name: 'x', faults } })
    const answer = api.get('/health')
    await until('the clock has a task', () => api.emulator.clock.pending > 0)
    await api.emulator.settle()
    expect((await answer).status).toBe(200)
  })
})

it.each(['real', 'auto', 'manual'] as const)(
  'the report of emulator.settle() counts all tasks that ran, whoever moved the %s clock',
  async (clock) => {
    const emulator = createEmulator({
      scenario: 'stuck-job',
      clock,
      ...(clock === 'real' && { speed: 1000 }),
    })
    const { id } = await emulator.jobs.start()
    const url = `${emulator.trainingUrl}/preview/training-jobs/${id}`
    const polls = async (): Promise<void> => {
      while (emulator.job(id).gradientSteps < 2) {
        await emulator.fetch(url, { headers: bearer() })
        await breath()
      }
    }
    const report = await emulator.settle(clock === 'manual' ? undefined : polls())
    expect(report.happened).toBe(3)
    const [head, ...lines] = String(report).split('\n')
    expect(head).toBe(
      `From ${report.from} to ${report.to}: 3 scheduled tasks ran, ${report.entries.length} journal entries.`,
    )
    expect(lines.filter((line) => line.includes(id.slice(0, 8)))).not.toHaveLength(0)
  },
)

it('reports what happened since a reset, if there was one', async () => {
  const emulator = createEmulator({ clock: 'manual' })
  await emulator.jobs.start({ model: 'poet' })
  await emulator.settle()
  const ended = new Promise<void>((resolve) => {
    emulator.journal.subscribe((entry) => {
      if (entry.kind === 'job' && entry.event === 'training_ended') resolve()
    })
  })
  const settling = emulator.settle(ended)
  emulator.reset()
  await emulator.jobs.start({ model: 'poet' })
  expect((await settling).entries).toEqual(emulator.journal.entries)
  expect(emulator.journal.entries.length).toBeGreaterThan(3)
})

describe('a world that does not settle', () => {
  it('is reported after the limit, with the latest events', async () => {
    const emulator = createEmulator({ clock: 'manual' })
    const never = new Promise(() => {})
    const settling = emulator.settle(never, { within: 30 })
    await expect(settling).rejects.toThrow(SettleError)
    await expect(settling).rejects.toThrow(
      'the promise is pending after 30 ms, and nothing is left to do for it. 0 requests are being answered, 0 deliveries are on their way, 0 tasks are scheduled later.',
    )
    await expect(settling).rejects.toMatchObject({ code: 'SVTRAIN_NOT_SETTLED' })
  })

  it('is reported with the job that never ends, and each poll once', async () => {
    const emulator = createEmulator({ scenario: 'stuck-job' })
    const { id } = await emulator.jobs.start({ model: 'poet' })
    const url = `${emulator.trainingUrl}/preview/training-jobs/${id}`
    const controller = new AbortController()
    const outcome = (async () => {
      while (!controller.signal.aborted) {
        await emulator.fetch(url, { headers: bearer() })
        await breath()
      }
    })()
    const settling = emulator.settle(outcome, { within: '300ms' })
    const error = (await settling.catch((caught: unknown) => caught)) as SettleError
    controller.abort()
    await outcome
    expect(error).toBeInstanceOf(SettleError)
    expect(error.message).toContain(
      `the promise is pending after 300 ms. Job ${id.slice(0, 8)} of model "poet" is running and will never end: its scenario has no more events for it, so finish or fail it.`,
    )
    expect(error.message.match(/^ {2}\S+ GET /gm)!.length).toBeLessThan(8)
    expect(error.message).toMatch(/… \d+ more like GET \S+ 200$/m)
  })

  it('is reported with its stalled job, but not with one that has ended', async () => {
    const { emulator, client } = controlled()
    await emulator.jobs.start({ model: 'poet' })
    await emulator.settle()
    const { id } = await emulator.jobs.start({ model: 'poet' })
    await client.jobs.stall(id)
    const settling = emulator.settle(new Promise(() => {}), { within: 10 })
    await expect(settling).rejects.toThrow(
      `ms. Job ${id.slice(0, 8)} of model "poet" is queued and will never end: it is stalled.`,
    )
  })

  it('is reported before test runners time out, unless something still happens', async () => {
    const settling = createEmulator().settle(new Promise(() => {}))
    await expect(settling).rejects.toThrow('the promise is pending after 4000 ms without progress')
  })

  it('counts only time in which a client had its turns', async () => {
    const emulator = createEmulator({ clock: 'auto' })
    const at = emulator.clock.now() + 60_000
    emulator.clock.at(at, () => {})
    let turns = 0
    const client = (async () => {
      // A busy machine: each turn takes long.
      for (; turns < 2; turns++) {
        const began = performance.now()
        while (performance.now() - began < 60);
        await nextTurn()
      }
      return emulator.clock.now() < at
    })()
    await emulator.settle(client)
    expect(await client).toBe(true)
  })

  it('can take exactly the allowed number of steps', async () => {
    const emulator = createEmulator({ clock: 'manual' })
    for (let at = 1; at <= 5; at++) emulator.clock.at(emulator.clock.now() + at, () => {})
    expect((await emulator.settle(undefined, { most: 5 })).happened).toBe(5)
    for (let at = 1; at <= 6; at++) emulator.clock.at(emulator.clock.now() + at, () => {})
    const settling = emulator.settle(undefined, { most: 5 })
    await expect(settling).rejects.toMatchObject({ report: { happened: 5 } })
    expect(emulator.clock.pending).toBe(1)
  })
})

describe("a test runner's fake timers", () => {
  afterEach(() => void vi.useRealTimers())

  describeTransports('do not stop the emulator,', (open) => {
    it('and do not stop settle()', async () => {
      const api = await open()
      vi.useFakeTimers({
        toFake: ['setTimeout', 'setInterval', 'Date', 'performance', 'setImmediate'],
      })
      const { id } = await createModel(api)
      const job = await startJob(api, id)
      await api.emulator.settle()
      expect((await listEvents(api, job)).at(-1)!.type).toBe('training_ended')
    })

    it('and advance with it, if it has a function for that', async () => {
      const api = await open()
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const outcome = train(api, () => new Promise((resolve) => void setTimeout(resolve, 1000)))
      await api.emulator.settle(outcome, {
        advanceTimers: (ms) => vi.advanceTimersByTimeAsync(ms),
      })
      expect(await outcome).toBe('training_ended')
    })
  })
})

describe('a client under fake timers', () => {
  const toFake = ['setTimeout', 'clearTimeout', 'Date'] as const
  const advanceTimers = (ms: number) => vi.advanceTimersByTimeAsync(ms)
  const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms))

  beforeEach(() => void vi.useFakeTimers({ toFake: [...toFake] }))
  afterEach(() => void vi.useRealTimers())

  /** Polls a job every 2 seconds until it is over, for at most 5 minutes. Each poll has a second. */
  async function watch({ trainingUrl, fetch, jobs }: Emulator) {
    const { id } = await jobs.start({ model: 'poet' })
    const start = Date.now()
    const polls: number[] = []
    let late = 0
    while (Date.now() - start < 300_000) {
      const abort = new AbortController()
      const timer = setTimeout(() => abort.abort(), 1000)
      polls.push(Date.now() - start)
      const url = `${trainingUrl}/preview/training-jobs/${id}`
      const answer = await fetch(url, { headers: bearer(), signal: abort.signal }).catch(() => {})
      clearTimeout(timer)
      if (answer === undefined) late++
      else if (/ended|failed/.test(((await answer.json()) as { status: string }).status)) break
      await pause(2000)
    }
    return { polls, late, took: Date.now() - start }
  }

  it('sees each of its timers at its time, in few steps', async () => {
    const emulator = createEmulator({ scenario: 'stuck-job' })
    const outcome = watch(emulator)
    const advance = vi.fn<typeof advanceTimers>(advanceTimers)
    await emulator.settle(outcome, { advanceTimers: advance })
    const polls = Array.from({ length: 150 }, (_, index) => index * 2000)
    expect(await outcome).toEqual({ polls, late: 0, took: 300_000 })
    expect(advance.mock.calls.length).toBeLessThan(150 * 5)
  })

  it('gets its answers in time, also if the clock moves far', async () => {
    const timeline = [{ event: 'training_ended' as const, after: '2m' }]
    const emulator = createEmulator({
      clock: 'manual',
      scenario: { name: 'x', jobs: [{ timeline }] },
    })
    const outcome = watch(emulator)
    await emulator.settle(outcome, { advanceTimers })
    expect(await outcome).toMatchObject({ late: 0 })
  })

  it.each([100, 250, 298, 302, 350])(
    'shares its time with a manual clock: a job of %i s ends before its limit of 300 s or after it',
    async (seconds) => {
      const timeline = [
        { event: 'training_started' as const, after: '10s' },
        { event: 'training_ended' as const, after: `${seconds - 10}s` },
      ]
      const emulator = createEmulator({
        clock: 'manual',
        scenario: { name: 'x', jobs: [{ timeline }] },
      })
      const begun = emulator.clock.now()
      const outcome = watch(emulator)
      await emulator.settle(outcome, { advanceTimers })
      const { took, late } = await outcome
      const seen = Math.ceil(seconds / 2) * 2000
      expect({ took, late }).toEqual({ took: Math.min(seen, 300_000), late: 0 })
      expect(emulator.clock.now() - begun).toBe(took)
    },
  )

  it('gives up a response that hangs at the end of its own limit', async () => {
    const faults = [{ fault: 'hang' as const }]
    const emulator = createEmulator({ scenario: { name: 'x', faults } })
    const abort = new AbortController()
    const { signal } = abort
    const outcome = emulator.fetch(`${emulator.trainingUrl}/health`, { headers: bearer(), signal })
    const start = Date.now()
    let took: number | undefined
    setTimeout(() => {
      took = Date.now() - start
      abort.abort()
    }, 600_000)
    await emulator.settle(outcome, { advanceTimers })
    await expect(outcome).rejects.toThrow('abort')
    expect(took).toBe(600_000)
  })

  it('that never ends is reported with how far its timers advanced', async () => {
    const emulator = createEmulator({ clock: 'manual', scenario: 'stuck-job' })
    await emulator.jobs.start({ model: 'poet' })
    const settling = emulator.settle(new Promise(() => {}), { within: 50, advanceTimers })
    await expect(settling).rejects.toThrow(
      /after 50 ms, in which the fake timers advanced by \d\S*[smh]\. Job .* will never end: its scenario has no more events for it, so finish or fail it\. Give your client a shorter limit, or pass \{ within: '30s' \}/,
    )
  })

  it('is refused if a timeout that it clears would fire', async () => {
    vi.useRealTimers()
    vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] })
    const settling = createEmulator().settle(pause(1), { advanceTimers })
    await expect(settling).rejects.toThrow(
      "setTimeout is faked and clearTimeout is not, so a timeout that was cleared still fires. Fake both: vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }).",
    )
  })

  it('may use those of node:test, which pass a timer by a quarter of the wait', async () => {
    vi.useRealTimers()
    mock.timers.enable({ apis: ['setTimeout', 'Date'] })
    onTestFinished(() => mock.timers.reset())
    const start = Date.now()
    const outcome = pause(600_000).then(() => Date.now() - start)
    const advance = vi.fn<(ms: number) => void>((ms) => mock.timers.tick(ms))
    await createEmulator().settle(outcome, { advanceTimers: advance })
    expect(await outcome).toBeLessThan(600_000 + 2000)
    expect(advance.mock.calls.length).toBeLessThan(400)
  })
})

describeTransports('a change of the clock mode', (open) => {
  it('continues from the current time', async () => {
    const timeline: JobRule['timeline'] = [
      { event: 'training_started', after: '1s' },
      { event: 'gradient_step', count: 1 },
      { event: 'pause', for: '1s' },
      { event: 'gradient_step', count: 2 },
      { event: 'training_ended', after: '1s' },
    ]
    const api = await open({ clock: 'manual', scenario: { name: 'pausing', jobs: [{ timeline }] } })
    const { emulator } = api
    const job = await startJob(api, (await createModel(api)).id)
    emulator.clock.advance('1s')
    emulator.useClock('auto')
    expect(await listEvents(api, job)).toHaveLength(1)
    // A client that polls the record sees one more event at each poll.
    for (let poll = 0; poll < 2; poll++) await api.get(`/preview/training-jobs/${job}`)
    expect(await listEvents(api, job)).toHaveLength(2)
    emulator.useClock('real', { speed: 100_000 })
    await until('the job has ended', async () => {
      return (await listEvents(api, job)).at(-1)!.type === 'training_ended'
    })
    emulator.useClock('manual')
    const stopped = emulator.clock.now()
    await breath()
    expect(emulator.clock.now()).toBe(stopped)
    expect(stopped).toBeGreaterThanOrEqual(Date.UTC(2026, 0, 1, 0, 0, 6))
  })

  it('to instant finishes running jobs', async () => {
    const api = await open({ clock: 'manual' })
    const job = await startJob(api, (await createModel(api)).id)
    api.emulator.useClock('instant')
    expect((await listEvents(api, job)).at(-1)!.type).toBe('training_ended')
  })
})
