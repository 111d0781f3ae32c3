import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { install, type Installed } from './installed.js'
import { run } from './shell.js'

/**
 * The newest clients, beside those that package.json names and test/service/api/clients uses on every Node. Their
 * versions stand here alone.
 */
const packages = ['openai@7.57.0', 'ai@7.0.173', '@ai-sdk/openai@4.0.118', 'zod@4.6.7']

const NEEDED = 22
const isTooOld = Number(process.versions.node.split('.')[0]) < NEEDED
const needs = isTooOld ? `, needs Node ${NEEDED}` : ''

/** The time limit of an installation with a slow connection. */
const PATIENCE = 300_000

describe.skipIf(isTooOld)(`the newest clients${needs}`, { timeout: PATIENCE }, () => {
  let installed: Installed
  beforeAll(async () => {
    installed = await install()
    await run('npm', ['install', '--no-audit', '--no-fund', ...packages], installed.folder)
  }, PATIENCE)
  afterAll(() => installed.remove())

  it.each([
    ['openai.mjs', 7],
    ['ai-sdk.mjs', 6],
  ])('%s runs the calls of its users', async (program, tests) => {
    const { folder } = installed
    await copyFile(join(import.meta.dirname, 'clients', program), join(folder, program))
    const told = await run('node', ['--test', '--test-reporter=tap', program], folder)
    expect(told).toContain(`# pass ${tests}\n`)
  })
})
