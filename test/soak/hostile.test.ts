import { beforeAll, expect, it } from 'vitest'
import { assertBuilt } from '../cli/command.js'
import { Hostile } from './hostile.js'
import { seed } from './size.js'

beforeAll(assertBuilt)

it(`200 hostile connections, with seed ${seed}, leave the intercepting proxy as it was`, async () => {
  const hostile = new Hostile({ count: 200, seed })
  await hostile.run()
  expect(hostile.ledger.findings).toEqual([])
  expect(hostile.ledger.counted('first answers: 400')).toBeGreaterThan(0)
})
