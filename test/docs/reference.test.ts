import { expect, it } from 'vitest'
import { outdatedPages } from '../../.build/reference/outdated.js'

it('the generated pages are current (npm run generate writes them)', async () => {
  for (const { path, before, after } of await outdatedPages()) {
    expect([path, before]).toEqual([path, after])
  }
})
