import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { launchChromium, noChromium } from '../support/chromium.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { browserOfSuite, openDashboard, type Dashboard } from './open-dashboard.js'
import { differenceFromApproved, fixFont, TOLERANCE } from './screens.js'

const SCREENS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  narrow: { colorScheme: 'light', viewport: { width: 420, height: 800 } },
}

describe.skipIf(noChromium)(`the screens ${noChromium ?? ''}`, { timeout: 60_000 }, () => {
  const browser = browserOfSuite()

  /** Opens the page of the jobs, in the same world every time. */
  async function openJobs(
    screen: BrowserContextOptions,
    inBrowser = browser(),
  ): Promise<Dashboard & { id: string }> {
    const dashboard = await openDashboard(inBrowser, {
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
    await fixFont(page)
    await go('jobs')
    await page.getByRole('row', { name: 'painter' }).waitFor()
    return { ...dashboard, id }
  }

  it.each(Object.keys(SCREENS))('match the approved screenshot (%s)', async (look) => {
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

  it('match the approved screenshot on a machine with other fonts and hinting', async () => {
    const file = join(temporaryFolder(), 'fonts.conf')
    writeFileSync(file, OTHER_FONTS)
    const other = await launchChromium({ FONTCONFIG_FILE: file })
    onTestFinished(() => other.close())
    const { page } = await openJobs(SCREENS['light']!, other)
    expect(await differenceFromApproved(page, 'jobs-light')).toBeLessThan(TOLERANCE)
  })

  it('do not match the approved screenshot after a visible change', async () => {
    const { page } = await openJobs(SCREENS['light']!)
    for (const [change, style] of [
      ['a column too wide', '.w-state { width: 600px }'],
      ['a missing style', '* { all: revert !important }'],
      ['rows that are too high', 'td { height: 34px }'],
      ['a toolbar that is gone', '.toolbar { display: none }'],
      ['colors for the dark on a light page', ':root { --text: #e3e6ec; --faint: #e3e6ec }'],
      ['a smaller font', 'body { font-size: 12px }'],
      ['a wider margin', 'main { padding-left: 24px }'],
    ] as const) {
      await replaceStyle(page, style)
      const difference = await differenceFromApproved(page, 'jobs-light')
      expect({ change, isSeen: difference > TOLERANCE }).toEqual({ change, isSeen: true })
    }
    await replaceStyle(page, '')
    expect(await differenceFromApproved(page, 'jobs-light')).toBe(0)
  })
})

/** Sets one more style sheet of the page; it refuses inline styles. */
async function replaceStyle(page: Page, style: string): Promise<void> {
  await page.evaluate(async (text) => {
    const sheet = new CSSStyleSheet()
    await sheet.replace(text)
    document.adoptedStyleSheets = [document.adoptedStyleSheets[0]!, sheet]
  }, style)
}

const OTHER_FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <match target="pattern">
    <edit name="family" mode="assign" binding="strong"><string>DejaVu Serif</string></edit>
    <edit name="hinting" mode="assign"><bool>true</bool></edit>
    <edit name="hintstyle" mode="assign"><const>hintfull</const></edit>
  </match>
</fontconfig>
`
