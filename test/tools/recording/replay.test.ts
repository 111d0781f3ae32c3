import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  builtInScenarios,
  createEmulator,
  type ClockMode,
  type Emulator,
  type EmulatorOptions,
} from '../../../src/index.js'
import { play } from '../../../src/tools/play/player.js'
import type { PlayReport } from '../../../src/tools/play/report.js'
import { readInput } from '../../../src/tools/recording/read-events.js'
import { scenarioFrom } from '../../../src/tools/recording/scenario-from.js'
import { checkScenario } from '../../../src/service/scenario/check-scenario.js'
import type { Scenario } from '../../../src/service/scenario/scenario.js'
import { clientOf } from '../../support/api-client.js'
import { endOpen, recordCalls } from './recorded-calls.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { createModel, startJob } from '../../support/trainer.js'

/**
 * The proof of `scenarios from`. A client plays each built-in scenario, and its calls are recorded. The same client
 * then plays the scenario that was made from the recording, with another seed.
 *
 * Equal must be, without any tolerance: the types, the order and all data of the events of each job, also every
 * digit of every metric; the time at which the client sees each event, in milliseconds since it submitted the job;
 * and for each call its operation, its outcome, its status and its error message, in order, and how long it took.
 */

type Aspect = 'events' | 'metrics' | 'times' | 'calls' | 'waits'

/** What is not the same after a replay, and why. A scenario that begins to hold must leave this list. */
const exceptions: Readonly<Record<string, { differs: readonly Aspect[]; because: string }>> = {
  'adapter-not-applied': {
    differs: ['metrics'],
    because:
      'One chat has sixteen choices that differ. A rule gives all choices of an answer the same text, so the client submits other data.',
  },
  'collapsing-policy': { differs: ['metrics'], because: 'Choices of a chat differ, as above.' },
  'learning-policy': { differs: ['metrics'], because: 'Choices of a chat differ, as above.' },
  'model-does-not-learn': { differs: ['metrics'], because: 'Choices of a chat differ, as above.' },
  'overlong-rows': {
    differs: ['metrics'],
    because:
      'The scenario adds num_dropped_trajectories as a metric of its own, which comes after all others.',
  },
  'slow-responses': {
    differs: ['times', 'waits'],
    because:
      'Each response has a random delay. With many of them, each takes as long as the middle one, so polls happen at other times.',
  },
}

/** Webhooks go from the service to a receiver, so no recording of a client has them. */
function withoutWebhooks(scenario: Scenario): Scenario {
  return { ...scenario, webhooks: [], automations: [], secrets: {} }
}

interface Played {
  report: PlayReport
  recorded: ReturnType<typeof recordCalls>
}

async function played(scenario: Scenario, seed?: number): Promise<Played> {
  const emulator = createEmulator({ scenario, clock: 'manual', seed })
  const recorded = recordCalls(emulator)
  return { report: await play(emulator), recorded }
}

function made(recorded: ReturnType<typeof recordCalls>): Scenario {
  const source = 'a test'
  return scenarioFrom({ recorded: endOpen(recorded), source, contents: 'recorded', name: 'made' })
    .scenario
}

const anyId = (text: string): string => text.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, '<id>')

/** What a report says about each aspect. */
function aspectsOf({ jobs, timeline }: PlayReport): Record<Aspect, string> {
  const calls = timeline.flatMap((entry) => (entry.kind === 'call' ? [entry.call] : []))
  const submissions = calls.filter(({ path, method, result }) => {
    return method === 'POST' && path.endsWith('training-jobs') && result === 'answered'
  })
  const submitted = jobs.filter(({ id }) => id !== undefined)
  const times = submitted.map(({ events }, index) => {
    const { at, took } = submissions[index]!
    return events.map((event) => event.at - at - took)
  })
  const aspects = {
    events: jobs.map(({ events, ended }) => [events.map(({ type }) => type), ended]),
    metrics: jobs.map(({ events }) => events.map(({ data }) => data)),
    times,
    calls: calls.map(({ host, method, path, result, status, message = '' }) => {
      return [host, method, anyId(path), result, status, anyId(message)]
    }),
    waits: calls.map(({ took }) => took),
  }
  // JSON has no NaN.
  const textOf = (_key: string, value: unknown): unknown =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
  const entries = Object.entries(aspects).map(([name, value]) => [
    name,
    JSON.stringify(value, textOf),
  ])
  return Object.fromEntries(entries) as Record<Aspect, string>
}

/** Calls that fail, and late ones among them: refused, lost, lost half-way, and refused by the service itself. */
const slowFailures = checkScenario({
  name: 'slow-failures',
  faults: [
    { fault: 'delay', match: { operation: 'createModel' }, calls: 2, delay: '60s' },
    { fault: 'status', status: 504, match: { operation: 'createModel' }, calls: { to: 2 } },
    { fault: 'delay', match: { operation: 'createRlTrainingJob' }, calls: 1, delay: '3s' },
    { fault: 'drop', match: { operation: 'createRlTrainingJob' }, calls: { to: 2 } },
    { fault: 'delay', match: { operation: 'listTrainingJobEvents' }, calls: 3, delay: '1500ms' },
    {
      fault: 'drop',
      stage: 'mid_body',
      match: { operation: 'listTrainingJobEvents' },
      calls: [3, 5],
    },
  ],
})

