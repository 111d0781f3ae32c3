import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runsInClone } from '../support/contributor-commands.js'
import { createClone, type Clone } from './clone.js'
import { run } from './shell.js'

/** The time limit of a build on a busy machine. */
const PATIENCE = 300_000

describe('in a clone of the repository', { timeout: PATIENCE }, () => {
  let clone: Clone
  beforeAll(async () => {
    clone = await createClone()
  }, PATIENCE)
  afterAll(() => clone.remove())

  it.each(Object.values(runsInClone))('a contributor runs %s', async (command) => {
    await run('bash', ['-euc', command], clone.folder)
    // Generated pages and golden files are as they were.
    expect(await clone.git('status', '--porcelain')).toBe('')
  })
})
