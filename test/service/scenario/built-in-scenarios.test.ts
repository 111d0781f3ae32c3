import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { builtInFacts } from '../../../src/tools/explore/parts/built-in-scenarios.js'
import { builtInScenarioNames } from '../../../src/service/scenario/built-in-scenarios.js'
import { builtInScenarios } from '../../../src/index.js'
import type { Event } from './persevering-client.js'
import { SECRET, startReceiver } from '../../support/receiver.js'
import { runScenario } from './run-scenario.js'
import { describeInProcess, describeTransports, type Open } from '../../support/transports.js'

const WELL = ['training_ended', 'training_ended']
const FAILED = ['training_failed', 'training_failed'] as const

/** How an RL and an SFT job end under each scenario under which one does not end well: the last event, or none. */
const ends: Readonly<Record<string, readonly [rl: string, sft: string]>> = {
  'empty-batch': ['training_failed', 'training_ended'],
  'failing-job': FAILED,
  'fails-at-once': FAILED,
  'fails-before-start': FAILED,
  'fails-late': FAILED,
  'stuck-in-queue': ['none', 'none'],
  'stuck-job': ['gradient_step', 'gradient_step'],
  'two-jobs': FAILED,
}

/** The magic model names of happy-path, and how jobs of such models end. */
const magicNames: Readonly<Record<string, Course>> = {
  'sim-fails': { end: 'training_failed', steps: [3, 3] },
  'sim-fails-at-once': { end: 'training_failed', steps: [0, 0] },
  'sim-fails-before-start': { end: 'training_failed', steps: [0, 0], started: false },
  'sim-fails-late': { end: 'training_failed', steps: [4, 8] },
  'sim-stuck': { end: 'training_started', steps: [0, 0] },
  'sim-never-starts': { end: 'none', steps: [0, 0], started: false },
  'sim-slow': { end: 'training_ended', steps: [4, 8] },
  'sim-long': { end: 'training_ended', steps: [2000, 2000] },
  'sim-diverges': { end: 'training_ended', steps: [8, 8], shows: { loss: [2.4, 250_000] } },
  'sim-nan': { end: 'training_ended', steps: [6, 6], shows: { loss: [expect.any(Number), 'NaN'] } },
  'sim-plateaus': {
    end: 'training_ended',
    steps: [12, 12],
    shows: { loss: [expect.closeTo(2.4, 1), expect.closeTo(1.1, 1)] },
  },
  'sim-collapses': { end: 'training_ended', steps: [8, 8], shows: { reward: [0.42, 0.01] } },
  'simple-model': { end: 'training_ended', steps: [4, 8] },
}

interface Course {
  end: string
  steps: readonly [rl: number, sft: number]
  started?: boolean
  /** Figures of the first and the last gradient step of an RL job. */
  shows?: Readonly<Record<string, readonly [first: unknown, last: unknown]>>
}

/** Built-in scenarios end within this time at speed 1, unless their names say otherwise. */
const PATIENCE = 15_000
const UNHURRIED = /slow|\blong|stuck/

/** Their faults hit calls of runs and artifacts. test/interop/sdk.test.ts makes those. */
const PLATFORM: ReadonlySet<string> = new Set(['platform-down', 'slow-commit', 'upload-fails'])

const SHOWN = 4

/** Of a long log, the two ends. */
function written(log: readonly string[]): string {
  if (log.length <= 100) return log.join('')
  const left = `            … ${log.length - 2 * SHOWN} more …\n`
  return [...log.slice(0, SHOWN), left, ...log.slice(-SHOWN)].join('')
}

function hasWebhooks(scenario: string): boolean {
  return builtInScenarios.find(({ name }) => name === scenario)!.webhooks.length > 0
}

function lastOf(events: readonly Event[]): string {
  return events.at(-1)?.type ?? 'none'
}

