import type { Browser } from 'playwright-core'
import { afterAll, describe, test } from 'vitest'
import { launchChromium, noChromium } from '../support/chromium.js'
import {
  buildAsServed,
  closeSharedPage,
  openDashboard,
  type Dashboard,
  type DashboardOptions,
} from './open-dashboard.js'

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
function browserOfSuite(): () => Browser {
  let browser: Browser
  browserTest.beforeAll(async ({ browser: started }) => {
    await buildAsServed()
    browser = started
  }, 120_000)
  afterAll(() => closeSharedPage(browser))
  return () => browser
}

/** Opens the dashboard of a new emulator. */
export type Open = (options?: DashboardOptions) => Promise<Dashboard>

/** Describes something in Chromium, unless there is none. */
export function describeInBrowser(name: string, tests: (browser: () => Browser) => void): void {
  describe.skipIf(noChromium)(`${name} ${noChromium ?? ''}`, { timeout: 180_000 }, () => {
    tests(browserOfSuite())
  })
}

/** Describes the dashboard in Chromium. A test fails if its page has an error that the test does not name. */
export function describeDashboard(name: string, tests: (open: Open) => void): void {
  describeInBrowser(name, (browser) => tests((options) => openDashboard(browser(), options)))
}
