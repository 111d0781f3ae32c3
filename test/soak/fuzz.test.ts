import { beforeAll, describe, expect, it } from 'vitest'
import { Fuzz } from './fuzz/fuzz.js'
import { kindNames } from './fuzz/kind.js'

const seed = 1
const count = 100_000

describe(`${count} odd inputs, with seed ${seed},`, () => {
  const fuzz = new Fuzz({ count, seed })
  beforeAll(() => fuzz.run(), 1_200_000)

  it('are all tried', () => {
    expect(fuzz.tried).toBeGreaterThanOrEqual(count)
  })

  it.each(kindNames)('are accepted and refused: %s', (kind) => {
    expect(fuzz.accepted.get(kind)).toBeGreaterThan(50)
    expect(fuzz.refused.get(kind)).toBeGreaterThan(50)
  })

  it('get no 500, no foreign error and no endless wait, and have no effect if they are refused', () => {
    expect(fuzz.findings).toEqual([])
  })
})
