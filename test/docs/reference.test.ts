import { describe, expect, it } from 'vitest'
import { outdatedContract, outdatedIn, type Outdated } from '../../.build/reference/outdated.js'
import { partsOfReference } from '../../.build/reference/pages.js'

/** The text of each page, by its path, as it is or as it should be. */
function texts(pages: readonly Outdated[], when: 'before' | 'after'): unknown {
  return Object.fromEntries(pages.map((page) => [page.path, page[when]]))
}

describe('the generated pages are current (npm run generate writes them):', () => {
  it.each(partsOfReference)('$name', async (part) => {
    const outdated = await outdatedIn(part)
    expect(texts(outdated, 'before')).toEqual(texts(outdated, 'after'))
  })

  it('the contract', async () => {
    const outdated = await outdatedContract()
    expect(texts(outdated, 'before')).toEqual(texts(outdated, 'after'))
  })
})
