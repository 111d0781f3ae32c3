import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { describeDashboard } from './browser-of-suite.js'
import { FITS, unfitting } from './fit.js'
import { long } from '../support/job-timelines.js'

const run = promisify(execFile)

/** The models of the rows, from the top. */
function modelsOf(page: Page): Promise<string[]> {
  return page.getByRole('region', { name: 'Jobs' }).locator('tbody a').allTextContents()
}

describeDashboard('the lists', (open) => {
  it('sort by a heading, and keep it in the address', async () => {
    const { page, emulator, go, createJob } = await open()
    await createJob('beta', 4)
    await createJob('alpha', 8)
    await createJob('gamma', 2)
    emulator.clock.advance('1m')
    await go('jobs')
    const steps = page.getByRole('columnheader', { name: 'Steps' })
    await steps.getByRole('button').click()
    await expect.poll(() => modelsOf(page)).toEqual(['alpha', 'beta', 'gamma'])
    await expect.poll(() => steps.getAttribute('aria-sort')).toBe('descending')
    await page.reload()
    await expect.poll(() => modelsOf(page)).toEqual(['alpha', 'beta', 'gamma'])
    await steps.getByRole('button').click()
    await expect.poll(() => modelsOf(page)).toEqual(['gamma', 'beta', 'alpha'])
    await steps.getByRole('button').click()
    await expect.poll(() => modelsOf(page)).toEqual(['gamma', 'alpha', 'beta'])
  })

  it('draw only the rows in the window, and reach the last one', async () => {
    const { page, emulator, go } = await open()
    for (let job = 0; job < 1000; job++) await emulator.jobs.start({ model: `poet-${job}` })
    await go('jobs')
    await page.getByRole('row', { name: 'poet-999' }).waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBeLessThan(60)
    await page.getByRole('link', { name: 'poet-999', exact: true }).focus()
    await page.keyboard.press('End')
    const last = page.getByRole('link', { name: 'poet-0', exact: true })
    await last.waitFor()
    await expect.poll(() => last.evaluate((link) => link === document.activeElement)).toBe(true)
    await expect.poll(() => page.getByRole('row').count()).toBeLessThan(60)
    // Back returns to the place.
    const before = await page.evaluate(() => scrollY)
    await last.click()
    await page.getByRole('heading', { name: 'poet-0 #1' }).waitFor()
    await page.goBack()
    await last.waitFor()
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(before)
  })

  it.each([390, 1024])('fit into %d pixels, with all digits of their numbers', async (width) => {
    const { page, emulator, go, createJob } = await open({ scenario: long, width })
    emulator.createSink()
    const id = await createJob('poet')
    emulator.clock.advance(98_959)
    await emulator.webhooks.idle()
    // The journal has dropped the first requests.
    await emulator.fetch(`${emulator.trainingUrl}/preview/base-models`)
    emulator.faults.add({ name: 'W'.repeat(300), fault: 'drop', match: { model: 'x'.repeat(300) } })
    const lists = ['jobs', `jobs/${id}`, 'curves', 'deliveries', 'sink', 'requests']
    for (const route of [...lists, 'timeline', 'schedule', 'faults', 'scenario']) {
      await go(route)
      await page.locator('tbody tr, .chart, .editor').first().waitFor()
      expect({ route, ...(await unfitting(page)) }).toEqual({ route, ...FITS, tables: [] })
    }
  })
})

