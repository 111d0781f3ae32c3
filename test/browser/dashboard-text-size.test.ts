import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium, noChromium } from '../support/chromium.js'
import { FITS, unfitting } from './fit.js'
import { buildAsServed, openDashboard } from './open-dashboard.js'

/** The font size that the user chose in the settings of the browser. 16 is where browsers start. */
const SIZE = 24

const PAGES = [
  'jobs',
  'curves',
  'models',
  'lineage',
  'chat',
  'requests',
  'timeline',
  'deliveries',
  'sink',
]
const MORE = ['schedule', 'faults', 'webhooks', 'scenario']

describe.skipIf(noChromium)(`a larger font ${noChromium ?? ''}`, { timeout: 90_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    await buildAsServed()
    browser = await launchChromium({}, [`--blink-settings=defaultFontSize=${SIZE}`])
  }, 120_000)
  afterAll(() => browser.close())

  it.each([1280, 390])('makes all text larger and cuts nothing, at %d pixels', async (width) => {
    const { page, emulator, go, createJob } = await openDashboard(browser, { width })
    emulator.createSink()
    const id = await createJob('poet')
    emulator.clock.advance('1m')
    await emulator.webhooks.idle()
    const delivery = emulator.webhooks.deliveries[0]!.id
    const one = [`jobs/${id}`, 'requests/1', `deliveries/${delivery}`]
    for (const route of [...PAGES, ...MORE, ...one]) {
      await go(route)
      await page.locator('main h1').first().waitFor()
      const small = await smallTexts(page)
      expect({ route, small, ...(await unfitting(page)) }).toMatchObject({
        route,
        small: [],
        ...FITS,
      })
    }
  })
})

/** Text that did not grow. */
function smallTexts(page: Page): Promise<(string | null)[]> {
  return page.evaluate((size) => {
    // The smallest text of the page, in relation to the font size of the browser.
    const least = (11 / 16) * size
    const visible = [...document.querySelectorAll('body *')].filter(
      (element) =>
        [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim()) &&
        element.getClientRects().length > 0,
    )
    const small = visible.filter((element) => {
      return Number.parseFloat(getComputedStyle(element).fontSize) < least - 0.1
    })
    return small.map(({ textContent }) => textContent)
  }, SIZE)
}