describe('a scenario made from a recording', () => {
  it.each(
    [...builtInScenarios, slowFailures].map((scenario) => [scenario.name, scenario] as const),
  )('replays what a client saw of %s', { timeout: 60_000 }, async (name, scenario) => {
    const first = await played(withoutWebhooks(scenario))
    // The same client submits the same.
    const replayed = { ...made(first.recorded), play: scenario.play }
    const second = await played(replayed, 7)
    const [before, after] = [aspectsOf(first.report), aspectsOf(second.report)]
    const differing = (Object.keys(before) as Aspect[]).filter(
      (each) => before[each] !== after[each],
    )
    const expected = exceptions[name]?.differs ?? []
    for (const aspect of differing) {
      if (!expected.includes(aspect))
        expect({ [aspect]: after[aspect] }).toEqual({ [aspect]: before[aspect] })
    }
    expect(differing).toEqual(expected)
  })

  it('has no exception for a scenario that does not exist', () => {
    const names = builtInScenarios.map(({ name }) => name)
    expect(Object.keys(exceptions).filter((name) => !names.includes(name))).toEqual([])
  })
})

/** The reward of a step by the data that the client below submits. */
const MEAN_REWARD = 0.5

/** Two models with two jobs each. The client below polls only records, which show no steps. */
const incident = checkScenario({
  name: 'incident',
  jobs: [
    {
      match: { model: 'critic' },
      timeline: [
        { event: 'training_started', after: '3s' },
        {
          event: 'gradient_step',
          every: '2s',
          metrics: { loss: { curve: 'linear', from: 1, to: 0.5 } },
        },
        { event: 'training_ended', after: '1s' },
      ],
    },
    {
      num_sequences: 6,
      timeline: [
        { event: 'training_started', after: '8s' },
        { event: 'gradient_step', after: '5s', metrics: { loss: 0.9, reward: 0.4 } },
        // As it is by what the client submits.
        { event: 'gradient_step', after: '5s', metrics: { loss: 0.7, reward: MEAN_REWARD } },
        { event: 'training_failed', after: '4s', error_message: 'NCCL watchdog: rank 3 lost' },
      ],
    },
  ],
})

/**
 * Returns all that happened to each job: the events with their data, and the milliseconds since its creation. In real
 * time, since its start: how long a job waits for an earlier one depends on the pace of the client.
 */
function storyOf({ engine, clock }: Emulator) {
  return [...engine.store.jobs.values()].map((job) => ({
    model: job.model.name,
    status: job.progress.status,
    events: Array.from({ length: job.events.count }, (_, index) => {
      const { type, data } = job.events.at(index)
      const since = clock.mode === 'real' ? job.events.moments.at(0) : job.createdAt
      return [type, Math.round(job.events.moments.at(index) - since), data]
    }),
  }))
}

/** The rewards that the text of a scenario sets for the steps of jobs. */
function rewardsIn(text: string): string[] {
  return [...text.matchAll(/\breward: ([\d.]+)/g)].map(([, reward]) => reward!)
}

async function polled(options: EmulatorOptions) {
  const emulator = createEmulator(options)
  const client = clientOf(emulator)
  const jobs: string[] = []
  for (const name of ['poet', 'critic', 'poet', 'critic']) {
    const { id } = await createModel(client, { name, return_existing: true })
    jobs.push(await startJob(client, id))
  }
  for (const job of jobs) {
    const isOver = async (): Promise<boolean> => {
      const { body } = await client.get(`/preview/training-jobs/${job}`)
      return body.status === 'ended' || body.status === 'failed'
    }
    while (!(await isOver())) if (emulator.clock.mode === 'manual') emulator.clock.advance('3s')
  }
  return emulator
}

describe('a scenario made from what a run left behind', () => {
  it.each<ClockMode>(['auto', 'instant', 'manual', 'real'])(
    'tells the same story under the clock %s',
    async (clock) => {
      // The times of a fast clock are as exact.
      const options = { clock, ...(clock === 'real' && { speed: 1000 }) }
      await using first = await polled({ ...options, scenario: incident })
      expect(storyOf(first).map(({ events }) => events.length)).toEqual([10, 6, 10, 6])
      const left = {
        'report.html': await first.report(),
        'requests.har': JSON.stringify(await first.har()),
      }
      for (const [name, text] of Object.entries(left)) {
        const file = join(temporaryFolder(), name)
        writeFileSync(file, text)
        const input = await readInput(file)
        if (input.kind !== 'har' && input.kind !== 'report') throw new Error(input.kind)
        const { scenario, text: written } = scenarioFrom({ ...input, source: name, name: 'made' })
        expect(written).not.toContain('gradient steps are not')
        // The clock skipped time while calls waited, or was fast, and nothing was slow.
        expect(scenario.faults).toEqual([])
        expect([...new Set(rewardsIn(written))]).toEqual(['0.4', String(MEAN_REWARD)])
        await using second = await polled({ ...options, scenario, seed: 7 })
        expect(storyOf(second)).toEqual(storyOf(first))
      }
    },
  )
})
