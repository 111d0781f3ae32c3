import { beforeAll, describe, expect, it } from 'vitest'
import { bundlePrograms } from './bundle.js'
import { Fuzz, FUZZED } from './fuzz/fuzz.js'
import { kindNames } from './fuzz/kind.js'
import { inputs, seed } from './size.js'

// The default takes a minute and a half. `.ci/long` tries a million without this test.
const PATIENCE = 30 * 60_000

describe(`${inputs} odd inputs, with seed ${seed},`, () => {
  const fuzz = new Fuzz({ count: inputs, seed })
  beforeAll(async () => {
    const bundle = await bundlePrograms(FUZZED)
    await fuzz.run(bundle).finally(bundle.remove)
  }, PATIENCE)

  it('are all tried', () => {
    expect(fuzz.ledger.counted('tried')).toBeGreaterThanOrEqual(inputs)
  })

  it.each(kindNames)('are accepted and refused: %s', (kind) => {
    expect(fuzz.ledger.counted(`${kind}: accepted`)).toBeGreaterThan(inputs / 2000)
    expect(fuzz.ledger.counted(`${kind}: refused`)).toBeGreaterThan(inputs / 2000)
  })

  it('get no 500, no foreign error and no endless wait, and have no effect if they are refused', () => {
    expect(fuzz.ledger.findings).toEqual([])
  })
})
