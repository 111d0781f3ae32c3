import { expect, it } from 'vitest'
import { describeDashboard } from './browser-of-suite.js'
import { long } from '../support/job-timelines.js'
import { holdCalls } from './open-dashboard.js'

describeDashboard('what the page shows', (open) => {
  it('says that a job has no events, curves or deliveries only when they were read', async () => {
    const { page, emulator, go, createJob } = await open()
    const id = await createJob('poet')
    emulator.clock.advance('1m')
    const paths = [`jobs/${id}/events*`, 'deliveries*']
    const releases = await Promise.all(paths.map((path) => holdCalls(page, path)))
    await go(`jobs/${id}`)
    const deliveries = page.getByRole('region', { name: 'Deliveries' })
    await deliveries.getByText('Loading…').waitFor()
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    expect(await page.getByText(/No events yet|Curves appear/).count()).toBe(0)
    for (const release of releases) release()
    await page.getByRole('img', { name: /^loss over/ }).waitFor()
    await deliveries.getByText('This job caused no deliveries.').waitFor()
    expect(await deliveries.getByText('Loading…').count()).toBe(0)
  })

  it('says that a list failed to load, and not that it is empty or that a record is gone', async () => {
    const { page, go, createJob } = await open({ errors: /503/ })
    const id = await createJob('poet')
    for (const path of ['models', 'deliveries*', 'lineage*', 'artifacts*', 'jobs/nothing']) {
      const refusal = { status: 503, json: { detail: `${path} is out of order` } }
      await page.route(`**/_emulator/${path}`, (route) => route.fulfill(refusal))
    }
    await go(`jobs/${id}`)
    await expect.poll(() => page.getByText('is out of order').count()).toBe(3)
    await expect.poll(() => page.getByText('Loading').count()).toBe(0)
    expect(await page.getByText(/has no checkpoints|no deliveries/).count()).toBe(0)
    await go('artifacts')
    await page.getByText('Failed to load the artifacts.').waitFor()
    await go('jobs/nothing')
    await page.getByText('jobs/nothing is out of order').waitFor()
    expect(await page.getByText('before the last reset').count()).toBe(0)
  })

  it('says that a list of the latest records may not be all, and filters by any word', async () => {
    const { page, emulator, go } = await open()
    await emulator.artifacts.put({ name: 'rows', type: 'all', files: { 'a.txt': 'a' } })
    await page.route('**/_emulator/artifacts*', async (route) => {
      const { artifacts } = (await (await route.fetch()).json()) as { artifacts: object[] }
      const many = Array.from({ length: 1000 }, (_, at) => ({ ...artifacts[0], path: `a/b/${at}` }))
      await route.fulfill({ json: { artifacts: many } })
    })
    await go('artifacts')
    await page.getByText('The latest 1,000. There may be more.').waitFor()
    const [all, ofType] = await page.getByRole('group', { name: 'Type' }).getByRole('button').all()
    await ofType!.click()
    await expect.poll(() => ofType!.getAttribute('aria-pressed')).toBe('true')
    expect(await all!.getAttribute('aria-pressed')).toBe('false')
  })

  it.each([1280, 390])('has charts with whole numbers, %d pixels wide', async (width) => {
    const { page, emulator, go, createJob } = await open({
      scenario: long,
      width,
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
    const { page, emulator, go, createJob } = await open({ scenario: 'failing-job' })
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
