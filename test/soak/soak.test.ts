import { beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/control/table.js'
import { Kills } from './kills/kills.js'
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

const seed = 1

describe(`an emulator that is killed 50 times under load, with seed ${seed},`, () => {
  const kills = new Kills({ kills: 50, seed })
  beforeAll(() => kills.run(), 600_000)

  /**
   * Operations that save nothing in the folder. Sinks and explorations end with their process. Nobody calls MCP
   * here: its tools make the other calls.
   */
  const keepsNothing = [
    'callMcp',
    'changeClock',
    'checkScenario',
    'explainSignature',
    'nextTrial',
    'openSink',
    'startExploration',
    'testWebhook',
  ]

  it('acknowledges every kind of change', () => {
    const { ledger } = kills
    // The extension wires are off, and are chats like others.
    const served = operations.filter(({ extension }) => extension === undefined)
    const changes = served.filter(({ method }) => method !== 'GET').map(({ id }) => id)
    const missed = changes.filter((id) => ledger.counted(`acknowledged: ${id}`) === 0)
    expect(missed.sort()).toEqual(keepsNothing)
    expect(ledger.counted('kills')).toBe(50)
    expect(ledger.counted('things compared')).toBeGreaterThan(1000)
  })

  it('loses no acknowledged change, and answers correctly', () => {
    expect(kills.ledger.findings).toEqual([])
  })
})
