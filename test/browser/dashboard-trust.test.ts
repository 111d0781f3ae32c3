import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { noChromium } from '../support/chromium.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { browserOfSuite } from './browser-of-suite.js'
import { FITS, unfitting } from './fit.js'
import { holdCalls, openDashboard } from './open-dashboard.js'

const run = promisify(execFile)

/** The models of the rows, from the top. */
function modelsOf(page: Page): Promise<string[]> {
  return page.getByRole('region', { name: 'Jobs' }).locator('tbody a').allTextContents()
}

describe.skipIf(noChromium)(`the lists ${noChromium ?? ''}`, { timeout: 120_000 }, () => {
  const browser = browserOfSuite()

  it('have the newest job first, even if a job steps before the list has loaded', async () => {
    const { page, emulator, go, createJob } = await openDashboard(browser())
    await createJob('first')
    await createJob('second')
    emulator.clock.advance('1m')
    await createJob('third')
    let answer = (): void => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/_emulator/jobs?limit=*', async (request) => {
      const response = await request.fetch()
      await held
      await request.fulfill({ response })
    })
    const loading = go('jobs')
    await page.getByRole('status').filter({ hasText: 'live' }).waitFor()
    // The stream reports only the job that steps.
    emulator.clock.advance('2s')
    answer()
    await loading
    await page.getByRole('row', { name: 'first' }).waitFor()
    await expect.poll(() => modelsOf(page)).toEqual(['third', 'second', 'first'])
    await page.getByRole('row', { name: 'third' }).getByText('running').waitFor()
  })

  it('say that a job has none of something only when they were read', async () => {
    const { page, emulator, go } = await openDashboard(browser())
    const { id } = await emulator.jobs.start({ model: 'poet' })
    const release = await holdCalls(page, 'deliveries*')
    await go(`jobs/${id}`)
    const deliveries = page.getByRole('region', { name: 'Deliveries' })
    await deliveries.getByText('Loading…').waitFor()
    release()
    await deliveries.getByText('This job caused no deliveries.').waitFor()
    expect(await deliveries.getByText('Loading…').count()).toBe(0)
  })

  it('sort by a heading, and keep it in the address', async () => {
    const { page, emulator, go, createJob } = await openDashboard(browser())
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
    const { page, emulator, go } = await openDashboard(browser())
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

  it('keep filters, searches and open rows in the address', async () => {
    const { page, emulator, go, createJob } = await openDashboard(browser())
    await createJob('poet')
    await emulator.fetch(`${emulator.trainingUrl}/preview/nothing`)
    await go('requests')
    await page.getByRole('button', { name: '4xx 1' }).click()
    await page.getByLabel('Filter').fill('NOTHING')
    const row = page.getByRole('row', { name: '/v1/preview/nothing' }).first()
    await row.getByRole('button').click()
    await page.getByRole('link', { name: 'Scenario' }).click()
    await page.getByRole('heading', { name: 'happy-path' }).waitFor()
    await expect.poll(() => page.title()).toBe('Scenario · svtrain-emulator')
    await page.goBack()
    await page.reload()
    await row.waitFor()
    await expect.poll(() => page.getByLabel('Filter').inputValue()).toBe('NOTHING')
    await expect.poll(() => page.getByRole('row').count()).toBe(3)
    await expect
      .poll(() => row.getByRole('button').first().getAttribute('aria-expanded'))
      .toBe('true')
    await go('jobs')
    await page.getByRole('link', { name: 'poet' }).click()
    await expect.poll(() => page.title()).toBe('poet #1 · svtrain-emulator')
  })

  it.each([390, 1024])('fit into %d pixels, with all digits of their numbers', async (width) => {
    const { page, emulator, go, createJob } = await openDashboard(browser(), {
      scenario: {
        name: 'long',
        extends: 'happy-path',
        jobs: [
          {
            timeline: [
              { event: 'training_started', after: '1s' },
              { event: 'gradient_step', every: '1ms', count: 100_000, metrics: { loss: 1 } },
              { event: 'never' },
            ],
          },
        ],
      },
      screen: { viewport: { width, height: 800 } },
    })
    emulator.createSink()
    const id = await createJob('poet')
    emulator.clock.advance(98_959)
    await emulator.webhooks.idle()
    // The journal has dropped the first requests.
    await emulator.fetch(`${emulator.trainingUrl}/preview/base-models`)
    for (const route of ['jobs', `jobs/${id}`, 'curves', 'deliveries', 'sink', 'requests']) {
      await go(route)
      await page.locator('tbody tr, .chart').first().waitFor()
      expect({ route, ...(await unfitting(page)) }).toEqual({ route, ...FITS, tables: [] })
    }
  })
})

