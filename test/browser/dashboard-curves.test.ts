import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { ScenarioInput } from '../../src/index.js'
import { describeDashboard } from './browser-of-suite.js'
import { jobsWith } from '../support/job-timelines.js'

/** The loss is NaN at steps 3 and 6 of 6. The reward is always 1. */
const spoilt: ScenarioInput = {
  name: 'spoilt-loss',
  jobs: jobsWith({
    count: 6,
    metrics: { loss: 2 },
    spoil: [
      { at: 3, metric: 'loss', with: 'NaN' },
      { at: 6, metric: 'loss', with: 'NaN' },
    ],
  }),
}

/** A job of 60,001 steps whose loss is NaN at one of them. */
const long: ScenarioInput = {
  name: 'long',
  jobs: jobsWith(
    {
      every: '1ms',
      count: 60_001,
      metrics: { loss: 1 },
      spoil: [{ at: 60_000, metric: 'loss', with: 'NaN' }],
    },
    { event: 'never' },
  ),
}

describeDashboard('curves', (open) => {
  it('say at which steps the loss is NaN, and that it is NaN now', async () => {
    const { page, emulator, go, createJob } = await open({ scenario: spoilt })
    const id = await createJob('poet')
    await go(`jobs/${id}`)
    emulator.clock.advance('4s')
    const chart = page.getByRole('figure').filter({ hasText: 'loss' }).first()
    await chart.getByRole('img', { name: 'NaN at step 3' }).waitFor()
    await chart.getByText('NaN', { exact: true }).waitFor()
    emulator.clock.advance('1s')
    await chart.getByText('2', { exact: true }).waitFor()
    emulator.clock.advance('10s')
    await chart.getByText('NaN', { exact: true }).waitFor()
    await page.reload()
    await chart.getByRole('img', { name: 'NaN at step 3, and 1 more time' }).waitFor()
    await chart.getByText('NaN', { exact: true }).waitFor()
  })

  it('take the colors of the system when these change', async () => {
    const { page, emulator, go, createJob } = await open({
      screen: { colorScheme: 'light' },
    })
    const id = await createJob('poet')
    emulator.clock.advance('1m')
    await go(`jobs/${id}`)
    const plot = page.getByRole('img', { name: /^loss over 6 steps/ })
    await plot.waitFor()
    expect(await page.getByRole('list', { name: 'Values that are not finite' }).count()).toBe(0)
    const drawn = (): Promise<string> =>
      plot.locator('canvas').evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL())
    const light = await drawn()
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(drawn).not.toBe(light)
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(drawn).toBe(light)
  })

  it('of a long job show a NaN that is between two points', async () => {
    const { page, emulator, go, createJob } = await open({ scenario: long })
    const id = await createJob('poet')
    emulator.clock.advance('10m')
    await go(`jobs/${id}`)
    await page.getByRole('img', { name: /^loss over .*NaN at step 60,000$/ }).waitFor()
    const plot = page.getByRole('img', { name: /^loss over/ }).locator('.u-over')
    await plot.hover()
    // A point of a thinned curve stands for several steps.
    await page
      .getByText(/^steps [\d,]+–[\d,]+ $/)
      .first()
      .waitFor()
  })

  it('of several jobs are in one chart, with one line per job or per model', async () => {
    const { page, emulator, go, createJob } = await open({ scenario: spoilt })
    for (const model of ['poet', 'painter', 'poet']) {
      await createJob(model)
      emulator.clock.advance('10s')
    }
    await go('curves')
    const losses = page.getByRole('img', { name: /^loss of / })
    await losses.waitFor()
    await expect
      .poll(() => losses.getAttribute('aria-label'))
      .toBe(
        `loss of ${['poet #2', 'painter #1', 'poet #1']
          .map((job) => `${job}: last NaN, NaN at step 3`)
          .join('; ')}`,
      )
    await page
      .getByRole('img', { name: 'reward of poet #2: last 1; painter #1: last 1; poet #1: last 1' })
      .waitFor()
    const csv = page.getByRole('button', { name: 'CSV of reward', exact: true })
    const legend = page.getByRole('figure').filter({ has: csv })
    expect(await legend.getByRole('listitem').allTextContents()).toEqual([
      'poet #2 1',
      'painter #1 1',
      'poet #1 1',
    ])
    await page.getByRole('checkbox', { name: 'painter #1' }).uncheck()
    await expect.poll(() => losses.getAttribute('aria-label')).not.toContain('painter')
    await page.reload()
    await losses.waitFor()
    await expect
      .poll(() => page.getByRole('checkbox', { name: 'painter #1' }).isChecked())
      .toBe(false)
    await page.getByRole('button', { name: 'one line per model' }).click()
    // The steps of the second job follow those of the first.
    await expect.poll(() => csvOf(page)).toContain('12,,NaN')
  })

  it('have a logarithmic scale, smoothing and a zoom, which are in the address', async () => {
    const { page, emulator, go, createJob } = await open()
    const id = await createJob('poet', 12)
    emulator.clock.advance('1m')
    await go(`jobs/${id}`)
    const plot = page.getByRole('img', { name: /^loss over/ }).locator('.u-over')
    await plot.waitFor()
    await page.getByText('0.00', { exact: true }).waitFor()
    await page.getByLabel('Log scale').check()
    await page.getByLabel('Smoothing').fill('0.8')
    // The chart is drawn again before this text is there.
    await page.getByText('0.80', { exact: true }).waitFor()
    const width = await plot.evaluate((drawn) => drawn.clientWidth)
    await plot.hover({ position: { x: width * 0.25, y: 40 } })
    await page.mouse.down()
    await plot.hover({ position: { x: width * 0.75, y: 40 } })
    await page.mouse.up()
    await expect.poll(() => page.url()).toMatch(/log=1.*smooth=0.8.*steps=\d+-\d+/)
    const [, from, to] = /steps=(\d+)-(\d+)/.exec(page.url())!
    expect([from, to]).toEqual(['3', '10'])
    await page.reload()
    await plot.waitFor()
    await expect.poll(() => page.getByLabel('Log scale').isChecked()).toBe(true)
    await page.getByRole('button', { name: 'Reset zoom' }).click()
    await expect.poll(() => page.url()).not.toContain('steps=')
    // The keyboard can zoom as well.
    await page.getByRole('spinbutton', { name: 'Steps' }).fill('2')
    await page.getByRole('spinbutton', { name: 'to', exact: true }).fill('5')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain('steps=2-5')
    await page.getByRole('spinbutton', { name: 'to', exact: true }).fill('1')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain('steps=1-2')
  })

  it('are saved as CSV with every step, and as PNG', async () => {
    const { page, emulator, go, createJob } = await open({ scenario: spoilt })
    await createJob('=1+1,"poet"')
    emulator.clock.advance('10s')
    await go('curves')
    await page.getByRole('img', { name: /^loss of / }).waitFor()
    expect(await csvOf(page)).toBe(
      `step,"'=1+1,""poet"" #1"\r\n1,2\r\n2,2\r\n3,NaN\r\n4,2\r\n5,2\r\n6,NaN\r\n`,
    )
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'PNG of loss', exact: true }).click(),
    ])
    expect(download.suggestedFilename()).toBe('loss.png')
    const png = await readFile(await download.path())
    expect(png.subarray(1, 4).toString()).toBe('PNG')
  })

  it('of a metric with a long name are saved under a name that file systems allow', async () => {
    const metric = 'very-'.repeat(100)
    const { page, emulator, go, createJob } = await open({
      scenario: {
        name: 'long-name',
        jobs: jobsWith({ count: 3, metrics: { [metric]: 1 } }),
      },
    })
    await createJob('poet')
    emulator.clock.advance('10s')
    await go('curves')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: `CSV of ${metric}`, exact: true }).click(),
    ])
    const file = download.suggestedFilename()
    expect(file).toMatch(/^very-.*\.csv$/)
    // A browser cancels the download of a longer name.
    expect(file.length).toBeLessThan(256)
  })

  it('wait for a job, for its first step, or for a line to draw', async () => {
    const { page, emulator, go, createJob } = await open()
    await go('curves')
    await page.getByText('Curves appear with the first gradient step of a job.').waitFor()
    await page.getByText(emulator.trainingUrl, { exact: true }).waitFor()
    await createJob('poet')
    await page.getByText('No gradient steps yet.').waitFor()
    await page.getByRole('checkbox', { name: 'poet #1' }).uncheck()
    await page.getByText('Choose at least one line.').waitFor()
  })
})

/** Saves the chart of the loss, and returns the file's text. */
async function csvOf(page: Page): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV of loss', exact: true }).click(),
  ])
  return readFile(await download.path(), 'utf8')
}
