import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventIds } from '../../../src/service/engine/jobs/event-id.js'
import { SeededRandom, gaussian } from '../../../src/base/random/random.js'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('seeded randomness', () => {
  it('depends on the purpose of a draw, not on the order', () => {
    const one = new SeededRandom(1)
    const other = new SeededRandom(1)
    const second = other.uuid('model', 'b')
    expect(other.uuid('model', 'a')).toBe(one.uuid('model', 'a'))
    expect(one.uuid('model', 'b')).toBe(second)
  })

  it('differs for other seeds, parts and part borders', () => {
    const draws = [
      new SeededRandom(1).uuid('model', 'ab', 'c'),
      new SeededRandom(1).uuid('model', 'a', 'bc'),
      new SeededRandom(2).uuid('model', 'ab', 'c'),
      new SeededRandom(1).uuid('job', 'ab', 'c'),
    ]
    expect(new Set(draws).size).toBe(4)
    for (const draw of draws) expect(draw).toMatch(UUID)
  })

  it('creates a hundred thousand different ids', () => {
    const random = new SeededRandom(1)
    const ids = new Set(Array.from({ length: 100_000 }, (_, index) => random.uuid('job', index)))
    expect(ids.size).toBe(100_000)
  })

  it('is spread evenly over [0, 1)', () => {
    const random = new SeededRandom(7)
    const draws = Array.from({ length: 10_000 }, (_, index) => random.unit('draw', index))
    const buckets = Array.from({ length: 10 }, (_, bucket) => {
      return draws.filter((draw) => Math.floor(draw * 10) === bucket).length
    })
    for (const count of buckets) expect(Math.abs(count - 1000)).toBeLessThan(150)
  })

  it('creates noise with mean 0 and deviation 1', () => {
    const draws = Array.from({ length: 20_000 }, (_, index) => gaussian(12_345, index))
    const mean = draws.reduce((sum, draw) => sum + draw, 0) / draws.length
    const variance = draws.reduce((sum, draw) => sum + (draw - mean) ** 2, 0) / draws.length
    expect(Math.abs(mean)).toBeLessThan(0.03)
    expect(Math.abs(variance - 1)).toBeLessThan(0.05)
  })
})

describe('the event ids of a job', () => {
  const ids = new EventIds(new SeededRandom(1).hash('event', 'job'))

  it('are UUIDs that contain the index', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (number) => {
        const index = number % 2 ** 48
        const id = ids.at(index)
        expect(id).toMatch(UUID)
        expect(ids.indexOf(id)).toBe(index)
      }),
    )
  })

  it('differ from the ids of other jobs', () => {
    const others = new EventIds(new SeededRandom(1).hash('event', 'other'))
    for (let index = 0; index < 100; index++) expect(ids.indexOf(others.at(index))).toBeUndefined()
  })

  it('are recognized, and any other text is not', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(ids.indexOf(text)).toBeUndefined()
        expect(ids.indexOf(ids.at(0).slice(0, 24) + text)).not.toBe(0)
      }),
    )
    expect(ids.indexOf(ids.at(3).toUpperCase())).toBeUndefined()
  })
})