describeDashboard('the states', (open) => {
  it('of a queued job that you stall are named', async () => {
    const { page, go, createJob } = await open()
    const id = await createJob('poet')
    await go(`jobs/${id}`)
    await page.getByRole('button', { name: 'Stall' }).click()
    await page.getByRole('heading', { name: 'poet #1 stalled' }).waitFor()
    await page.getByText('you stalled the job before it started').waitFor()
    const behind = await createJob('poet')
    await go(`jobs/${behind}`)
    await page.getByText(`queued behind ${id.slice(0, 8)}, which is stalled.`).waitFor()
    await go(`jobs/${id}`)
    const started = page.getByText('Started', { exact: true }).locator('..')
    await expect.poll(() => started.textContent()).toBe('Started–')
  })

  it('of the clock name the time zone and what is next, and close their errors', async () => {
    const { page, emulator, go, createJob } = await open({ errors: /400/ })
    await createJob('poet')
    await go('jobs')
    const clock = page.getByRole('region', { name: 'Clock' })
    await clock.getByText('UTC').waitFor()
    await clock.getByText(/^\d+ tasks?, next at 00:00:01.000$/).waitFor()
    const place = await page.getByRole('heading', { name: 'Jobs' }).boundingBox()
    await clock.getByLabel('Advance by').fill('soon')
    await clock.getByRole('button', { name: 'Advance' }).click()
    await clock.getByRole('alert').waitFor()
    expect(await page.getByRole('heading', { name: 'Jobs' }).boundingBox()).toEqual(place)
    await clock.getByRole('button', { name: 'Dismiss' }).click()
    await expect.poll(() => clock.getByRole('alert').count()).toBe(0)
    await clock.getByLabel('Mode').selectOption('real')
    await clock.getByText('Pause to step').waitFor()
    expect(emulator.clock.mode).toBe('real')
  })
})

describeDashboard('your own scenario', (open) => {
  const mine = { name: 'mine', description: 'My own scenario.', extends: 'happy-path' } as const

  it('can be started again, left, and returned to', async () => {
    const { page, emulator, go, createJob } = await open({ scenario: mine })
    await createJob('poet')
    await go('scenario')
    const startOver = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Start over', exact: true }).click()
      await page.getByRole('button', { name: 'Delete and start over' }).click()
    }
    await startOver()
    await expect.poll(() => emulator.jobs.all.length).toBe(0)
    expect(emulator.scenario.name).toBe('mine')
    await page.getByLabel('Change to').selectOption('failing-job')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('heading', { name: 'failing-job' }).waitFor()
    await page.getByLabel('Change to').selectOption('mine')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('heading', { name: 'mine' }).waitFor()
    await page.getByLabel('Change to').selectOption('failing-job')
    await startOver()
    await page.getByRole('heading', { name: 'failing-job' }).waitFor()
    await page.getByRole('button', { name: 'Reset to the initial scenario' }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(emulator.scenario.name).toBe('failing-job')
    await page.getByRole('button', { name: 'Reset to the initial scenario' }).click()
    await page.getByRole('button', { name: 'Delete and reset' }).click()
    await page.getByRole('heading', { name: 'mine' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })
})

describeDashboard('empty pages', (open) => {
  it.each(['curl', 'Python', 'TypeScript'])(
    'have code in %s that creates a job',
    async (language) => {
      const { page, emulator, go } = await open()
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await go('jobs')
      await page.getByRole('button', { name: language }).click()
      await page.getByRole('button', { name: language, pressed: true }).waitFor()
      await page.getByRole('button', { name: 'Copy the code' }).click()
      await page.getByText('Copied').waitFor()
      const code = await page.evaluate(() => navigator.clipboard.readText())
      const file = join(temporaryFolder(), 'example.mts')
      writeFileSync(file, code)
      if (language === 'curl') await run('sh', [file])
      else if (language === 'Python') await run('python3', [file])
      else await run(process.execPath, ['--import', 'tsx', file])
      await page.getByRole('row', { name: 'poet' }).waitFor()
      expect(emulator.jobs.all).toHaveLength(1)
    },
  )

  it('name the webhooks that wait for an event', async () => {
    const { page, emulator, go } = await open()
    const sink = emulator.createSink()
    await go('deliveries')
    await page.getByText('1 webhook waits for an event').waitFor()
    await page.getByText(sink.url).waitFor()
    await go('requests')
    await page.getByText('No requests yet').waitFor()
    await page.getByText(emulator.trainingUrl, { exact: true }).waitFor()
  })
})
