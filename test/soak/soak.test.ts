import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/compose/control-table.js'
import { bundlePrograms, type Bundle } from './bundle.js'
import { KEPT, Kills } from './kills/kills.js'
import { platformActs } from './kills/platform-acts.js'
import { KEPT_SINK, SinkKills } from './kills/sink-kills.js'
import { invariants, type Invariant } from './ledger.js'
import { kills, minutes, platformKills, seed } from './size.js'
import { SERVED } from './served-process.js'
import { Soak } from './soak.js'

let bundle: Bundle
beforeAll(async () => {
  bundle = await bundlePrograms(SERVED, KEPT, KEPT_SINK)
})
afterAll(() => bundle.remove())

describe('an emulator under load, with faults, resets and bad receivers,', () => {
  const soak = new Soak({ minutes, clients: 60, seed })
  beforeAll(() => soak.run(bundle), 600_000)

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

  // The kills below check `kept`, and odd inputs have a test of their own.
  const { kept: _kept, inputs: _inputs, ...others } = invariants
  it.each(Object.entries(others))('keeps the invariant of %s: %s', (invariant) => {
    const found = soak.ledger.findings.filter((each) => each.invariant === (invariant as Invariant))
    expect(found).toEqual([])
  })
})

/** Each lane has its own folder and its own process, so that two of them use two cores. */
const LANES = 2
/** With 24 and more, a lane makes each kind of change in a round of its own. */
const KILLS_EACH = Math.ceil(kills / LANES)
const SINK_KILLS = Math.ceil(kills / 5)

describe(`an emulator that is killed ${LANES * KILLS_EACH} times under load, with seed ${seed},`, () => {
  const lanes = Array.from({ length: LANES }, (_, lane) => {
    return new Kills({ kills: KILLS_EACH, seed: seed + lane })
  })
  const platform = new Kills({ kills: platformKills, seed, acts: platformActs })
  const sink = new SinkKills({ kills: SINK_KILLS, seed })
  const counted = (what: string): number => {
    return [...lanes, platform].reduce((sum, { ledger }) => sum + ledger.counted(what), 0)
  }

  beforeAll(async () => {
    await Promise.all(lanes.map((lane) => lane.run(bundle)))
    await Promise.all([platform.run(bundle), sink.run(bundle)])
  }, 3_600_000)

  /**
   * Operations that save nothing in the folder. Telemetry is dropped. Sinks and explorations end with their process. The trials of an
   * exploration make calls fail on purpose, so they have tests of their own.
   */
  const keepsNothing = [
    'changeClock',
    'checkScenario',
    'dropTelemetry',
    'explainSignature',
    'nextTrial',
    'openProxy',
    'openSink',
    'readBill',
    'startExploration',
    'testWebhook',
  ]

  it('acknowledges every kind of change', () => {
    const changes = operations.filter(({ method }) => method !== 'GET').map(({ id }) => id)
    const missed = changes.filter((id) => counted(`acknowledged: ${id}`) === 0)
    expect(
      missed.sort(),
      'A new change needs a call in test/soak/kills/acts.ts, or its name in `keepsNothing` here',
    ).toEqual(keepsNothing)
    expect(counted('kills')).toBe(LANES * KILLS_EACH + platformKills)
    expect(counted('things compared')).toBeGreaterThan(25 * kills)
  })

  it.each(lanes.map((each, lane) => [seed + lane, each] as const))(
    'with seed %i, loses no acknowledged change, and answers correctly',
    (_seed, { ledger }) => {
      expect(ledger.findings).toEqual([])
    },
  )

  it('has each acknowledged change of runs and artifacts, and nothing half done', () => {
    expect(platform.ledger.findings).toEqual([])
    const { ledger } = platform
    const names = Object.keys(platformActs).map((name) => name.split(' ')[0]!)
    expect(names.filter((name) => ledger.counted(`acknowledged: ${name}`) === 0)).toEqual([])
    expect(ledger.counted('kills')).toBe(platformKills)
    expect(ledger.counted('things compared')).toBeGreaterThan(10 * platformKills)
  })

  it('leaves each acknowledged delivery in the file of a sink that is killed as well', () => {
    expect(sink.ledger.findings).toEqual([])
    expect(sink.ledger.counted('kills of the sink')).toBe(SINK_KILLS)
    expect(sink.ledger.counted('deliveries compared')).toBeGreaterThan(30 * SINK_KILLS)
  })
})
