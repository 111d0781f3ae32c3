import { expect, it } from 'vitest'
import { describeDashboard } from './browser-of-suite.js'
import { long } from '../support/job-timelines.js'
import { holdCalls } from './open-dashboard.js'

describeDashboard('the dashboard', (open) => {
  it('explains what to do while there are no jobs, and shows a new job at once', async () => {
    const { page, emulator, go, createJob } = await open()
    await go('jobs')
    await page.getByText(emulator.trainingUrl, { exact: true }).waitFor()
    await page.getByText(emulator.apiKey, { exact: true }).waitFor()
    await createJob('poet')
    const row = page.getByRole('row', { name: 'poet' })
    await row.getByText('queued').waitFor()
    expect(await row.locator('.spark').count()).toBe(0)
    emulator.clock.advance(3000)
    await row.getByText('running').waitFor()
    await row.getByText('2 / 6').waitFor()
    emulator.clock.advance(60_000)
    await row.getByText('ended').waitFor()
    // The loss and the reward.
    await expect.poll(() => row.locator('.spark polyline').count()).toBe(2)
    const loss = row.locator('.spark polyline').first()
    await expect.poll(async () => (await loss.getAttribute('points'))!.split(' ').length).toBe(6)
  })

  it('says on the first visit what to look at, until you have read it', async () => {
    const { page, go } = await open({ isFirstVisit: true })
    await go('jobs')
    const hints = page.getByRole('complementary', { name: 'What to look at' })
    await expect.poll(() => hints.getByRole('listitem').count()).toBe(4)
    await hints.getByRole('button', { name: 'Got it' }).click()
    await hints.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByText('No jobs yet.').waitFor()
    expect(await hints.count()).toBe(0)
  })

  it('draws the curves and lists the events of a job as they arrive', async () => {
    const { page, emulator, go, createJob } = await open()
    const id = await createJob('poet')
    await go(`jobs/${id}`)
    await page.getByText('Curves appear with the first gradient step.').waitFor()
    emulator.clock.advance(3000)
    await page.getByRole('img', { name: 'loss over 2 steps' }).waitFor()
    await page.getByRole('img', { name: 'reward over 2 steps, from 1 to 1' }).waitFor()
    await expect.poll(() => page.locator('.chart canvas').count()).toBeGreaterThanOrEqual(2)
    emulator.clock.advance(2000)
    await page.getByRole('img', { name: 'loss over 4 steps' }).waitFor()
    const events = page.getByRole('region', { name: 'Events' })
    await expect.poll(() => events.getByRole('cell', { name: 'gradient_step' }).count()).toBe(4)
    emulator.clock.advance(60_000)
    await events.getByRole('cell', { name: 'training_ended' }).waitFor()
    const checkpoints = page.getByRole('region', { name: 'Checkpoints' })
    await checkpoints.getByTitle('Created by this job').waitFor()
  })

  it('says which job made each checkpoint of a model', async () => {
    const { page, emulator, go, createJob } = await open()
    const first = await createJob('poet')
    const second = await createJob('poet')
    emulator.clock.advance('1m')
    await go(`jobs/${first}`)
    const makers = page.getByRole('region', { name: 'Checkpoints' }).locator('td.w-short')
    // The newest first. No job made the untrained one.
    await expect.poll(() => makers.allTextContents()).toEqual(['#2', '★ #1', ''])
    await makers.getByRole('link', { name: '#2' }).click()
    await page.waitForURL(`**/jobs/${second}`)
  })

  it('opens a row where you click on it, but not where you select text', async () => {
    const { page, emulator, go, createJob } = await open()
    const id = await createJob('poet')
    emulator.clock.advance('1m')
    await go('jobs')
    const job = page.getByRole('row', { name: 'poet' })
    const state = job.getByText('ended')
    const { x, y, width, height } = (await state.boundingBox())!
    await page.mouse.move(x + width, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + width / 3, y + height / 2)
    await page.mouse.up()
    expect(await page.evaluate(() => getSelection()!.toString())).not.toBe('')
    expect(page.url()).toMatch(/#\/jobs$/)
    await job.getByText('6 / 6').click()
    await page.waitForURL(`**/jobs/${id}`)
    // A row whose first cell is a button opens below itself. A link in it leads elsewhere.
    const row = page.getByRole('region', { name: 'Checkpoints' }).locator('tbody tr').first()
    await row.locator('td').nth(1).click()
    await page.getByText('★ Created by this job.').click()
    await page.getByText('★ Created by this job.').waitFor()
    await row.getByRole('link').click()
    await page.waitForURL(`**/jobs/${id}`)
  })

  it('stalls a job, resumes it, and fails it with the message that you enter', async () => {
    const { page, emulator, go, createJob } = await open()
    const id = await createJob('poet')
    emulator.clock.advance(2000)
    await go(`jobs/${id}`)
    await page.getByRole('button', { name: 'Stall' }).click()
    await page.getByRole('heading', { name: 'poet #1 stalled' }).waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('heading', { name: 'poet #1 running' }).waitFor()
    await page.getByLabel('Error message').fill('the node caught fire')
    await page.getByRole('button', { name: 'Fail' }).click()
    await page.getByRole('heading', { name: 'poet #1 failed' }).waitFor()
    await page.getByText('the node caught fire').first().waitFor()
    const { error_message } = emulator.engine.store.jobs.get(id)!.record
    expect(error_message).toBe('the node caught fire')
    await expect.poll(() => page.getByRole('button', { name: 'Finish' }).isDisabled()).toBe(true)
  })

  it('moves the clock by one step, by a time, and automatically', async () => {
    const { page, emulator, go, createJob } = await open({ errors: /400/ })
    await createJob('poet')
    await go('jobs')
    const clock = page.getByRole('region', { name: 'Clock' })
    const row = page.getByRole('row', { name: 'poet' })
    await clock.getByRole('button', { name: 'Step' }).click()
    await row.getByText('running').waitFor()
    await clock.getByLabel('Advance by').fill('2s')
    await clock.getByRole('button', { name: 'Advance' }).click()
    await row.getByText('2 / 6').waitFor()
    expect(emulator.clock.now() - Date.parse('2026-01-01T00:00:00Z')).toBe(3000)
    await clock.getByRole('button', { name: 'Run' }).click()
    await clock.getByRole('button', { name: 'Pause' }).waitFor()
    expect(emulator.clock.mode).toBe('real')
    await clock.getByLabel('Speed').fill('100')
    await clock.getByLabel('Speed').press('Enter')
    await row.getByText('ended').waitFor()
    await clock.getByLabel('Speed').fill('0')
    await clock.getByLabel('Speed').press('Enter')
    await clock.getByRole('button', { name: 'Dismiss' }).click()
    expect(await clock.getByLabel('Speed').inputValue()).toBe('100')
    await clock.getByLabel('Mode').selectOption('auto')
    await expect.poll(() => emulator.clock.mode).toBe('auto')
    await clock.getByRole('button', { name: 'Pause' }).click()
    await expect.poll(() => emulator.clock.mode).toBe('manual')
    await page.reload()
    await clock.getByRole('button', { name: 'Run' }).click()
    await expect.poll(() => emulator.clock.mode).toBe('auto')
  })

  it('moves no rows under the pointer or around the focus: new rows wait', async () => {
    const { page, go, createJob } = await open()
    await createJob('first')
    await go('jobs')
    const first = page.getByRole('row', { name: 'first' })
    await first.hover()
    const before = await first.boundingBox()
    await createJob('second')
    const waiting = page.getByRole('button', { name: '1 new' })
    await waiting.waitFor()
    expect(await page.getByRole('row', { name: 'second' }).count()).toBe(0)
    expect(await first.boundingBox()).toEqual(before)
    await waiting.click()
    await page.getByRole('row', { name: 'second' }).waitFor()
    await page.mouse.move(0, 0)
    await page.getByRole('link', { name: 'first' }).focus()
    await createJob('third')
    await waiting.waitFor()
    expect(await page.getByRole('row', { name: 'third' }).count()).toBe(0)
    await page.getByLabel('Advance by').focus()
    await page.getByRole('row', { name: 'third' }).waitFor()
  })

  it.each([
    ['jobs/unknown', 'Loading the job…', 'there is no job "unknown"'],
    ['deliveries/unknown', 'Loading the delivery…', 'there is no delivery "unknown"'],
  ])('shows what it loads, and that it does not exist: %s', async (route, loading, problem) => {
    const { page, go } = await open({ errors: /404/ })
    const answer = await holdCalls(page, route)
    await go(route)
    await page.getByText(loading).waitFor()
    expect(await page.getByRole('link', { name: 'All jobs' }).count()).toBe(0)
    answer()
    await page.getByRole('alert').filter({ hasText: problem }).waitFor()
    expect(await page.getByText(loading).count()).toBe(0)
  })

  it('shows the jobs for a link to a page that is gone', async () => {
    const { page, go, createJob } = await open()
    await createJob('poet')
    await go('bill?steps=30')
    await page.getByRole('row', { name: 'poet' }).waitFor()
    const pages = page.getByRole('navigation', { name: 'Pages' })
    expect(await pages.locator('[aria-current]').allTextContents()).toEqual(['Jobs'])
  })

  it('shows the end of each job, even if many end at once, and the newest one first', async () => {
    const { page, emulator, go, createJob } = await open()
    for (let job = 0; job < 2050; job++) {
      // A client starts the later half.
      if (job > 1000) await createJob(`poet-${job}`)
      else await emulator.jobs.start({ model: `poet-${job}` })
    }
    await go('jobs')
    await page.getByRole('button', { name: 'queued 2,000' }).waitFor()
    emulator.clock.advance('1h')
    await page.getByRole('button', { name: 'ended 2,000' }).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'running 0' }).count()).toBe(1)
    const models = page.getByRole('region', { name: 'Jobs' }).locator('tbody a')
    const newest = ['poet-2049', 'poet-2048', 'poet-2047']
    expect((await models.allTextContents()).slice(0, 3)).toEqual(newest)
  })

  it('can be used with only the keyboard', async () => {
    const { page, emulator, go, createJob } = await open()
    await createJob('first')
    await createJob('second')
    await go('jobs')
    await page.getByRole('row', { name: 'second' }).waitFor()
    await page.keyboard.press('Tab')
    const focused = (): Promise<string> =>
      page.evaluate(() => document.activeElement!.textContent.trim())
    await expect.poll(focused).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    const reached: string[] = []
    while (reached.at(-1) !== 'second' && reached.length < 24) {
      await page.keyboard.press('Tab')
      reached.push(await focused())
    }
    await page.keyboard.press('ArrowDown')
    await expect.poll(focused).toBe('first')
    await page.keyboard.press('ArrowDown')
    await expect.poll(focused).toBe('first')
    await page.keyboard.press('ArrowUp')
    await expect.poll(focused).toBe('second')
    await page.keyboard.press('Enter')
    const heading = page.getByRole('heading', { name: 'second #1' })
    await heading.waitFor()
    // A screen reader announces the place and what changes.
    await expect
      .poll(() => heading.evaluate((element) => element === document.activeElement))
      .toBe(true)
    emulator.clock.advance(1000)
    await page
      .locator('[aria-live]')
      .filter({ hasText: 'Job 1 of first: running, and 1 other job' })
      .waitFor({
        state: 'attached',
      })
  })

  it('keeps and draws a limited part of a very long stream', async () => {
    const { page, emulator, go } = await open()
    await go('requests')
    for (let call = 0; call < 3000; call++) {
      await emulator.fetch(`${emulator.trainingUrl}/preview/base-models?call=${call}`)
    }
    await page.getByText('?call=2999').waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBeLessThan(60)
    const kept = await page.getByRole('button', { name: /^all/ }).textContent()
    expect(Number(kept!.replaceAll(/\D/g, ''))).toBeLessThanOrEqual(2000)
  })

  it('draws a job of 100,000 steps from 2,000 points of each curve', async () => {
    const { page, emulator, go, createJob } = await open({ scenario: long })
    const id = await createJob('poet')
    emulator.clock.advance(1_000_000)
    await go(`jobs/${id}`)
    await page.getByRole('img', { name: 'loss over 100,000 steps, from 1 to 1' }).waitFor()
    await page.getByText('100,000 / 100,000').waitFor()
    await page.getByRole('button', { name: /^Show earlier/ }).click()
    await page.getByText('gradient_step').first().waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBeLessThan(120)
    await expect.poll(() => page.locator('.chart').count()).toBeGreaterThanOrEqual(2)
  })

  it('continues when the emulator comes back, and loads what it missed', async () => {
    const { page, emulator, go } = await open({ errors: /ERR_/ })
    await go('jobs')
    const { port } = new URL(page.url())
    await emulator.close()
    await page.getByRole('status').filter({ hasText: 'reconnecting' }).waitFor()
    await emulator.jobs.start({ model: await emulator.models.create({ name: 'meanwhile' }) })
    await emulator.listen({ port: Number(port) })
    await page.getByRole('status').filter({ hasText: 'live' }).waitFor()
    await page.getByRole('row', { name: 'meanwhile' }).waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
  })
})
