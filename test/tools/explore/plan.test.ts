import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { whyNot } from '../../../src/tools/explore/needs.js'
import { builtInFacts } from '../../../src/tools/explore/parts/built-in-scenarios.js'
import {
  FaultDraws,
  longestRun,
  MOST_IN_A_ROW,
} from '../../../src/tools/explore/parts/drawn-faults.js'
import type { Observation } from '../../../src/tools/explore/exploration.js'
import { observe } from '../../../src/tools/explore/observe.js'
import { SeededRandom } from '../../../src/base/random/random.js'
import { builtInScenarioNames } from '../../../src/service/scenario/built-in-scenarios.js'
import { checkScenario } from '../../../src/service/scenario/check-scenario.js'
import type { FaultRule } from '../../../src/service/scenario/scenario.js'
import { observation } from './observation.js'

const observed = observation({
  calls: {
    createModel: 1,
    createChatCompletion: 8,
    createRlTrainingJob: 2,
    getTrainingJob: 12,
    listTrainingJobEvents: 9,
    listCheckpoints: 3,
  },
  deliveries: 4,
})

function drawn(seed: number, count: number, from = observed) {
  const draws = new FaultDraws(new SeededRandom(seed), from)
  return Array.from({ length: count }, (_, index) => draws.scenario(index + 1)!)
}

describe('the built-in scenarios of an exploration', () => {
  it('are all of them', () => {
    const names = ['happy-path', ...Object.keys(builtInFacts)]
    expect(names.sort()).toEqual([...builtInScenarioNames].sort())
  })

  it('fit code that uses what they are about', () => {
    const reasonFor = (name: keyof typeof builtInFacts, from: Partial<Observation>) =>
      whyNot(builtInFacts[name].about, { ...observed, ...from })
    expect(reasonFor('chat-hangs', {})).toBeUndefined()
    expect(reasonFor('chat-hangs', { calls: { createModel: 1 } })).toBe('The code makes no chats.')
    expect(reasonFor('webhook-storm', { deliveries: 0 })).toBe('The code receives no webhooks.')
    expect(reasonFor('sft', {})).toBe('The code creates no SFT jobs.')
    expect(reasonFor('malformed-tool-calls', {})).toBe('The code offers no tools in its chats.')
    expect(reasonFor('flaky-gateway', { calls: {} })).toBeUndefined()
    expect(reasonFor('platform-down', {})).toBe('The code logs no runs.')
    expect(reasonFor('platform-down', { calls: { streamRun: 2 } })).toBeUndefined()
    expect(reasonFor('slow-commit', {})).toBe('The code logs no artifacts.')
    expect(reasonFor('slow-commit', { uses: ['artifacts'] })).toBeUndefined()
  })
})

/** The calls of an operation that faults name. */
function callsHit(rules: readonly FaultRule[], operation: string): number[] {
  return rules.flatMap(({ match, calls }) => {
    if (typeof match === 'function' || match.operation !== operation) return []
    if (calls === undefined) return []
    return Array.isArray(calls) ? calls : [calls as number]
  })
}

/** Those that get no usable answer. */
function faultyCalls(rules: readonly FaultRule[], operation: string): number[] {
  const faulty = ['status', 'drop', 'hang', 'malformed', 'page_stale']
  const chosen = rules.filter(({ fault }) => faulty.includes(fault))
  return callsHit(chosen, operation)
}

describe('faults drawn from a seed', () => {
  it('are valid scenarios, and hit no operation more than twice in a row', () => {
    const seeds = fc.nat(1_000_000)
    const calledOften = fc.constantFrom(observed.calls, { listTrainingJobEvents: 3 })
    fc.assert(
      fc.property(seeds, calledOften, (seed, called) => {
        for (const scenario of drawn(seed, 20, { ...observed, calls: called })) {
          const { faults } = checkScenario(scenario)
          for (const operation of Object.keys(called)) {
            expect(longestRun(faultyCalls(faults, operation))).toBeLessThanOrEqual(MOST_IN_A_ROW)
          }
          // A fault that stays would be no fair test.
          expect(faults.every(({ calls, during }) => calls ?? during?.to)).toBe(true)
        }
      }),
      { numRuns: 50 },
    )
  })

  it('hit calls about runs and artifacts only with what the SDK repeats', () => {
    const calls = { dropTelemetry: 3, platformGraphql: 9, streamRun: 2 }
    const faults = drawn(1, 100, { ...observed, deliveries: 0, calls }).flatMap(
      (scenario) => scenario.faults!,
    )
    expect(new Set(faults.map(({ match }) => Object(match).operation))).toEqual(
      new Set(['platformGraphql', 'streamRun']),
    )
    expect(new Set(faults.map(({ fault }) => fault))).toEqual(new Set(['status', 'drop', 'delay']))
  })

  it('hit each call once, so that no fault hides another one', () => {
    for (const scenario of drawn(1, 200)) {
      const { faults } = checkScenario(scenario)
      for (const operation of Object.keys(observed.calls)) {
        const hit = callsHit(faults, operation)
        expect(hit).toEqual([...new Set(hit)])
      }
    }
  })

  it('are the same for the same seed, and never come twice', () => {
    const [one, again, other] = [drawn(7, 60), drawn(7, 60), drawn(8, 60)]
    expect(again).toEqual(one)
    expect(other).not.toEqual(one)
    const parts = one.map(({ faults, webhooks }) => JSON.stringify({ faults, webhooks }))
    expect(new Set(parts).size).toBe(60)
  })

  it('are about operations that the code calls', () => {
    const calls = { getTrainingJob: 3 }
    const scenarios = drawn(1, 20, { ...observed, calls, deliveries: 0 })
    const operations = scenarios.flatMap(({ faults = [] }) =>
      faults.map(({ match }) => (match as { operation: string }).operation),
    )
    expect(new Set(operations)).toEqual(new Set(['getTrainingJob']))
    expect(scenarios.every(({ webhooks }) => webhooks === undefined)).toBe(true)
  })

  it('leave out what the code is known not to survive', () => {
    const draws = new FaultDraws(new SeededRandom(1), observed, (operation, outcome) => {
      return operation === 'createChatCompletion' && outcome === 'hang'
    })
    const faults = Array.from(
      { length: 100 },
      (_, index) => draws.scenario(index + 1)?.faults ?? [],
    )
    const hanging = faults.flat().filter(({ fault, match }) => {
      return fault === 'hang' && Object(match).operation === 'createChatCompletion'
    })
    expect(hanging).toEqual([])
    expect(faults.flat().some(({ fault }) => fault === 'hang')).toBe(true)
  })
})

describe('what an emulator saw', () => {
  it('names the call that did not succeed later', async () => {
    await using emulator = createEmulator({
      scenario: {
        name: 'mine',
        faults: [
          { fault: 'status', status: 503, match: { operation: 'createModel' } },
          { fault: 'status', status: 500, match: { operation: 'listBaseModels' }, calls: 1 },
        ],
      },
    })
    const call = (path: string, body?: object) =>
      emulator.fetch(`${emulator.trainingUrl}/preview/${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: 'Bearer any-key', 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
    await call('models', { project: 'p', name: 'm', base_model: 'example/base-8b-instruct' })
    await call('base-models')
    await call('base-models')
    expect(observe(emulator)).toEqual({
      calls: { createModel: 1, listBaseModels: 2 },
      findings: [],
      problem: { operation: 'createModel', outcome: '503', times: 1, recovered: false },
      pending: [],
      deliveries: 0,
      created: { jobs: 0, models: 0 },
      succeeded: 0,
      uses: [],
    })
  })
})
