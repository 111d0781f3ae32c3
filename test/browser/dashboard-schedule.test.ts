import { expect, it } from 'vitest'
import type { ScenarioInput } from '../../src/index.js'
import { describeDashboard } from './browser-of-suite.js'
import { jobsWith, timelineWith } from '../support/job-timelines.js'

const planned: ScenarioInput = {
  name: 'planned',
  webhooks: [{ name: 'deploy', retries: ['30s'] }],
  automations: [{ name: 'states', webhook: 'deploy', event: 'RUN_STATE' }],
  faults: [
    { name: 'maintenance', fault: 'status', status: 503, open: false },
    { fault: 'status', status: 429, match: { operation: 'listBaseModels' }, calls: { to: 3 } },
  ],
  jobs: [
    {
      match: { model: 'poet', ordinal: 3 },
      timeline: timelineWith(
        { count: 2 },
        { event: 'training_failed', error_message: 'out of memory' },
      ),
    },
    ...jobsWith({ count: 6 }),
  ],
  timeline: [{ at: '1m', do: 'open_fault', fault: 'maintenance' }],
}

describeDashboard('the schedule', (open) => {
  it('lists what is scheduled, with links to what it is about', async () => {
    const { page, emulator, go, createJob } = await open({ scenario: planned })
    emulator.createSink().answer({ status: 503, times: 1 })
    const id = await createJob('poet')
    emulator.clock.advance('1500ms')
    await emulator.webhooks.idle()
    await go('')
    await page.getByRole('link', { name: '3 tasks, next at 00:00:02.000' }).click()
    await page.getByText('Next, in 500 ms: poet').waitFor()
    const rows = page.getByRole('region', { name: 'Scheduled' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(3)
    const texts = await rows.allTextContents()
    expect(texts[0]).toMatch(/^00:00:02\.000in 500 ms.*step 1 of 6/)
    expect(texts[1]).toMatch(/RUN_STATE running to deploy \(attempt 2\)/)
    expect(texts[2]).toMatch(/^00:01:00\.000in 58\.5 s.*open fault "maintenance"/)
    await rows.nth(1).getByRole('link', { name: 'delivery' }).waitFor()
    await rows
      .nth(0)
      .getByRole('link', { name: `job ${id.slice(0, 8)}` })
      .click()
    await page.getByRole('heading', { name: 'poet #1 running' }).waitFor()
  })

  it('says what comes with the next job and call', async () => {
    const { page, go, createJob, emulator } = await open({ scenario: planned })
    await createJob('poet')
    await createJob('poet')
    await go('schedule')
    const next = page.getByRole('region', { name: 'With the next job, event or call' })
    const terms = next.locator('dl > div')
    await terms.first().waitFor()
    await expect
      .poll(() => terms.allTextContents())
      .toEqual([
        'The next call of listBaseModelsstatus 429, 3 calls left (faults)',
        'When job 1 of poet is overjob 2 of poet can start (jobs)',
        'Job 3 of poetstarts, takes 2 steps, fails: out of memory (jobs)',
        'Any other jobstarts, takes 6 steps, ends (jobs)',
      ])
    // A call uses the fault up.
    const headers = { authorization: `Bearer ${emulator.apiKey}` }
    await emulator.fetch(`${emulator.trainingUrl}/preview/base-models`, { headers })
    await next.getByText('2 calls left').waitFor()
  })

  it('advances to a task, and runs the next one', async () => {
    const { page, emulator, go, createJob } = await open({ scenario: planned })
    await createJob('poet')
    await go('schedule')
    await page.getByRole('button', { name: 'Next', exact: true }).click()
    await expect.poll(() => emulator.clock.now() % 60_000).toBe(1000)
    await page.getByText('Next, in 1 s').waitFor()
    const rows = page.getByRole('region', { name: 'Scheduled' }).locator('tbody tr')
    await rows.filter({ hasText: 'step 1 of 6' }).getByRole('button').click()
    // What has happened is no longer there, also while the pointer is in the table.
    await rows.filter({ hasText: 'step 2 of 6' }).waitFor()
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByRole('button', { name: 'Advance to here: timeline: open fault' }).click()
    await page.getByText('Nothing is scheduled.').waitFor()
    expect(emulator.clock.now() % 3_600_000).toBe(60_000)
    expect(emulator.engine.faults.all[0]!.open).toBe(true)
    await expect
      .poll(() => page.getByRole('button', { name: 'Next', exact: true }).isDisabled())
      .toBe(true)
    await page.getByText('status 503 (maintenance)').waitFor()
  })

  it('says why the clock cannot be moved, and pauses it', async () => {
    const { page, emulator, go } = await open({ scenario: planned, clock: 'real' })
    // The timeline begins with the first request.
    await emulator.fetch(`${emulator.trainingUrl}/health`)
    await go('schedule')
    const advance = page.getByRole('button', { name: 'Advance to here: timeline: open fault' })
    await advance.waitFor()
    await expect.poll(() => advance.isDisabled()).toBe(true)
    await page.getByText('Time passes by itself. Pause the clock to move it by hand.').waitFor()
    await page.getByRole('button', { name: 'Pause the clock' }).click()
    await advance.and(page.locator(':enabled')).click()
    await expect.poll(() => emulator.engine.faults.all[0]!.open).toBe(true)
    expect(emulator.clock.mode).toBe('manual')
  })
})