describe.skipIf(noChromium)(`the states ${noChromium ?? ''}`, { timeout: 120_000 }, () => {
  const browser = browserOfSuite()

  it('of a queued job that you stall are named', async () => {
    const { page, go, createJob, complaints } = await openDashboard(browser())
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
    expect(complaints).toEqual([])
  })

  it('of an event that you trigger lead to its delivery, which belongs to the job', async () => {
    const { page, emulator, go, createJob, complaints } = await openDashboard(browser())
    emulator.createSink()
    const id = await createJob('poet')
    emulator.clock.advance('2s')
    await emulator.webhooks.idle()
    await go(`jobs/${id}`)
    await page.getByText('Trigger an event').click()
    await page.getByRole('button', { name: 'Trigger' }).click()
    const link = page.getByRole('status').getByRole('link')
    const short = (await link.textContent())!.trim()
    const deliveries = page.getByRole('region', { name: 'Deliveries' })
    await deliveries.getByRole('link', { name: short }).waitFor()
    await link.click()
    await page.getByRole('heading', { name: 'RUN_STATE' }).waitFor()
    await page.getByRole('link', { name: 'its job' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('of a received webhook name the event, the run and the delivery', async () => {
    const { page, emulator, go, createJob, complaints } = await openDashboard(browser())
    emulator.createSink()
    await createJob('poet')
    emulator.clock.advance('2s')
    await emulator.webhooks.idle()
    await go('sink')
    const row = page.getByRole('row', { name: 'RUN_STATE' }).first()
    await row.getByText('poet').waitFor()
    await row.getByRole('button').click()
    await page.getByText('"run_name": "poet"').waitFor()
    await page.getByRole('link', { name: /^delivery / }).click()
    await page.getByRole('heading', { name: 'RUN_STATE running · poet #1 delivered' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('of the clock name the time zone and what is next, and close their errors', async () => {
    const { page, emulator, go, createJob } = await openDashboard(browser())
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

describe.skipIf(noChromium)(`your own scenario ${noChromium ?? ''}`, { timeout: 120_000 }, () => {
  const browser = browserOfSuite()
  const mine = { name: 'mine', description: 'My own scenario.', extends: 'happy-path' } as const

  it('can be started again, left, and returned to', async () => {
    const { page, emulator, go, createJob } = await openDashboard(browser(), { scenario: mine })
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

  it('is loading until it is there', async () => {
    const { page, go, complaints } = await openDashboard(browser(), { scenario: mine })
    const answer = await holdCalls(page, 'scenario')
    await go('scenario')
    await page.getByText('Loading the scenario…').waitFor()
    answer()
    await page.getByRole('heading', { name: 'mine' }).waitFor()
    expect(complaints).toEqual([])
  })
})

describe.skipIf(noChromium)(`empty pages ${noChromium ?? ''}`, { timeout: 120_000 }, () => {
  const browser = browserOfSuite()

  it.each(['curl', 'Python', 'TypeScript'])(
    'have code in %s that creates a job',
    async (language) => {
      const { page, emulator, go } = await openDashboard(browser())
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
    const { page, emulator, go, complaints } = await openDashboard(browser())
    const sink = emulator.createSink()
    await go('deliveries')
    await page.getByText('1 webhook waits for an event').waitFor()
    await page.getByText(sink.url).waitFor()
    await go('requests')
    await page.getByText('No requests yet').waitFor()
    await page.getByText(emulator.trainingUrl, { exact: true }).waitFor()
    expect(complaints).toEqual([])
  })
})
