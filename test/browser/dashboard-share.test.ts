import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { submit } from '../support/trainer.js'
import { describeDashboard } from './browser-of-suite.js'

/** Clicks a button, and returns the name and the text of the file that it saves. */
async function saved(page: Page, name: string): Promise<{ file: string; text: string }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name, exact: true }).click(),
  ])
  const text = await readFile(await download.path(), 'utf8')
  return { file: download.suggestedFilename(), text }
}

describeDashboard('files to share', (open) => {
  it.each(['requests', 'timeline'])('are saved on the page of %s', async (route) => {
    const { page, go, createJob } = await open({ scenario: 'failing-job' })
    await createJob('poet')
    await go(route)
    const report = await saved(page, 'Report')
    expect(report.file).toBe('report.html')
    expect(report.text).toMatch(/^<!doctype html>/)
    expect(report.text).toContain('Scenario failing-job, seed 1')
    const har = await saved(page, 'HAR')
    expect(har.file).toBe('requests.har')
    const { log } = JSON.parse(har.text)
    expect(log.version).toBe('1.2')
    expect(log.entries).toHaveLength(2)
  })

  it('have only what happened in the world of the page', async () => {
    const { page, emulator, go } = await open({ isolate: 'api-key' })
    await submit(emulator, 'poet', 'first-key')
    await submit(emulator, 'painter', 'second-key')
    await go('requests')
    await page.getByRole('button', { name: 'World default' }).click()
    await page.locator('#worlds').getByRole('link', { name: 'world-1' }).click()
    await page.getByRole('row', { name: 'createRlTrainingJob' }).waitFor()
    const { file, text } = await saved(page, 'HAR')
    expect(file).toBe('world-1-requests.har')
    expect(JSON.parse(text).log.entries).toHaveLength(2)
    expect(text).toContain('poet')
    expect(text).not.toContain('painter')
  })

  it('say why they could not be saved', async () => {
    const { page, emulator, go } = await open({ errors: /ERR_FAILED/ })
    await go('requests')
    await page.route('**/_emulator/har', (route) => route.abort())
    await page.getByRole('button', { name: 'HAR', exact: true }).click()
    await page.getByRole('alert').getByText('The emulator does not answer').waitFor()
    expect(emulator.requests.count()).toBe(0)
  })
})
