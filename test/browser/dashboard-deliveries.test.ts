import { expect, it } from 'vitest'
import type { ScenarioInput } from '../../src/index.js'
import { describeDashboard } from './browser-of-suite.js'

/** The second delivery is signed with an unknown secret. */
const spoilt: ScenarioInput = {
  name: 'spoilt',
  extends: 'happy-path',
  secrets: { DEPLOY: 's3cret' },
  webhooks: [
    {
      name: 'deploy',
      secret: 'DEPLOY',
      adversary: [{ do: 'wrong_secret', deliveries: 2 }],
    },
  ],
  automations: [
    {
      name: 'state',
      webhook: 'deploy',
      event: 'RUN_STATE',
      payload: { event_type: '${event_type}', run: '${run_name}', state: '${run_state}' },
    },
  ],
}

describeDashboard('deliveries', (open) => {
  it('are listed with state, answer and verdict, and filtered', async () => {
    const { page, emulator, go, createJob } = await open({ scenario: spoilt })
    const sink = emulator.createSink()
    sink.answer({ status: 503, body: 'not now', times: 1 })
    await createJob('poet')
    await go('deliveries')
    await page.getByText('No deliveries yet').waitFor()
    emulator.clock.advance('1m')
    const rows = page.getByRole('region', { name: 'Deliveries' }).getByRole('row')
    const refused = rows.filter({ hasText: 'not now' })
    for (const text of ['RUN_STATE running · poet #1', 'deploy', 'failed', '503', /^valid$/]) {
      await refused.getByText(text).first().waitFor()
    }
    await rows.filter({ hasText: 'invalid' }).getByText('delivered').waitFor()
    await page.getByLabel('Filter').fill('delivered')
    await refused.waitFor({ state: 'detached' })
    await expect.poll(() => rows.count()).toBe(2)
  })

  it('show their attempts, diagnosis and raw body, and are sent again', async () => {
    const { page, emulator, go, createJob } = await open({ scenario: spoilt })
    const sink = emulator.createSink()
    const id = await createJob('<b>poet</b>')
    emulator.clock.advance('1m')
    await go('deliveries')
    await page.getByRole('row', { name: 'invalid' }).getByRole('link').click()
    await page
      .getByRole('heading', { name: 'RUN_STATE finished · <b>poet</b> #1 delivered' })
      .waitFor()
    await page.getByText('Signature invalid').waitFor()
    // The sink and the page give the same reason.
    const why = page.getByRole('paragraph').filter({ hasText: 'on purpose' })
    await why.getByText(sink.deliveries[1]!.diagnosis!.text).waitFor()
    await why.getByText(/The scenario did that on purpose: \w+\.$/).waitFor()
    await page.getByText(sink.deliveries[1]!.text, { exact: true }).waitFor()
    expect(sink.deliveries[1]!.text).toContain('<b>poet</b>')
    const attempts = page.getByRole('region', { name: 'Attempts' })
    await page.getByRole('button', { name: 'Resend' }).click()
    await attempts.getByRole('row').nth(2).waitFor()
    // An open row takes no width from the columns.
    const widths = (): Promise<number[]> => {
      return attempts
        .getByRole('columnheader')
        .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width))
    }
    const before = await widths()
    await attempts.getByRole('row').nth(1).getByRole('button').click()
    await attempts.locator('.detail').waitFor()
    expect(await widths()).toEqual(before)
    expect(sink.deliveries).toHaveLength(3)
    expect(sink.deliveries[2]!.text).toBe(sink.deliveries[1]!.text)
    await page.getByRole('link', { name: 'its job' }).click()
    await page.getByRole('heading', { name: '<b>poet</b> #1 ended' }).waitFor()
    const ofJob = page.getByRole('region', { name: 'Deliveries' })
    await ofJob.getByRole('row', { name: 'invalid' }).waitFor()
    await expect.poll(() => ofJob.getByRole('row').count()).toBe(3)
    expect(page.url()).toContain(id)
  })

  it('are triggered by hand, for a job or without one', async () => {
    const { page, emulator, go, createJob } = await open({ errors: /400/ })
    const sink = emulator.createSink()
    const id = await createJob('poet')
    await go(`jobs/${id}`)
    await page.getByText('Trigger an event').click()
    await page.getByLabel('Event', { exact: true }).fill('ADD_ARTIFACT_ALIAS')
    await page.getByText('Facts of the event').click()
    await page.getByLabel('alias').fill('production')
    await page.getByRole('button', { name: 'Trigger', exact: true }).click()
    await page.getByText('1 delivery queued.').waitFor()
    await emulator.webhooks.idle()
    const link = page.getByRole('status').getByRole('link')
    const short = (await link.textContent())!.trim()
    const ofJob = page.getByRole('region', { name: 'Deliveries' })
    await ofJob.getByRole('link', { name: short }).waitFor()
    await link.click()
    await page.getByRole('heading', { name: 'ADD_ARTIFACT_ALIAS' }).waitFor()
    await page.getByRole('link', { name: 'its job' }).waitFor()
    const [{ event, body }] = sink.deliveries as [(typeof sink.deliveries)[0]]
    expect(event).toBe('ADD_ARTIFACT_ALIAS')
    expect(body).toMatchObject({ alias: 'production', artifact_collection_name: 'poet' })
    await go('deliveries')
    await page.getByText('Trigger an event').click()
    await page.getByLabel('Event', { exact: true }).fill('NO_SUCH_EVENT')
    await page.getByRole('button', { name: 'Trigger', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'NO_SUCH_EVENT' }).waitFor()
  })
})

describeDashboard('the sink', (open) => {
  it('shows the deliveries that it received, from the emulator and from others', async () => {
    const { page, emulator, go, createJob } = await open({ scenario: spoilt, errors: /404/ })
    await go('sink')
    await page.getByText('This emulator has no webhook sink').waitFor()
    const sink = emulator.createSink()
    await createJob('poet')
    emulator.clock.advance('1m')
    await emulator.webhooks.idle()
    const received = page.getByRole('region', { name: 'Received' })
    await received.getByRole('row').filter({ hasText: 'poet' }).nth(1).waitFor()
    const elsewhere = { method: 'POST', headers: { 'x-from': 'elsewhere' } }
    await sink.fetch(`${sink.url}/other?n=1`, { ...elsewhere, body: '{"event_type": "OWN"}' })
    await sink.fetch(`${sink.url}/other?n=1`, { ...elsewhere, body: '{"event_type": "OWN"}' })
    await sink.fetch(`${sink.url}/bytes`, { ...elsewhere, body: new Uint8Array([255, 0, 1]) })
    const repeated = received.getByRole('row', { name: 'same bytes as 3' })
    await repeated.getByText('missing').waitFor()
    await repeated.getByRole('button').click()
    await received.getByText('x-from: elsewhere').waitFor()
    await received.getByText('{"event_type": "OWN"}').waitFor()
    await received.getByRole('row', { name: '/bytes' }).getByRole('button').click()
    await received.getByText('/wAB', { exact: true }).waitFor()
    await page.getByLabel('Filter').fill('invalid')
    await expect.poll(() => received.getByRole('row').count()).toBe(2)
    await received.getByText(sink.deliveries[1]!.diagnosis!.text).first().waitFor()
  })
})
