import { beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/control/table.js'
import { bundleKept } from './kills/kept-process.js'
import { Kills } from './kills/kills.js'
import { SinkKills } from './kills/sink-kills.js'
import { invariants, type Invariant } from './ledger.js'
import { Soak } from './soak.js'

describe('an emulator under load, with faults, resets and bad receivers,', () => {
  const soak = new Soak({ minutes: 0.5, clients: 60, seed: 1 })
  beforeAll(() => soak.run(), 600_000)

  it('gets all kinds of requests', () => {
    const { ledger } = soak
    const done = [
      'jobs accepted',
      'deliveries delivered',
      'streams left',
      'torn requests',
      'resets',
    ]
    expect(done.filter((what) => ledger.counted(what) === 0)).toEqual([])
    expect(ledger.counted('jobs checked event by event')).toBeGreaterThan(0)
  })

  // The kills below check `kept`.
  const { kept: _kept, ...others } = invariants
  it.each(Object.entries(others))('keeps the invariant of %s: %s', (invariant) => {
    const found = soak.ledger.findings.filter((each) => each.invariant === (invariant as Invariant))
    expect(found).toEqual([])
  })
})

/** Each lane has its own folder and its own process, so that two of them use two cores. */
const LANES = 2
const KILLS_EACH = 100
const SINK_KILLS = 30

describe(`an emulator that is killed ${LANES * KILLS_EACH} times under load`, () => {
  const lanes = Array.from({ length: LANES }, (_, lane) => {
    return new Kills({ kills: KILLS_EACH, seed: lane + 1 })
  })
  const sink = new SinkKills({ kills: SINK_KILLS, seed: 1 })
  const counted = (what: string): number => {
    return lanes.reduce((sum, { ledger }) => sum + ledger.counted(what), 0)
  }

  beforeAll(async () => {
    const bundle = await bundleKept()
    try {
      await Promise.all(lanes.map((kills) => kills.run(bundle)))
      await sink.run(bundle)
    } finally {
      bundle.remove()
    }
  }, 900_000)

  /**
   * Operations that save nothing in the folder. Sinks and explorations end with their process. The trials of an
   * exploration make calls fail on purpose, so they have tests of their own.
   */
  const keepsNothing = [
    'changeClock',
    'checkScenario',
    'explainSignature',
    'nextTrial',
    'openSink',
    'startExploration',
    'testWebhook',
  ]

  it('acknowledges every kind of change', () => {
    // The extension wires are off, and are chats like others.
    const served = operations.filter(({ extension }) => extension === undefined)
    const changes = served.filter(({ method }) => method !== 'GET').map(({ id }) => id)
    const missed = changes.filter((id) => counted(`acknowledged: ${id}`) === 0)
    expect(missed.sort()).toEqual(keepsNothing)
    expect(counted('kills')).toBe(LANES * KILLS_EACH)
    expect(counted('things compared')).toBeGreaterThan(5000)
  })

  it.each(lanes.map((kills, lane) => [lane + 1, kills] as const))(
    'with seed %i, loses no acknowledged change, and answers correctly',
    (_seed, { ledger }) => {
      expect(ledger.findings).toEqual([])
    },
  )

  it('leaves each acknowledged delivery in the file of a sink that is killed as well', () => {
    expect(sink.ledger.findings).toEqual([])
    expect(sink.ledger.counted('kills of the sink')).toBe(SINK_KILLS)
    expect(sink.ledger.counted('deliveries compared')).toBeGreaterThan(1000)
  })
})
