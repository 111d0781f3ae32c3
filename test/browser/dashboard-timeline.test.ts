import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { ScenarioInput } from '../../src/index.js'
import { clientOf } from '../support/api-client.js'
import { describeDashboard } from './browser-of-suite.js'
import { jobsWith } from '../support/job-timelines.js'

/** The first delivery fails twice, and the loss is NaN from the third step on. */
const troubled: ScenarioInput = {
  name: 'troubled',
  webhooks: [{ name: 'deploy', retries: ['2s', '30s'] }],
  automations: [{ name: 'states', webhook: 'deploy', event: 'RUN_STATE' }],
  jobs: jobsWith({ count: 8, spoil: [{ at: [3, 4, 5, 6, 7, 8], metric: 'loss', with: 'NaN' }] }),
}

const long: ScenarioInput = {
  name: 'long',
  jobs: jobsWith({ every: '10ms', count: 2000 }, { event: 'training_ended' }),
}

function linesOf(page: Page): Locator {
  return page.getByRole('region', { name: 'Timeline' }).locator('button.what')
}

/** What a screen reader says about each row, and its outcome. */
function wordsOf(page: Page): Promise<string[]> {
  return page
    .getByRole('region', { name: 'Timeline' })
    .locator('tbody tr:has(button.what)')
    .evaluateAll((rows) =>
      rows.map((row) => {
        const [what, outcome] = [...row.querySelectorAll('td')].map((cell) => cell.textContent)
        return `${what}, ${outcome}`.replaceAll(
          /[0-9a-f]{8}(-[0-9a-f]{4,12}){4}|[0-9a-f]{8}/g,
          'ID',
        )
      }),
    )
}

