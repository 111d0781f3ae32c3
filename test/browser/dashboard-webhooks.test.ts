import { createHmac } from 'node:crypto'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeDashboard } from './browser-of-suite.js'

const SECRET = 'keep-me-secret'

/** Opens a row, and returns what is below it. */
async function openRow(page: Page, name: string): Promise<Locator> {
  await page.getByRole('row', { name }).first().getByRole('button', { name }).first().click()
  return page.locator('tr.detail')
}

describeDashboard('the webhooks', (open) => {
  it('are added with a secret, changed, tested and removed, and no secret is shown', async () => {
    const { page, emulator, go } = await open()
    const sink = emulator.createSink()
    await go('secrets')
    await page.getByLabel('Name of the secret').fill('SIGNING')
    await page.getByLabel('Value').fill(SECRET)
    await page.getByRole('button', { name: 'Set secret' }).click()
    await page.getByRole('row', { name: 'SIGNING' }).waitFor()
    await page.getByRole('link', { name: 'Webhooks' }).last().click()
    await page.getByRole('button', { name: 'New webhook' }).click()
    const form = page.getByRole('form', { name: 'New webhook' })
    await form.getByLabel('Name', { exact: true }).fill('deploy, twice')
    await form.getByLabel('URL').fill(sink.url)
    await form.getByLabel('Secret that signs').selectOption('SIGNING')
    await form.getByLabel('Prefix').fill('sha256=')
    await form.getByRole('button', { name: 'Add webhook' }).click()
    const row = page.getByRole('row', { name: 'deploy' }).first()
    await row.getByText('enabled').waitFor()
    const details = await openRow(page, 'deploy')
    await details.getByText('X-Service-Signature: sha256=<HMAC-SHA256 of the body, hex>').waitFor()
    await details.getByText('Send a test', { exact: true }).first().click()
    await details.getByRole('button', { name: 'Send a test' }).click()
    await details.getByText('200', { exact: true }).waitFor()
    await details.getByText('"verdict":').waitFor()
    await details.getByText('Change', { exact: true }).click()
    const change = page.getByRole('form', { name: 'Change deploy' })
    await change.getByLabel('Retries').fill('1s, 10s')
    await change.getByLabel('Retries').press('Enter')
    await change.getByText('Saved.').waitFor()
    const added = emulator.webhooks.parts.webhooks.filter(({ name }) => name === 'deploy, twice')
    expect(added).toMatchObject([
      {
        secret: 'SIGNING',
        signature: { prefix: 'sha256=' },
        retries: ['1s', '10s'],
      },
    ])
    await change.getByLabel('Retries').fill('')
    await change.getByLabel('Retries').press('Enter')
    await expect.poll(() => emulator.webhooks.parts.webhooks.at(-1)!.retries).toEqual([])
    expect(await page.content()).not.toContain(SECRET)
    await details.getByRole('button', { name: 'Remove deploy' }).click()
    await details.getByRole('button', { name: 'Yes, remove' }).click()
    await expect.poll(() => row.count()).toBe(0)
  })

  it('show how many deliveries arrived, and link to them', async () => {
    const statuses = [503, 200]
    const { page, emulator, go } = await open({
      send: () => Promise.resolve({ status: statuses.shift() ?? 200, body: '' }),
    })
    emulator.webhooks.add({
      webhooks: [{ name: 'deploy', url: 'http://receiver.test/hook' }],
      automations: [{ name: 'over', event: 'RUN_STATE', webhook: 'deploy' }],
    })
    await emulator.trigger('RUN_STATE', { state: 'failed' })
    await emulator.webhooks.idle()
    await go('webhooks')
    await page.getByRole('button', { name: 'Trigger' }).click()
    await page.getByText('1 delivery queued.').waitFor()
    await emulator.webhooks.idle()
    const row = page.getByRole('row', { name: 'deploy' })
    await row.getByText('50 %').waitFor()
    await row.getByRole('link', { name: '2 deliveries' }).click()
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
    const rows = page.getByRole('row', { name: 'RUN_STATE' })
    await rows.first().waitFor()
    await expect.poll(() => rows.count()).toBe(2)
  })

  it('that answered 410 say why they are disabled, and are enabled again', async () => {
    const { page, emulator, go } = await open({
      send: () => Promise.resolve({ status: 410, body: '' }),
    })
    emulator.webhooks.add({ webhooks: [{ name: 'deploy', url: 'http://receiver.test/hook' }] })
    await emulator.trigger('RUN_STATE', { to: 'deploy' })
    await emulator.webhooks.idle()
    await go('webhooks')
    const row = page.getByRole('row', { name: 'deploy' }).first()
    await row.getByText('disabled', { exact: true }).waitFor()
    const details = await openRow(page, 'deploy')
    await details.getByText('410').first().waitFor()
    await details.getByRole('button', { name: 'Enable' }).click()
    await row.getByText('enabled', { exact: true }).waitFor()
    expect(emulator.webhooks.whyDisabled('deploy')).toBeUndefined()
  })

  it('explain a signature that you paste', async () => {
    const { page, emulator, go } = await open()
    emulator.webhooks.add({
      secrets: { SIGNING: SECRET },
      webhooks: [{ name: 'deploy', url: 'http://receiver.test/{id}', secret: 'SIGNING' }],
    })
    await go('webhooks')
    const details = await openRow(page, 'deploy')
    await details.getByText('http://receiver.test/{id}').waitFor()
    await details.getByText('Explain a signature').click()
    const body = '{"a": 1} '
    const right = createHmac('sha256', SECRET).update(body).digest('hex')
    const form = details.getByRole('form', { name: 'Explain a signature of deploy' })
    await form.getByLabel('Raw body').fill(body)
    await form.getByLabel('Headers').fill(`X-Service-Signature: ${right}`)
    await form.getByRole('button', { name: 'Explain' }).click()
    await form.getByText('valid', { exact: true }).waitFor()
    await form.getByLabel('Headers').fill(`X-Other-Signature: ${right}`)
    await form.getByRole('button', { name: 'Explain' }).click()
    await form.getByText('The signature is in the header').waitFor()
    expect(await page.content()).not.toContain(SECRET)
  })

  it('are refused at the field, and keep what you entered', async () => {
    const { page, go } = await open({ errors: /400/ })
    await go('webhooks')
    await page.getByRole('button', { name: 'New webhook' }).click()
    const form = page.getByRole('form', { name: 'New webhook' })
    const name = form.getByLabel('Name', { exact: true })
    await expect.poll(() => name.evaluate((input) => input === document.activeElement)).toBe(true)
    await name.fill('deploy')
    await form.getByLabel('URL').fill('nowhere')
    await form.getByLabel('Timeout').fill('soon')
    await form.getByRole('button', { name: 'Add webhook' }).click()
    await form.getByText(/soon/).waitFor()
    await expect.poll(() => form.getByLabel('URL').getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => form.getByLabel('Timeout').getAttribute('aria-invalid')).toBe('true')
    expect(await name.inputValue()).toBe('deploy')
  })
})

