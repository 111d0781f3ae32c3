import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axeCore from 'axe-core'
import { expect, it, onTestFinished } from 'vitest'
import { createEmulator } from '../../src/index.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { describeInBrowser } from './browser-of-suite.js'
import { jobsWith } from '../support/job-timelines.js'

/** Writes the report of a run in which most things went wrong. */
async function writtenReport(): Promise<string> {
  const emulator = createEmulator({
    clock: 'manual',
    scenario: {
      name: 'bad day',
      jobs: jobsWith(
        { count: 30, spoil: [{ at: 3, metric: 'loss', with: 'NaN' }] },
        { event: 'training_failed', error_message: '<b>out of memory</b>' },
      ),
    },
  })
  onTestFinished(() => emulator.close())
  const sink = emulator.createSink()
  sink.answer({ status: 503, body: 'try again', times: 1 })
  await emulator.jobs.start({ model: 'poet' })
  const headers = { authorization: 'Bearer a-key', 'content-type': 'application/json' }
  const body = JSON.stringify({ model_id: 'nope', trajectory_groups: '</script>' })
  const url = `${emulator.trainingUrl}/preview/training-jobs`
  await emulator.fetch(url, { method: 'POST', headers, body })
  emulator.clock.advance('1m')
  await emulator.webhooks.idle()
  const file = join(temporaryFolder(), 'report.html')
  writeFileSync(file, await emulator.report({ failure: 'expected "failed" to be "ended"' }))
  return file
}

/** Each look and each width. What axe finds depends on the colors or on the layout, not on both. */
const SCREENS = [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const

describeInBrowser('the report', (browser) => {
  it.each(SCREENS)('opens from a file, $width pixels wide, $colorScheme', async (screen) => {
    const { width, colorScheme } = screen
    // The page allows no script. Only the check of this test may run.
    const viewport = { width, height: 800 }
    const context = await browser().newContext({ viewport, colorScheme, bypassCSP: true })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const seen: string[] = []
    page.on('console', (message) => seen.push(message.text()))
    page.on('pageerror', (error) => seen.push(error.message))
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const url = String(pathToFileURL(await writtenReport()))
    await page.goto(url)
    await page.getByRole('heading', { name: 'Scenario bad day, seed 1' }).waitFor()
    await page.evaluate(axeCore.source)
    for (const isOpen of [false, true]) {
      await page.evaluate((open) => {
        for (const details of document.querySelectorAll('details')) details.open = open
      }, isOpen)
      const found = await page.evaluate(async () => {
        const { axe } = globalThis as unknown as { axe: typeof axeCore }
        const { violations } = await axe.run({ resultTypes: ['violations'] })
        return violations.flatMap(({ id, nodes }) =>
          nodes.map(({ target }) => `${id}: ${target.join(' ')}`),
        )
      })
      expect(found).toEqual([])
      // Nothing is wider than the window.
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    }
    expect({ seen, asked }).toEqual({ seen: [], asked: [url] })
  })

  it('applies its own styles under its policy, and opens the request that a link names', async () => {
    const page = await browser().newPage()
    onTestFinished(() => page.close())
    const seen: string[] = []
    page.on('console', (message) => seen.push(message.text()))
    await page.goto(String(pathToFileURL(await writtenReport())))
    const link = page.locator('#failed + div a').first()
    await link.click()
    await page.getByRole('heading', { name: 'Response' }).first().waitFor({ state: 'visible' })
    await page.getByLabel('Only requests that failed').check()
    expect(await page.locator('#requests ~ .rows > .fine:visible').count()).toBe(0)
    expect(seen).toEqual([])
  })
})
