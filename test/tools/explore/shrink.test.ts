import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { candidatesFor } from '../../../src/tools/explore/candidates.js'
import { isSmaller, sizeOf } from '../../../src/tools/explore/scenario-size.js'
import { FaultDraws } from '../../../src/tools/explore/parts/drawn-faults.js'
import { asksNoMore } from '../../../src/tools/explore/recoverable.js'
import { shrink } from '../../../src/tools/explore/shrink.js'
import { SeededRandom } from '../../../src/base/random/random.js'
import {
  builtInScenario,
  builtInScenarioNames,
} from '../../../src/service/scenario/built-in-scenarios.js'
import { findProblems } from '../../../src/service/scenario/check-scenario.js'
import type { FaultInput, ScenarioInput } from '../../../src/service/scenario/scenario.js'
import { observation } from './observation.js'
import { smallerScenarios } from './smaller-scenarios.js'

function keyOf(scenario: ScenarioInput): string | undefined {
  const checked = findProblems(scenario)
  return checked.ok ? JSON.stringify({ ...checked.scenario, description: '' }) : undefined
}

async function shrunk(start: ScenarioInput, fails: (scenario: ScenarioInput) => boolean) {
  const tried: ScenarioInput[] = []
  const smaller: ScenarioInput[] = []
  const { scenario, finished } = await shrink(start, {
    keyOf,
    fails: async (candidate) => {
      tried.push(candidate)
      await Promise.resolve()
      return fails(candidate)
    },
    parallel: 1,
    isOver: () => false,
    onSmaller: (each) => smaller.push(each),
  })
  expect(smaller.at(-1) ?? start).toBe(scenario)
  return { scenario, finished, tried }
}

const hasFault =
  (kind: FaultInput['fault']) =>
  ({ faults = [] }: ScenarioInput): boolean =>
    faults.some(({ fault }) => fault === kind)

describe('the shrinker', () => {
  it('keeps the one fault that matters, with its smallest calls', async () => {
    const start: ScenarioInput = {
      name: 'large',
      faults: [
        { fault: 'delay', delay: '3s' },
        {
          fault: 'status',
          status: 503,
          message: 'busy',
          match: { operation: ['createModel', 'getTrainingJob'] },
          calls: { from: 3, every: 4 },
        },
        { fault: 'page_limit', limit: 2 },
      ],
      jobs: [{ timeline: [{ event: 'training_started' }, { event: 'training_ended' }] }],
    }
    const { scenario, finished } = await shrunk(start, ({ faults = [] }) =>
      faults.some((each) => each.fault === 'status' && each.calls !== undefined),
    )
    expect(scenario).toEqual({
      name: 'large',
      faults: [{ fault: 'status', status: 503, calls: 1 }],
    })
    expect(finished).toBe(true)
  })

  it('shortens timelines and times', async () => {
    const start: ScenarioInput = builtInScenario('checkpoint-not-served')
    const { scenario } = await shrunk(start, ({ jobs = [] }) => {
      const last = jobs[0]?.timeline.at(-1)
      return (
        last?.event === 'training_ended' && Object.hasOwn(Object(last.checkpoint), 'served_after')
      )
    })
    expect(scenario.jobs).toEqual([
      { timeline: [{ event: 'training_ended', checkpoint: { served_after: '1s' } }] },
    ])
    expect(Object.keys(scenario).sort()).toEqual(['jobs', 'name'])
  })

  it('needs two faults if both matter', async () => {
    const start: ScenarioInput = builtInScenario('malformed-answers')
    const { scenario } = await shrunk(start, ({ faults = [] }) => faults.length >= 2)
    expect(scenario.faults).toHaveLength(2)
  })

  it('tries no scenario twice, and none that cannot be used', async () => {
    const { tried } = await shrunk(builtInScenario('stale-cursor'), hasFault('page_stale'))
    const keys = tried.map(keyOf)
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys).not.toContain(undefined)
  })

  it('stops with the smallest scenario so far', async () => {
    let trials = 0
    const start: ScenarioInput = builtInScenario('stray-400')
    const { scenario, finished } = await shrink(start, {
      keyOf,
      fails: (candidate) => {
        trials++
        return Promise.resolve(hasFault('status')(candidate))
      },
      parallel: 1,
      isOver: () => trials >= 2,
    })
    expect(finished).toBe(false)
    expect(hasFault('status')(scenario)).toBe(true)
    expect(isSmaller(sizeOf(scenario), sizeOf(start))).toBe(true)
  })

  it('returns a scenario that fails, is never larger, and passes with any part less', async () => {
    const kinds = ['status', 'drop', 'hang', 'malformed', 'edit', 'delay'] as const
    const calls = { createChatCompletion: 5, getTrainingJob: 9, listTrainingJobEvents: 4 }
    const observed = observation({ calls, deliveries: 2 })
    await fc.assert(
      fc.asyncProperty(fc.nat(100_000), fc.constantFrom(...kinds), async (seed, kind) => {
        const draws = new FaultDraws(new SeededRandom(seed), observed)
        const start = draws.scenario(1)!
        const fails = hasFault(kind)
        const { scenario } = await shrunk(start, fails)
        expect(fails(scenario)).toBe(fails(start))
        const smaller = fails(start) ? smallerScenarios(scenario) : []
        expect(smaller.filter((each) => keyOf(each) !== undefined && fails(each))).toEqual([])
        expect(isSmaller(sizeOf(start), sizeOf(scenario))).toBe(false)
      }),
      { numRuns: 40 },
    )
  })

  it('counts no notes for people', () => {
    const noted = (note: { description?: string }): ScenarioInput => ({
      name: 'mine',
      automations: [{ event: 'RUN_STATE', name: 'a', webhook: 'w', ...note }],
      chat: { rules: [{ answer: 'Hi', ...note }] },
    })
    expect(sizeOf(noted({ description: 'A long note.' }))).toEqual(sizeOf(noted({})))
  })

  it.each(builtInScenarioNames)('has only smaller candidates for %s', (name) => {
    const start: ScenarioInput = builtInScenario(name)
    const size = sizeOf(start)
    for (const candidate of candidatesFor(start)) {
      expect(isSmaller(sizeOf(candidate), size)).toBe(true)
    }
  })
})

