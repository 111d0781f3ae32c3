import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { noChromium } from '../support/chromium.js'
import { browserOfSuite, openDashboard, type Dashboard } from './open-dashboard.js'
import { differenceFromApproved, TOLERANCE } from './screens.js'

const SCREENS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  narrow: { colorScheme: 'light', viewport: { width: 420, height: 800 } },
}

describe.skipIf(noChromium)(`the screens ${noChromium ?? ''}`, { timeout: 60_000 }, () => {
  const browser = browserOfSuite()

  /** The page of the jobs, whole, of the same world every time: its clock stands still. */
  async function openJobs(screen: BrowserContextOptions): Promise<Dashboard & { id: string }> {
    const dashboard = await openDashboard(browser(), {
      scenario: 'two-jobs',
      screen,
    })
    const { emulator, createJob } = dashboard
    const sink = emulator.createSink()
    sink.answer({ status: 503, body: 'try again', times: 1 })
    await createJob('poet')
    const id = await createJob('poet')
    emulator.clock.advance(4000)
    await emulator.webhooks.idle()
    await createJob('painter')
    emulator.clock.advance(2500)
    await emulator.webhooks.idle()
    const headers = { 'x-service-signature': 'sha256=5d41402abc4b2a76b9719d91' }
    await sink.fetch(`${sink.url}/elsewhere`, { method: 'POST', headers, body: '{}' })
    const { page, go } = dashboard
    await go('jobs')
    await page.getByRole('row', { name: 'painter' }).waitFor()
    return { ...dashboard, id }
  }

  it.each(Object.keys(SCREENS))('are as approved (%s)', async (look) => {
    const { page, go, id } = await openJobs(SCREENS[look]!)
    expect(await differenceFromApproved(page, `jobs-${look}`)).toBeLessThan(TOLERANCE)
    await go(`jobs/${id}`)
    await page.getByRole('img', { name: 'loss over' }).waitFor()
    await page.getByRole('region', { name: 'Checkpoints' }).getByRole('table').waitFor()
    expect(await differenceFromApproved(page, `job-${look}`)).toBeLessThan(TOLERANCE)
    await go('deliveries')
    await page.getByRole('row', { name: 'RUN_STATE' }).first().waitFor()
    expect(await differenceFromApproved(page, `deliveries-${look}`)).toBeLessThan(TOLERANCE)
    await go('sink')
    await page.getByRole('row', { name: '/elsewhere' }).waitFor()
    expect(await differenceFromApproved(page, `sink-${look}`)).toBeLessThan(TOLERANCE)
  })

  it('are as approved in the letters of another machine', async () => {
    const { page } = await openJobs(SCREENS['light']!)
    await addStyle(page, ":root { --sans: 'DejaVu Sans Condensed' }")
    expect(await differenceFromApproved(page, 'jobs-light')).toBeLessThan(TOLERANCE)
  })

  it.each([
    ['a column too wide', '.w-state { width: 600px }'],
    ['a missing style', '* { all: revert !important }'],
    ['rows that are too high', 'td { height: 34px }'],
    ['a toolbar that is gone', '.toolbar { display: none }'],
    ['colours for the dark on a light page', ':root { --text: #e3e6ec; --faint: #e3e6ec }'],
  ])('are not as approved with %s', async (_, style) => {
    const { page } = await openJobs(SCREENS['light']!)
    await addStyle(page, style)
    expect(await differenceFromApproved(page, 'jobs-light')).toBeGreaterThan(TOLERANCE)
  })
})

/** As a change of the style sheet would; the page refuses inline styles. */
async function addStyle(page: Page, style: string): Promise<void> {
  await page.evaluate((text) => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(text)
    document.adoptedStyleSheets.push(sheet)
  }, style)
}
