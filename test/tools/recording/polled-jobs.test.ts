import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFetch } from '../../../src/emulator/adapters/fetch.js'
import { createEmulator, type ScenarioInput } from '../../../src/index.js'
import type { RecordedExchange } from '../../../src/tools/recording/exchanges.js'
import { scenarioFrom, type MadeScenario } from '../../../src/tools/recording/scenario-from.js'
import { checkScenario } from '../../../src/service/scenario/check-scenario.js'
import { apiClient } from '../../support/api-client.js'
import { recordCalls } from './recorded-calls.js'
import { createModel, startJob } from '../../support/trainer.js'

/** A client that starts jobs, and asks for their records in turn until all are over. */
interface Client {
  /** The model of each job. */
  models: readonly string[]
  every: string
  polls: number
  /** Whether it also lists the events of jobs that are not over. */
  lists?: boolean
}

const ONE: Client = { models: ['poet'], every: '2s', polls: 30 }

interface Watched {
  recorded: RecordedExchange[]
  /** What the client saw of each job at each poll. */
  seen: string[][]
}

async function watch(
  scenario: Omit<ScenarioInput, 'name'>,
  { models, every, polls, lists = false }: Client = ONE,
): Promise<Watched> {
  const emulator = createEmulator({
    scenario: checkScenario({ name: 'own', ...scenario }),
    clock: 'manual',
  })
  const recorded = recordCalls(emulator)
  const client = apiClient(
    emulator,
    createFetch(emulator.handle, (url) => emulator.hostOf(url)),
  )
  const jobs: string[] = []
  for (const name of models) {
    const { id } = await createModel(client, { name, return_existing: true })
    jobs.push(await startJob(client, id))
  }
  const seen = jobs.map((): string[] => [])
  for (let poll = 0; poll < polls; poll++) {
    emulator.clock.advance(every)
    for (const [index, job] of jobs.entries()) {
      const { body } = await client.get(`/preview/training-jobs/${job}`)
      const { status, error_message: error } = body
      seen[index]!.push(error === null ? status : `${status}: ${error}`)
    }
    const areOver = seen.every((statuses) => /ended|failed/.test(statuses.at(-1)!))
    if (areOver) break
    if (!lists) continue
    for (const job of jobs) await client.get(`/preview/training-jobs/${job}/events`)
  }
  await emulator.close()
  return { recorded, seen }
}

function made(recorded: readonly RecordedExchange[]): MadeScenario {
  return scenarioFrom({ recorded, source: 'a test', contents: 'redacted', name: 'made' })
}

/** Changes the answers about whole jobs, as another service would give them. */
function withRecords(
  recorded: readonly RecordedExchange[],
  change: (record: Record<string, unknown>) => object,
): RecordedExchange[] {
  return recorded.map((each) => {
    const isRecord = /^\/preview\/training-jobs(?:\/[^/]+)?$/.test(each.request.path)
    return isRecord ? { ...each, text: JSON.stringify(change(JSON.parse(each.text))) } : each
  })
}

const NCCL = 'NCCL watchdog: rank 3 lost'

function timelineOf({ scenario }: MadeScenario) {
  return scenario.jobs.map(({ timeline }) => timeline)
}

const failing: Omit<ScenarioInput, 'name'> = {
  jobs: [
    {
      timeline: [
        { event: 'training_started', after: '7s' },
        { event: 'gradient_step', every: '10s', count: 2 },
        { event: 'training_failed', after: '3500ms', error_message: NCCL },
      ],
    },
  ],
}

/** The first lines of a file, as one line. */
function commentOf({ text }: MadeScenario): string {
  return text.slice(0, text.indexOf('\nname:')).replaceAll('\n# ', ' ')
}

