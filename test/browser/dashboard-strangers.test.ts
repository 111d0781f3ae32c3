import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { ScenarioInput } from '../../src/index.js'
import { describeDashboard } from './browser-of-suite.js'
import { jobsWith } from '../support/job-timelines.js'

const MARKUP = `<img src=x onerror="globalThis.taken=1"><script>globalThis.taken=1</script>`
const SCRIPT_URL = 'javascript:globalThis.taken=1'
/** A long text that ends a quoted attribute, reverses the writing direction and rings the bell. */
const HOSTILE = `">'}</style>${MARKUP}${SCRIPT_URL}\u202Ereversed\u0007\u001B[31m\u0000`
const ENDLESS = `${HOSTILE}${'W'.repeat(10_000)}`

const hostile: ScenarioInput = {
  name: ENDLESS,
  description: ENDLESS,
  extends: 'happy-path',
  secrets: { KEY: 's3cret' },
  webhooks: [{ name: ENDLESS, secret: 'KEY' }],
  automations: [
    {
      name: HOSTILE,
      webhook: ENDLESS,
      event: 'RUN_STATE',
      payload: { event_type: '${event_type}', run: '${run_name}', [HOSTILE]: ENDLESS },
    },
  ],
  jobs: jobsWith(
    {
      count: 3,
      metrics: { loss: 1, [HOSTILE]: 2, [ENDLESS]: 3 },
      spoil: [{ at: 3, metric: 'loss', with: { text: ENDLESS } }],
    },
    { event: 'training_failed', after: '1s', error_message: ENDLESS },
  ),
  timeline: [{ at: '3s', do: 'add_alias', alias: ENDLESS.replaceAll(/[/:]/g, '|') }],
}

describeDashboard('hostile content and pages', (open) => {
  it.each([1280, 420])('cannot run code or break the layout, %d pixels wide', async (width) => {
    const { page, emulator, go, createJob, asked } = await open({
      scenario: hostile,
      width,
    })
    page.on('dialog', (dialog) => asked.push(dialog.message()))
    const sink = emulator.createSink()
    sink.answer({ status: 500, body: ENDLESS, times: 1 })
    const id = await createJob(ENDLESS)
    await emulator.fetch(
      `${emulator.trainingUrl}/${encodeURIComponent(HOSTILE)}?q=${'W'.repeat(9000)}`,
      {
        method: 'POST',
        headers: { 'x-markup': MARKUP },
        body: JSON.stringify({ [HOSTILE]: ENDLESS }),
      },
    )
    const refused = emulator.journal.entries.at(-1)!.id
    emulator.clock.advance('1m')
    await emulator.webhooks.idle()
    await sink.fetch(`${sink.url}/${MARKUP}`, {
      method: 'POST',
      headers: { 'x-service-signature': MARKUP, 'x-other': `${SCRIPT_URL} ${'W'.repeat(9000)}` },
      body: ENDLESS,
    })
    const delivery = emulator.webhooks.deliveries[0]!.id

    for (const [route, shown] of [
      ['jobs', page.getByRole('row').nth(1)],
      [`jobs/${id}`, page.locator('.chart canvas').first()],
      ['timeline', page.getByRole('row').nth(1)],
      ['schedule', page.getByRole('region', { name: 'With the next job, event or call' })],
      ['curves', page.locator('.chart canvas').first()],
      ['lineage', page.getByRole('link', { name: 'Group 0' })],
      ['lineage?view=table', page.getByRole('row').nth(1)],
      ['models', page.getByRole('row').nth(1)],
      ['deliveries', page.getByRole('row').nth(1)],
      [`deliveries/${delivery}`, page.getByRole('heading', { name: 'Body, as sent' })],
      ['sink', page.getByRole('row').nth(1)],
      ['requests', page.getByRole('row').nth(1)],
      [`requests/${refused}`, page.locator('.http-message').first()],
      ['scenario', page.getByLabel('The scenario as YAML')],
    ] as const) {
      await go(route)
      await shown.waitFor()
      const closed = page.locator('main button[aria-expanded="false"], main summary')
      // The last one first: what opens is below it.
      for (const each of (await closed.all()).toReversed()) {
        if (await each.isVisible()) await each.click()
      }
      expect({ route, problems: await problemsOf(page) }).toEqual({ route, problems: [] })
    }
    await page.getByText(HOSTILE.slice(0, 40)).first().waitFor()
    const { origin } = new URL(page.url())
    expect(asked.filter((url) => !url.startsWith(`${origin}/_emulator/`))).toEqual([])
  })

  it('cannot frame the dashboard, which loads only its own files', async () => {
    const { page, go } = await open()
    await go('jobs')
    const headers = (await page.reload())!.headers()
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    const policy = headers['content-security-policy']!.split('; ')
    expect(policy).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
  })

  it('get a prompt for the control token, which then unlocks the dashboard', async () => {
    const { page, emulator, go, createJob } = await open({ controlToken: 'pst', errors: /401/ })
    const id = await createJob('poet')
    await go(`jobs/${id}`)
    await page.getByRole('button', { name: 'Finish' }).click()
    const asked = page.getByRole('alert').filter({ hasText: 'This call needs the control token' })
    await asked.getByLabel('Control token').fill('wrong')
    await asked.getByRole('button', { name: 'Save' }).click()
    await asked.getByText('Saved for this tab. Try again.').waitFor()
    await page.getByRole('button', { name: 'Finish' }).click()
    await asked.getByLabel('Control token').fill('pst')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Finish' }).click()
    await page.getByRole('heading', { name: 'poet #1 ended' }).waitFor()
    expect(emulator.engine.store.jobs.get(id)!.progress.status).toBe('ended')
    // The tab keeps it, and the address does not show it.
    await page.reload()
    const before = emulator.clock.now()
    await page.getByRole('button', { name: 'Advance', exact: true }).click()
    await expect.poll(() => emulator.clock.now() - before).toBe(10_000)
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(page.url()).not.toContain('pst')
  })
})

/** The problems that a page shows. */
function problemsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const problems: string[] = []
    if ('taken' in globalThis) problems.push('a script ran')
    for (const foreign of document.querySelectorAll('main img, main script, main style, iframe')) {
      problems.push(`markup: ${foreign.outerHTML.slice(0, 100)}`)
    }
    for (const { href } of document.querySelectorAll('a')) {
      if (!href.startsWith(`${location.origin}/_emulator/#`)) problems.push(`a link to ${href}`)
    }
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth > clientWidth) problems.push(`${scrollWidth} pixels in ${clientWidth}`)
    for (const row of document.querySelectorAll('tbody tr:not(.detail, .spacer)')) {
      const { height } = row.getBoundingClientRect()
      if (height > 30) problems.push(`a row of ${height} pixels: ${row.textContent.slice(0, 60)}`)
    }
    for (const heading of document.querySelectorAll('h1, h2')) {
      const { height } = heading.getBoundingClientRect()
      if (height > 60) problems.push(`a heading of ${height} pixels`)
    }
    return problems
  })
}
