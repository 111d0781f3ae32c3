import { describe, expect, it } from 'vitest'
import { noChromium } from '../support/chromium.js'
import { browserOfSuite } from './browser-of-suite.js'
import { openDashboard } from './open-dashboard.js'

describe.skipIf(noChromium)(`what the page shows ${noChromium ?? ''}`, { timeout: 120_000 }, () => {
  const browser = browserOfSuite()

  // dashboard.test.ts has 2,050 jobs of the emulator.
  it('has the newest of 2,050 jobs of a client first', async () => {
    const { page, emulator, go, createJob } = await openDashboard(browser())
    for (let job = 0; job < 2050; job++) await createJob(`poet-${job}`)
    await go('jobs')
    await page.getByRole('row', { name: 'poet-2049' }).waitFor()
    // The page hears of jobs that it dropped, too.
    emulator.clock.advance('1h')
    await page.getByRole('button', { name: 'ended 2,000' }).waitFor()
    const models = page.getByRole('region', { name: 'Jobs' }).locator('tbody a')
    expect((await models.allTextContents()).slice(0, 3)).toEqual([
      'poet-2049',
      'poet-2048',
      'poet-2047',
    ])
  })

  it('says that a job has no events and no curves only when they were read', async () => {
    const { page, emulator, go, createJob } = await openDashboard(browser())
    const id = await createJob('poet')
    emulator.clock.advance('1m')
    let release = (): void => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route(/\/jobs\/[^/]+\/events/, async (route) => {
      await held
      await route.continue()
    })
    await go(`jobs/${id}`)
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    expect(await page.getByText(/No events yet|Curves appear/).count()).toBe(0)
    release()
    await page.getByRole('img', { name: /^loss over/ }).waitFor()
  })

  it('calls no delivery of a second job a duplicate of the first one', async () => {
    const { page, emulator, go, createJob, complaints } = await openDashboard(browser())
    const sink = emulator.createSink()
    for (let job = 0; job < 3; job++) {
      await createJob('poet')
      emulator.clock.advance('1m')
      await emulator.webhooks.idle()
    }
    await go('sink')
    const received = page.getByRole('region', { name: 'Received' })
    await received.getByRole('row').nth(sink.deliveries.length).waitFor()
    expect(sink.deliveries.length).toBeGreaterThan(2)
    const repeats = await received.getByText(/duplicate of|same bytes/).count()
    expect(repeats).toBe(0)
    // Sent again, it is one.
    await emulator.webhooks.resend(emulator.webhooks.deliveries[0]!.id)
    await received.getByText('duplicate of 1').waitFor()
    expect(complaints).toEqual([])
  })

  it('forgets with the world what the sink received', async () => {
    const { page, emulator, go, createJob } = await openDashboard(browser())
    const sink = emulator.createSink()
    await createJob('poet')
    emulator.clock.advance('1m')
    await emulator.webhooks.idle()
    await go('scenario')
    await page.getByRole('button', { name: 'Start over', exact: true }).click()
    await page.getByRole('button', { name: 'Delete and start over' }).click()
    await expect.poll(() => sink.deliveries.length).toBe(0)
    await go('sink')
    await page.getByText('Nothing received yet').waitFor()
  })

  it.each([1280, 390])('has charts with whole numbers, %d pixels wide', async (width) => {
    const { page, emulator, go, createJob } = await openDashboard(browser(), {
      scenario: {
        name: 'long',
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
    const id = await createJob('poet')
    emulator.clock.advance('10m')
    for (const route of [`jobs/${id}`, 'curves']) {
      await go(route)
      await page.getByRole('img', { name: /^loss/ }).locator('canvas').first().waitFor()
      await page.evaluate(() => new Promise((drawn) => void requestAnimationFrame(drawn)))
      expect({ route, cut: await page.evaluate(drawnAtEdges) }).toEqual({ route, cut: [] })
    }
  })

  it('has each text that a table shortens in full below its row, for the keyboard', async () => {
    const { page, emulator, go, createJob } = await openDashboard(browser(), {
      scenario: 'failing-job',
    })
    emulator.createSink()
    const id = await createJob('poet')
    emulator.clock.advance('1m')
    await emulator.webhooks.idle()
    for (const [route, table] of [
      [`jobs/${id}`, 'Events'],
      ['sink', 'Received'],
    ] as const) {
      await go(route)
      const region = page.getByRole('region', { name: table })
      const first = region.getByRole('row').nth(1)
      const shortened = await first.locator('td.clipped').allTextContents()
      await first.getByRole('button').first().focus()
      await page.keyboard.press('Enter')
      const detail = region.locator('tr.detail')
      await detail.waitFor()
      const words = shortened.join(' ').split(/\s+/).filter(Boolean)
      const shown = (await detail.textContent()) ?? ''
      expect({ route, missing: words.filter((word) => !shown.includes(word)) }).toEqual({
        route,
        missing: [],
      })
    }
  })
})

/** Which charts have ink in the outermost column of pixels: there, a label would be cut. Runs in the browser. */
function drawnAtEdges(): string[] {
  return [...document.querySelectorAll<HTMLCanvasElement>('.plot canvas')].flatMap((canvas) => {
    const pixels = canvas.getContext('2d')!
    const { width, height } = canvas
    const edges = [0, width - 1].map((x) => pixels.getImageData(x, 0, 1, height).data)
    const isDrawn = edges.some((edge) => edge.some((value, at) => at % 4 === 3 && value > 0))
    return isDrawn ? [canvas.closest('[aria-label]')!.getAttribute('aria-label')!] : []
  })
}