describe('a smaller scenario that asks no more of a client', () => {
  const mine = (parts: Omit<ScenarioInput, 'name'>): ScenarioInput => ({ name: 'mine', ...parts })

  it('has no fault that hits every call', () => {
    const start = mine({ faults: [{ fault: 'status', status: 503, calls: [1, 2] }] })
    const once = mine({ faults: [{ fault: 'status', status: 503, calls: 1 }] })
    const always = mine({ faults: [{ fault: 'status', status: 503 }] })
    expect(asksNoMore(once, start)).toBe(true)
    expect(asksNoMore(always, start)).toBe(false)
    expect(asksNoMore(mine({ faults: [{ fault: 'delay', delay: '1s' }] }), start)).toBe(true)
  })

  it('has jobs that end, receivers that come back, and faults that close', () => {
    const jobs = (event: 'never' | 'training_ended') => mine({ jobs: [{ timeline: [{ event }] }] })
    expect(asksNoMore(jobs('never'), jobs('training_ended'))).toBe(false)

    const hooks = (retries: string[]) =>
      mine({ webhooks: [{ name: 'w', retries, adversary: [{ do: 'down', to: '2s' }] }] })
    expect(asksNoMore(hooks([]), hooks(['1s']))).toBe(false)

    const window: ScenarioInput = builtInScenario('maintenance-window')
    const open = { ...window, timeline: window.timeline!.slice(0, 1) }
    expect(asksNoMore(open, window)).toBe(false)
    const opened = ['a', 'b'].map((fault) => ({ at: '1s', do: 'open_fault', fault }) as const)
    const closed = ['a', 'b'].map((fault) => ({ at: '2s', do: 'close_fault', fault }) as const)
    const both = mine({ timeline: [...opened, ...closed] })
    expect(asksNoMore(both, both)).toBe(true)
    expect(asksNoMore(mine({ timeline: [...opened, closed[0]!] }), both)).toBe(false)
    const early = { ...closed[1]!, at: '500ms' }
    expect(asksNoMore(mine({ timeline: [...opened, closed[0]!, early] }), both)).toBe(false)
  })
})