describe('a job whose record a client polls', () => {
  it('is queued as long, runs as long, and fails with the same message', async () => {
    const { recorded } = await watch(failing)
    const scenario = made(recorded)
    expect(timelineOf(scenario)).toEqual([
      [
        { event: 'training_started', after: '7s' },
        { event: 'training_failed', after: '23.5s', error_message: NCCL },
      ],
    ])
    expect(scenario.missing).toEqual([])
    expect(commentOf(scenario)).toContain('its gradient steps are not in its record')
    const { seen } = await watch(scenario.scenario)
    expect(seen[0]!.at(-1)).toBe(`failed: ${NCCL}`)
  })

  it('is read from the usual words for a status, and the file names them', async () => {
    const { recorded } = await watch({})
    const words = { queued: 'PENDING', running: 'In progress', ended: 'COMPLETED' }
    const scenario = made(
      withRecords(recorded, ({ id, status }) => ({ id, status: words[status as 'ended'] })),
    )
    expect(timelineOf(scenario)[0]!.map(({ event }) => event)).toEqual([
      'training_started',
      'training_ended',
    ])
    expect(commentOf(scenario)).toContain('for "COMPLETED" the emulator says "ended".')
  })

  it('is read from its times if it has no status', async () => {
    const { recorded } = await watch(failing)
    const expected = timelineOf(made(recorded))
    const bare = withRecords(recorded, ({ status: _status, ...rest }) => rest)
    expect(timelineOf(made(bare))).toEqual(expected)
  })

  it('has its steps, too, if the client lists the events', async () => {
    const { recorded } = await watch(failing, { ...ONE, every: '10s', lists: true })
    expect(timelineOf(made(recorded))).toMatchObject([
      [
        { event: 'training_started', after: '7s' },
        { event: 'gradient_step', count: 2 },
        { event: 'training_failed', error_message: NCCL },
      ],
    ])
  })

  it('may have been created before the recording began', async () => {
    const { recorded } = await watch(failing)
    const late = recorded.slice(-3)
    expect(late.every(({ request }) => request.method === 'GET')).toBe(true)
    expect(timelineOf(made(late))).toEqual(timelineOf(made(recorded)))
  })

  const duration = fc.integer({ min: 1, max: 40_000 }).map((ms) => `${ms}ms`)
  const ends = fc.constantFrom(
    { event: 'training_ended' as const },
    { event: 'training_failed' as const, error_message: NCCL },
  )
  const timeline = fc.oneof(
    fc
      .tuple(duration, fc.nat(4), duration, duration, ends)
      .map(([after, count, every, last, end]) => [
        { event: 'training_started' as const, after },
        ...(count > 0 ? [{ event: 'gradient_step' as const, every, count }] : []),
        { ...end, after: last },
      ]),
    // A job may fail while it is queued.
    duration.map((after) => [
      { event: 'training_failed' as const, after, error_message: 'no room' },
    ]),
  )
  const job = fc.record({ model: fc.constantFrom('poet', 'critic'), timeline })

  it('shows the same statuses to the same client, for any timeline', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(job, { minLength: 1, maxLength: 3 }),
        duration,
        fc.boolean(),
        async (jobs, every, hasTimes) => {
          const ordinals = new Map<string, number>()
          const rules = jobs.map(({ model, timeline: steps }) => {
            const ordinal = (ordinals.get(model) ?? 0) + 1
            ordinals.set(model, ordinal)
            return { match: { model, ordinal }, timeline: steps }
          })
          const client = { models: jobs.map(({ model }) => model), every, polls: 60 }
          const { recorded, seen } = await watch({ jobs: rules }, client)
          const scenario = made(
            hasTimes
              ? recorded
              : withRecords(recorded, ({ id, status, error_message }) => {
                  return { id, status, error_message }
                }),
          )
          expect((await watch(scenario.scenario, client)).seen).toEqual(seen)
        },
      ),
      { numRuns: 30 },
    )
  })
})

describe('a job whose end is not in the recording', () => {
  it('runs as long as it was seen, and then fails with a message that says so', async () => {
    const client = { ...ONE, polls: 6 }
    const { recorded, seen } = await watch(failing, client)
    const scenario = made(recorded)
    expect(scenario.missing).toMatchObject([
      {
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        seen: 'Job 1 of poet: it was running when the client last asked, 5s and 3 polls after training started.',
      },
    ])
    expect(commentOf(scenario)).toContain('Partial: nothing shows how the job ended. Job 1 of poet')
    expect(timelineOf(scenario)[0]!.at(-1)).toMatchObject({
      event: 'training_failed',
      error_message: 'not in the recording: how this job ended',
    })
    expect((await watch(scenario.scenario, client)).seen).toEqual(seen)
    const longer = await watch(scenario.scenario)
    expect(longer.seen[0]!.slice(0, 6)).toEqual(seen[0])
    expect(longer.seen[0]!.at(-1)).toBe('failed: not in the recording: how this job ended')
  })

  it('has times in whole milliseconds, although a recorder measures more exactly', async () => {
    const { recorded } = await watch(failing, { ...ONE, polls: 6 })
    const exact = recorded.map((each, index): RecordedExchange => {
      const { request, response } = each
      const later = <T extends { at: number }>(part: T): T => ({
        ...part,
        at: part.at + index / 99,
      })
      return { ...each, request: later(request), response: response && later(response) }
    })
    expect(made(exact).text).toBe(made(recorded).text)
  })

  it('is over before the next job of the model starts', async () => {
    const { recorded } = await watch(failing, { ...ONE, models: ['poet', 'poet'], polls: 60 })
    const polled = recorded.find(({ request }) => request.method === 'GET')!
    // The client never asks for its first job.
    const scenario = made(recorded.filter(({ request }) => request.path !== polled.request.path))
    expect(scenario.missing.map(({ seen }) => seen)).toEqual([
      'Job 1 of poet: the client never asked how it went.',
    ])
    expect(timelineOf(scenario).map((steps) => steps.at(-1))).toMatchObject([
      { error_message: 'not in the recording: how this job ended' },
      { error_message: NCCL },
    ])
  })

  it.each<[string, (record: Record<string, unknown>) => object, string]>([
    [
      'has an unknown status',
      ({ id }) => ({ id, status: 'PREEMPTED' }),
      'its last status was "PREEMPTED", which does not say whether it is over',
    ],
    [
      'has no status',
      ({ id }) => ({ id }),
      'the client asked for it, and 16 answers had no status and no times',
    ],
  ])('is named if its record %s', async (_name, change, message) => {
    const { recorded } = await watch(failing)
    const { missing } = made(withRecords(recorded, change))
    expect(missing[0]!.seen).toBe(`Job 1 of poet: ${message}.`)
  })
})
