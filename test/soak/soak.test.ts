import { beforeAll, describe, expect, it } from 'vitest'
import { invariants, type Invariant } from './ledger.js'
import { Soak } from './soak.js'

describe('under load, with faults, resets and bad receivers,', () => {
  const soak = new Soak({ minutes: 0.5, clients: 60, seed: 1 })
  beforeAll(() => soak.run(), 600_000)

  it('has work of every kind to do', () => {
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

  it.each(Object.entries(invariants))('holds for %s: %s', (invariant) => {
    const found = soak.ledger.findings.filter((each) => each.invariant === (invariant as Invariant))
    expect(found).toEqual([])
  })
})
