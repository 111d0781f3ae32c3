import type { Browser } from 'playwright-core'
import { afterAll, test } from 'vitest'
import { launchChromium } from '../support/chromium.js'
import { buildAsServed, closeSharedPage } from './open-dashboard.js'

/** Each process of Vitest has one browser. Its files use it one after the other, with their own contexts. */
const browserTest = test.extend(
  'browser',
  { scope: 'worker' },
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern what a fixture needs.
  async ({}, { onCleanup }) => {
    const browser = await launchChromium()
    onCleanup(() => browser.close())
    return browser
  },
)

/** The browser for the tests of this suite. Builds the dashboard as well. */
export function browserOfSuite(): () => Browser {
  let browser: Browser
  browserTest.beforeAll(async ({ browser: started }) => {
    await buildAsServed()
    browser = started
  }, 120_000)
  afterAll(() => closeSharedPage(browser))
  return () => browser
}