describeDashboard('the timeline', (open) => {
  it('puts effects below their causes, and what is scheduled after now', async () => {
    const { page, emulator, go, createJob } = await open({ scenario: troubled })
    emulator.createSink().answer({ status: 503, body: 'not now', times: 2 })
    await createJob('poet', 8)
    for (let second = 0; second < 4; second++) {
      emulator.clock.advance('1s')
      await emulator.webhooks.idle()
    }
    await go('timeline')
    await linesOf(page).nth(9).waitFor()
    const words = await wordsOf(page)
    expect(words.slice(1).map((line) => line.replace(/(?<=queued RL job ).*/, '…'))).toEqual([
      'request: POST /v1/preview/training-jobs 200; queued RL job …',
      'level 2, job event: poet ID started, 8 sequences, ',
      'level 3, delivery, problem: Delivery RUN_STATE: retries after 2 attempts, retries',
      'level 4, delivery, problem: RUN_STATE running to deploy: 503 not now; again in 2s, 503',
      expect.stringMatching(/^level 5, receipt: webhook sink: 1: POST/),
      'level 4, delivery, problem: RUN_STATE running to deploy (attempt 2): 503 not now; again in 30s, 503',
      expect.stringMatching(/^level 5, receipt: webhook sink: 2: POST/),
      'level 4, delivery: RUN_STATE running to deploy (attempt 3), scheduled',
      expect.stringMatching(/^level 2, job event: poet ID step 1 of 8, loss/),
      expect.stringMatching(/^level 2, job event: poet ID step 2 of 8, loss/),
      expect.stringMatching(/^level 2, job event, problem: poet ID step 3 of 8, loss NaN.*, NaN$/),
      'level 2, job event: poet ID step 4 of 8, scheduled',
    ])
    // What is scheduled is to the right of now.
    const next = page.locator('tbody tr', { hasText: 'step 4 of 8' }).locator('.track')
    const [now, mark] = await Promise.all([
      next.locator('.now').boundingBox(),
      next.locator('.shape').boundingBox(),
    ])
    expect(mark!.x).toBeGreaterThan(now!.x)
    // It is fainter, too.
    const colorOf = (text: string): Promise<string> => {
      return linesOf(page)
        .filter({ hasText: text })
        .evaluate((line) => getComputedStyle(line).color)
    }
    expect(await colorOf('step 4 of 8')).not.toBe(await colorOf('step 2 of 8'))
    const axis = page.getByRole('columnheader', { name: 'Clock' })
    await axis.getByText('00:00:05', { exact: true }).waitFor()
  })

  it('says what to do, and then has a shape for each kind of row, so that nobody needs the colors', async () => {
    const { page, go, createJob } = await open()
    await go('timeline')
    await page.getByText('Send a request, or start a job.').waitFor()
    await createJob('poet')
    await linesOf(page).filter({ hasText: 'queued RL job' }).waitFor()
    const symbols = page.getByRole('list', { name: 'Symbols' }).locator('li')
    await symbols.first().waitFor()
    const shapes = await symbols.evaluateAll((items) =>
      items.map((item) => {
        const path = item.querySelector('path')!
        const { width, height } = path.getBBox()
        return { of: item.textContent.trim(), width, height, d: path.getAttribute('d') }
      }),
    )
    expect(shapes.map((each) => each.of)).toEqual([
      'request',
      'job event',
      'delivery',
      'receipt',
      'other',
      'problem',
      'scheduled, after the line of now',
    ])
    for (const { width, height } of shapes) {
      expect(width).toBeGreaterThan(5)
      expect(height).toBeGreaterThan(5)
    }
    // What is scheduled has the shape of its kind.
    expect(new Set(shapes.map(({ d }) => d)).size).toBe(6)
  })

  it('has only problems, with their causes, and leads to the receipt with a wrong signature', async () => {
    const { page, emulator, go, createJob } = await open({
      scenario: {
        ...troubled,
        secrets: { KEY: 's3cret' },
        webhooks: [{ name: 'deploy', secret: 'KEY', adversary: [{ do: 'wrong_secret' }] }],
      },
    })
    const sink = emulator.createSink()
    sink.answer({ status: 503, body: 'not now', times: 1 })
    await createJob('poet', 8)
    emulator.clock.advance('2s')
    await emulator.webhooks.idle()
    await go('')
    await page.getByRole('link', { name: 'Timeline' }).click()
    await page.getByLabel('Problems only').click()
    await linesOf(page).filter({ hasText: 'receipt, problem' }).click()
    await page.getByRole('link', { name: 'Record 1 of the sink' }).click()
    await page.getByText(sink.deliveries[0]!.diagnosis!.text).first().waitFor()
    await page.goBack()
    const failed = linesOf(page).filter({ hasText: 'RUN_STATE running to deploy: 503 not now' })
    await failed.click()
    await page.getByText('Caused by: poet').waitFor()
    await page.getByRole('link', { name: /^Delivery/ }).click()
    await page.getByRole('heading', { name: 'RUN_STATE running · poet #1 failed' }).waitFor()
  })

  it('of a job has what caused it and what it caused, with folded steps', async () => {
    const { page, emulator, go, createJob } = await open({ scenario: long })
    const id = await createJob('poet', 2000)
    for (let poll = 0; poll < 5; poll++) {
      await clientOf(emulator).get(`/preview/training-jobs/${id}`)
    }
    await createJob('painter', 2000)
    emulator.clock.advance('6s')
    await go(`jobs/${id}`)
    const steps = linesOf(page).filter({ hasText: '–500 of 2,000' })
    await steps.waitFor()
    await expect.poll(() => wordsOf(page)).toHaveLength(5)
    await linesOf(page).filter({ hasText: '5 × GET /v1/preview/training-jobs/' }).waitFor()
    await expect.poll(() => steps.textContent()).toContain('steps 208–500 of 2,000, last loss')
    // The page of a job has less than the page of the timeline.
    await page.getByText('207 entries are left out: old gradient steps first.').waitFor()
    // A run grows in place, while it is open as well.
    await steps.click()
    await linesOf(page).filter({ hasText: 'step 208 of 2000' }).waitFor()
    emulator.clock.advance('1s')
    await linesOf(page).filter({ hasText: '–600 of 2,000' }).waitFor()
    expect(
      await page.getByRole('region', { name: 'Timeline' }).getByRole('row').count(),
    ).toBeLessThan(80)
    await page.getByRole('link', { name: 'Timeline' }).nth(1).click()
    await page.getByText('Only poet #1, what is about it').waitFor()
    await expect.poll(() => linesOf(page).filter({ hasText: 'painter' }).count()).toBe(0)
    await linesOf(page).filter({ hasText: 'steps 1–600 of 2,000' }).waitFor()
    await page.getByRole('link', { name: 'Show everything' }).click()
    await linesOf(page).filter({ hasText: 'painter' }).first().waitFor()
  })

  it('keeps the time, the kind, problems, order and open rows in the address', async () => {
    const { page, emulator, go, createJob } = await open({ scenario: troubled })
    await createJob('poet', 8)
    await clientOf(emulator)
      .get('/preview/nothing')
      .catch(() => undefined)
    emulator.clock.advance('5m')
    await clientOf(emulator).get('/preview/base-models')
    await go('timeline')
    await linesOf(page).filter({ hasText: 'started' }).waitFor()
    await page.getByRole('button', { name: 'Last minute' }).click()
    await linesOf(page).filter({ hasText: 'started' }).waitFor({ state: 'detached' })
    await expect
      .poll(() => linesOf(page).allTextContents())
      .toEqual([expect.stringContaining('/preview/base-models 200')])
    await page.reload()
    await linesOf(page).first().waitFor()
    await expect.poll(() => linesOf(page).count()).toBe(1)
    await page.getByRole('button', { name: 'Whole' }).click()
    await page.getByLabel('Kind').selectOption('request')
    await linesOf(page).filter({ hasText: 'started' }).waitFor({ state: 'detached' })
    const firstLine = linesOf(page).first()
    await page.getByLabel('Newest first').check()
    await firstLine.filter({ hasText: 'base-models' }).waitFor()
    await firstLine.click()
    await page.reload()
    await page.getByRole('link', { name: /^Request \d/ }).waitFor()
    await expect.poll(() => firstLine.getAttribute('aria-expanded')).toBe('true')
    await page.getByLabel('Problems only').check()
    await expect.poll(() => linesOf(page).count()).toBe(1)
    await expect.poll(() => firstLine.textContent()).toContain('/preview/nothing 404')
    await page.getByLabel('Kind').selectOption('receipt')
    await page.getByText('No problem of this kind. Choose Whole and All kinds').waitFor()
  })

  it('is read with the keyboard, and does not move while it is read', async () => {
    const { page, emulator, go, createJob } = await open({ scenario: troubled })
    await createJob('poet', 8)
    emulator.clock.advance('2s')
    await go('timeline')
    const lines = linesOf(page)
    await lines.filter({ hasText: 'step 1 of 8' }).waitFor()
    // The first line says that the webhooks of this scenario have no receiver.
    await lines.nth(1).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByText('Caused by: POST /v1/preview/training-jobs').waitFor()
    const before = await lines.allTextContents()
    emulator.clock.advance('3s')
    await page
      .getByRole('button', { name: /^\d+ new$/ })
      .and(page.locator(':enabled'))
      .waitFor()
    expect((await lines.allTextContents()).length).toBe(before.length)
    await page.getByRole('button', { name: /^\d+ new$/ }).click()
    await lines.filter({ hasText: 'step 4 of 8' }).waitFor()
  })
})
