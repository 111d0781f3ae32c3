import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium, noChromium } from '../support/chromium.js'
import { buildAsServed, openDashboard } from './open-dashboard.js'
import { DELIVERIES, standIn } from './stand-in.js'

describe.skipIf(noChromium)(`deliveries ${noChromium ?? ''}`, { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    await buildAsServed()
    browser = await launchChromium()
  }, 60_000)
  afterAll(() => browser.close())

  it('are listed with state, answer, verdict and diagnosis', async () => {
    const { page, go } = await openDashboard(browser, {
      use: [standIn({ 'GET deliveries': () => ({ deliveries: DELIVERIES }) })],
    })
    await go('deliveries')
    const alias = page.getByRole('row', { name: 'ADD_ARTIFACT_ALIAS' })
    for (const text of ['failed', 'none', 'invalid', 'The signature has the prefix "sha256="']) {
      await alias.getByText(text).waitFor()
    }
    await page.getByLabel('Filter').fill('delivered')
    await alias.waitFor({ state: 'detached' })
    expect(await page.getByRole('row').count()).toBe(2)
  })

  it('show their attempts and raw body, and are sent again', async () => {
    const [delivery] = DELIVERIES
    const shown = { ...delivery!, attempts: [...delivery!.attempts] }
    const resend = (): object => {
      const at = '2026-01-01T00:00:20.000Z'
      shown.attempts.push({ attempt: 3, at, status: 204, took: 1, response_excerpt: 'third time' })
      return shown
    }
    const { page, go, complaints } = await openDashboard(browser, {
      use: [
        standIn({
          [`GET deliveries/${shown.id}`]: () => shown,
          [`POST deliveries/${shown.id}/resend`]: resend,
        }),
      ],
    })
    await go(`deliveries/${shown.id}`)
    await page.getByRole('heading', { name: 'RUN_STATE delivered' }).waitFor()
    // A body is shown as text, whatever is in it.
    await page.getByText(shown.body).waitFor()
    const attempts = page.getByRole('region', { name: 'Attempts' })
    expect(await attempts.getByRole('row').allTextContents()).toEqual([
      'No.AtAnswerTookWhat came back',
      '200:00:09.0002003.1 msok',
      '100:00:08.00050312 mstry again',
    ])
    await page.getByRole('button', { name: 'Resend' }).click()
    await attempts.getByText('third time').waitFor()
    expect(complaints).toEqual([])
  })

  it('are triggered by hand, for a job or at large', async () => {
    const { page, go, createJob } = await openDashboard(browser, {
      use: [standIn({ 'POST trigger': () => ({ deliveries: ['one', 'two'] }) })],
    })
    const id = await createJob('poet')
    await go(`jobs/${id}`)
    await page.getByLabel('Event', { exact: true }).fill('ADD_ARTIFACT_ALIAS')
    await page.getByLabel('Facts, as JSON').fill('{"alias": "production"}')
    const sent = page.waitForRequest(/\/_emulator\/trigger$/)
    await page.getByRole('button', { name: 'Trigger' }).click()
    const body: unknown = (await sent).postDataJSON()
    expect(body).toEqual({ event: 'ADD_ARTIFACT_ALIAS', job_id: id, alias: 'production' })
    await page.getByText('2 deliveries queued.').waitFor()
    await page.getByLabel('Facts, as JSON').fill('alias: production')
    await page.getByRole('button', { name: 'Trigger' }).click()
    await page.getByRole('alert').filter({ hasText: 'The facts are no JSON object' }).waitFor()
  })
})
