import { describe, expect, it } from 'vitest'
import { lasting } from '../../src/dashboard/parts/wording.js'

describe('how long a call took', () => {
  it.each([
    [0.84, '0.8 ms'],
    [12.34, '12 ms'],
    [1234.5, '1.2 s'],
  ])('is shown in few digits: %s as %s', (took, text) => {
    expect(lasting(took)).toBe(text)
  })
})