/** Plays a scenario with a job of each kind, and returns what a client sees. */
async function timelineOf(open: Open, scenario: string): Promise<string> {
  const play = async (kind: 'rl' | 'sft') => {
    const receiver = hasWebhooks(scenario) ? await startReceiver() : undefined
    const webhooks = receiver ? [{ url: receiver.url, secret: SECRET }] : []
    return runScenario(await open({ scenario, webhooks }), { scenario, kind, receiver })
  }
  const rl = await play('rl')
  const sft = await play('sft')
  const own = [lastOf(rl.events), lastOf(sft.events)]
  expect(own, '`ends` in this file says how jobs end').toEqual(ends[scenario] ?? WELL)
  if (!UNHURRIED.test(scenario)) {
    expect(rl.took).toBeLessThanOrEqual(PATIENCE)
    expect(sft.took).toBeLessThanOrEqual(PATIENCE)
  }
  const missed = rl.missed.filter((fault) => sft.missed.includes(fault))
  if (!PLATFORM.has(scenario)) {
    expect(
      missed,
      '`sequels` in test/service/scenario/run-scenario.ts makes the calls they hit',
    ).toEqual([])
  }
  return `RL, four trajectories\n${written(rl.log)}\nSFT, eight lines\n${written(sft.log)}`
}

function golden(scenario: string): string {
  return `../../golden/timelines/${scenario}.txt`
}

/** A fault changes calls, which each transport has to pass on. The other scenarios say what jobs and chats do. */
function namesOf(hasFaults: boolean): string[] {
  const meant = builtInScenarios.filter(({ faults }) => faults.length > 0 === hasFaults)
  return meant.map(({ name }) => name)
}

describeTransports('built-in scenarios with faults', (open) => {
  it.each(namesOf(true))('%s keeps its golden timeline', async (scenario) => {
    await expect(await timelineOf(open, scenario)).toMatchFileSnapshot(golden(scenario))
  })
})

describeInProcess('built-in scenarios without faults', (open) => {
  it.each(namesOf(false))('%s keeps its golden timeline', async (scenario) => {
    await expect(await timelineOf(open, scenario)).toMatchFileSnapshot(golden(scenario))
  })

  it.each(Object.entries(magicNames))(
    'happy-path runs jobs of %s as the name says',
    async (model, { end, steps: [rl, sft], started = true, shows = {} }) => {
      const scenario = 'happy-path'
      for (const [kind, count] of [['rl', rl] as const, ['sft', sft] as const]) {
        const { events } = await runScenario(await open(), { scenario, kind, model: `${model}-7` })
        expect(lastOf(events)).toBe(end)
        const gradients = events.filter(({ type }) => type === 'gradient_step')
        expect(gradients).toHaveLength(count)
        for (const [name, figures] of Object.entries(kind === 'rl' ? shows : {})) {
          expect([gradients[0]!.data[name], gradients.at(-1)!.data[name]]).toEqual(figures)
        }
        expect(events.some(({ type }) => type === 'training_started')).toBe(started)
      }
    },
  )
})

describe('the scenarios folder', () => {
  it('contains exactly the built-in scenarios', () => {
    const files = readdirSync(`${import.meta.dirname}/../../../scenarios`)
    expect(files.sort()).toEqual(builtInScenarios.map(({ name }) => `${name}.yaml`).sort())
  })

  it.each<[file: string, listed: readonly string[]]>([
    ['src/service/scenario/built-in-names.ts', builtInScenarioNames],
    ['src/tools/explore/parts/built-in-scenarios.ts', ['happy-path', ...Object.keys(builtInFacts)]],
  ])('has the scenarios that %s lists', (file, listed) => {
    const names = builtInScenarios.map(({ name }) => name)
    const edits = [
      ...names.filter((name) => !listed.includes(name)).map((name) => `${file}: add ${name}`),
      ...listed.filter((name) => !names.includes(name)).map((name) => `${file}: remove ${name}`),
    ]
    expect(edits).toEqual([])
  })

  it('describes each scenario in one line', () => {
    for (const { description } of builtInScenarios) expect(description).toMatch(/^[A-Z].{20,90}\.$/)
  })
})