describeDashboard('the automations', (open) => {
  it('are added with the conditions of their event, and removed', async () => {
    const { page, emulator, go } = await open({ errors: /400/ })
    emulator.webhooks.add({ webhooks: [{ name: 'deploy', url: 'http://receiver.test/hook' }] })
    await go('automations')
    await page.getByRole('button', { name: 'New automation' }).click()
    const form = page.getByRole('form', { name: 'New automation' })
    await form.getByLabel('Event').selectOption('RUN_METRIC')
    await form.getByLabel('Name', { exact: true }).fill('too-high')
    await form.getByLabel('Metric').fill('loss')
    await form.getByLabel('Threshold').fill('2.5')
    await form.getByLabel('payload, as JSON').fill('{"run": "${run_name}"}')
    await form.getByRole('button', { name: 'Add automation' }).click()
    await page.getByRole('row', { name: 'too-high' }).getByText('threshold 2.5').waitFor()
    expect(emulator.webhooks.parts.automations).toMatchObject([
      { name: 'too-high', metric: 'loss', is: 'above', threshold: 2.5 },
    ])
    const details = await openRow(page, 'too-high')
    await details.getByText('{"run":"${run_name}"}').waitFor()
    await details.getByRole('button', { name: 'Remove the automation too-high' }).press('Enter')
    await page.keyboard.press('Enter')
    await page.getByText('No automations.').waitFor()
  })
})
