import { describe, expect, it } from 'vitest'
import { noChromium } from '../support/chromium.js'
import { submit } from '../support/trainer.js'
import { browserOfSuite } from './browser-of-suite.js'
import { FITS, unfitting } from './fit.js'
import { openDashboard } from './open-dashboard.js'

describe.skipIf(noChromium)(`worlds by API key ${noChromium ?? ''}`, { timeout: 120_000 }, () => {
  const browser = browserOfSuite()

  it('have no switcher if all keys share one world', async () => {
    const { page, go, createJob } = await openDashboard(browser())
    await createJob('poet')
    await go('jobs')
    await page.getByRole('row', { name: 'poet' }).waitFor()
    expect(await page.getByRole('button', { name: /^World/ }).count()).toBe(0)
    expect(await page.getByText('Each API key has its own world').count()).toBe(0)
  })

  it('appear without a reload, and show where the jobs of a client are', async () => {
    const { page, emulator, go, complaints } = await openDashboard(browser(), {
      isolate: 'api-key',
    })
    await go('jobs')
    await page.getByText('The worlds of your clients appear here').waitFor()
    await page.getByRole('button', { name: 'World default of 1' }).waitFor()
    const job = await submit(emulator, 'poet', 'first-key')
    await submit(emulator, 'painter', 'second-key')
    await page.getByRole('button', { name: 'World default of 3' }).waitFor()
    await page.getByText('No jobs in this world').waitFor()
    await page.getByRole('link', { name: 'world-1' }).click()
    await page.getByRole('row', { name: 'poet' }).waitFor()
    await page.getByRole('button', { name: 'World world-1 of 3' }).waitFor()
    await expect.poll(() => page.getByRole('row', { name: 'painter' }).count()).toBe(0)
    await expect.poll(() => page.title()).toBe('Jobs · world-1 · svtrain-emulator')

    // Links, a reload and Back keep the world.
    await page.getByRole('link', { name: 'poet' }).click()
    await page.getByRole('heading', { name: 'poet #1 queued' }).waitFor()
    expect(new URL(page.url())).toMatchObject({ search: '?world=world-1', hash: `#/jobs/${job}` })
    await page.reload()
    await page.getByRole('heading', { name: 'poet #1 queued' }).waitFor()
    await page.goBack()
    await page.getByRole('row', { name: 'poet' }).waitFor()
    expect(new URL(page.url()).search).toBe('?world=world-1')
    expect(complaints).toEqual([])
  })

  it('have their own stream and clock', async () => {
    const { page, emulator, go } = await openDashboard(browser(), {
      isolate: 'api-key',
    })
    const job = await submit(emulator, 'poet', 'first-key')
    await submit(emulator, 'poet', 'second-key')
    await go('requests')
    await page.getByRole('button', { name: 'World default' }).click()
    const list = page.locator('#worlds')
    await list.getByText('happy-path, 1 job (1 not over), 2 requests').first().waitFor()
    await list.getByRole('link', { name: 'world-1' }).click()
    await page.getByRole('row', { name: 'createRlTrainingJob' }).waitFor()
    const [first, second] = ['first-key', 'second-key'].map((key) => emulator.world(key))
    const before = second!.clock.now()
    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    await page.getByLabel('Advance by').fill('2s')
    await page.getByRole('button', { name: 'Advance' }).click()
    await page.getByRole('row', { name: 'poet' }).getByText('running').waitFor()
    expect(first!.jobs.get(job).status).toBe('running')
    expect(second!.clock.now()).toBe(before)
    expect(emulator.clock.now()).toBe(before)
  })

  it('are switched with the keyboard', async () => {
    const { page, emulator, go } = await openDashboard(browser(), {
      isolate: 'api-key',
      screen: { viewport: { width: 390, height: 800 } },
    })
    await submit(emulator, 'poet', 'first-key')
    await go('schedule')
    const button = page.getByRole('button', { name: 'World default' })
    await button.focus()
    await page.keyboard.press('Enter')
    await page.locator('#worlds').getByRole('link', { name: 'world-1' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => button.getAttribute('aria-expanded')).toBe('false')
    await expect.poll(() => button.evaluate((each) => each === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await page.locator('#worlds').getByRole('link', { name: 'world-1' }).waitFor()
    expect(await unfitting(page)).toMatchObject(FITS)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'World world-1 of 2' }).waitFor()
    expect(new URL(page.url()).hash).toBe('#/schedule')
  })

  it('from before a restart are refused, with links to the others', async () => {
    const { page, emulator, go } = await openDashboard(browser(), {
      isolate: 'api-key',
    })
    await go('jobs')
    await submit(emulator, 'poet', 'first-key')
    await page.goto(`${page.url().split('#')[0]}?world=world-9#/jobs`)
    await page.getByText('Failed to find the world "world-9". There are world-1.').waitFor()
    await page.getByRole('status').filter({ hasText: 'closed' }).waitFor()
    expect([...emulator.worlds]).toHaveLength(1)
    await page.getByRole('button', { name: 'World world-9' }).click()
    await page.locator('#worlds').getByRole('link', { name: 'world-1' }).click()
    await page.getByRole('row', { name: 'poet' }).waitFor()
  })
})
