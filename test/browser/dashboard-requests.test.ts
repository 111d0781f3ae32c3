import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Emulator } from '../../src/index.js'
import { clientOf } from '../support/api-client.js'
import { chat, createModel } from '../support/trainer.js'
import { describeDashboard } from './browser-of-suite.js'
import { FITS, unfitting } from './fit.js'

const run = promisify(execFile)

/** Creates a model, and a job whose request has two mistakes. */
async function refuseJob(emulator: Emulator): Promise<void> {
  const client = clientOf(emulator)
  const { id } = await createModel(client, 'poet')
  await client.post('/preview/training-jobs', {
    model: id,
    trajectory_groups: [{ trajectories: [{ reward: 1 }, { reward: 'great' }] }],
  })
}

function clipboardOf(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText())
}

describeDashboard('requests', (open) => {
  it('show headers and bodies both ways, without the key', async () => {
    const { page, emulator, go, createJob } = await open()
    await createJob('poet')
    const [, creation] = emulator.journal.entries
    await go(`requests/${creation!.id}`)
    await page.getByRole('heading', { name: 'POST /v1/preview/training-jobs 200' }).waitFor()
    const sent = page.getByRole('region', { name: 'Request', exact: true })
    await sent.getByText(/^\d+ headers$/).click()
    await sent.getByText('Bearer [not shown]').waitFor()
    await sent.getByText('"trajectory_groups": [').waitFor()
    const views = sent.getByRole('group', { name: 'View of the request body' })
    await views.getByRole('button', { name: 'Raw' }).click()
    await sent.getByText(/^\{"model_id":"/).waitFor()
    const answer = page.getByRole('region', { name: 'Response', exact: true })
    await answer.getByText('"status": "queued"').waitFor()
    expect(await page.locator('main').textContent()).not.toContain('any-key')
    await expect.poll(() => page.title()).toBe(`Request ${creation!.id} · svtrain-emulator`)
  })

  it('lead to the job and the deliveries that they caused', async () => {
    const { page, emulator, go, createJob } = await open()
    emulator.createSink()
    const id = await createJob('poet')
    emulator.clock.advance('1m')
    await emulator.webhooks.idle()
    const creation = emulator.jobs.get(id)
    await go('requests')
    await page.getByRole('row', { name: `queued RL job ${id}` }).waitFor()
    await go(`requests/${emulator.engine.store.jobs.get(creation.id)!.cause}`)
    const did = page.getByRole('region', { name: 'What it did' })
    await did.getByText(`queued RL job ${id} on poet`).waitFor()
    await did.getByRole('link', { name: 'RUN_STATE finished' }).click()
    await page.getByRole('heading', { name: 'RUN_STATE finished · poet #1 delivered' }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: id.slice(0, 8), exact: true }).click()
    await page.getByRole('heading', { name: 'poet #1' }).waitFor()
  })

  it('of a job are in order, with those that were refused', async () => {
    const { page, emulator, go, createJob } = await open()
    const id = await createJob('poet')
    emulator.faults.add({ fault: 'status', status: 503, calls: { from: 2, to: 2 } })
    for (let poll = 0; poll < 3; poll++) {
      await clientOf(emulator).get(`/preview/training-jobs/${id}`)
    }
    await go(`jobs/${id}`)
    const rows = page.getByRole('region', { name: 'Requests' }).locator('tbody tr')
    const statuses = rows.locator('.w-status')
    await expect.poll(() => statuses.allTextContents()).toEqual(['200', '503', '200', '200'])
  })

  it('lead from a delivery to the record of the sink, and back', async () => {
    const { page, emulator, go, createJob } = await open({ width: 390 })
    const sink = emulator.createSink()
    sink.answer({ status: 503, times: 1 })
    await createJob('poet')
    emulator.clock.advance('5s')
    await emulator.webhooks.idle()
    emulator.clock.advance('10m')
    await emulator.webhooks.idle()
    const [first] = emulator.webhooks.deliveries
    await go(`deliveries/${first!.id}`)
    const attempts = page.getByRole('region', { name: 'Attempts' })
    await attempts.getByRole('row').nth(1).getByRole('button').click()
    await attempts.getByRole('link', { name: /^record \d+ of the sink$/ }).click()
    const details = page.locator('.detail')
    await details.getByText('Sent by delivery').waitFor()
    await details.getByText(/^At 2026-01-01T.* after its event$/).waitFor()
    await details.getByRole('link', { name: `delivery ${first!.id.slice(0, 8)}` }).click()
    await page.getByRole('heading', { name: 'RUN_STATE' }).waitFor()
  })

  it('name the fault that answered, and what was lost', async () => {
    const { page, emulator, go } = await open({
      scenario: {
        name: 'failing',
        faults: [
          { fault: 'drop', name: 'cable', match: { operation: 'listBaseModels' } },
          { fault: 'status', status: 503, name: 'gateway', match: { operation: 'createModel' } },
        ],
      },
    })
    await emulator.fetch(`${emulator.trainingUrl}/preview/base-models`).catch(() => {})
    await createModel(clientOf(emulator), 'poet')
    await go('requests')
    await page.getByRole('row', { name: 'dropped' }).getByRole('button').click()
    await page.getByText('cable: connection dropped').first().waitFor()
    await page.getByRole('link', { name: /^Request 1:/ }).click()
    const lost = page.getByRole('region', { name: 'Why it got no answer' })
    await lost.getByText('The emulator closed the connection without an answer.').waitFor()
    await lost.getByRole('link', { name: 'cable' }).waitFor()
    await page.getByText('There was none.').waitFor()
    await page.getByText('No body.').waitFor()
    await page.getByRole('link', { name: '2 →' }).click()
    const refused = page.getByRole('region', { name: 'Why it was refused' })
    await refused.getByRole('link', { name: 'gateway' }).waitFor()
  })

  it('show the text of a streamed chat, and the rule that wrote it', async () => {
    const { page, emulator, go } = await open({
      scenario: { name: 'poems', chat: { rules: [{ match: {}, answer: 'Roses are red.' }] } },
    })
    await chat(clientOf(emulator).inference, 'A poem!', { stream: true })
    await go('requests/1')
    await page
      .getByText(/^A stream of \d+ events\. It is complete\. Finish reason: stop\.$/)
      .waitFor()
    await page.getByText('Roses are red.', { exact: true }).waitFor()
    await page.getByText('Rule 1 of chat.rules in the scenario answered.').waitFor()
    await page.getByRole('button', { name: 'Events' }).click()
    await page.getByText('[DONE]').waitFor()
  })

  it('that stopped half-way show the part that was sent', async () => {
    const { page, emulator, go } = await open({
      scenario: {
        name: 'half',
        chat: { rules: [{ match: {}, answer: 'Roses are red, violets are blue.' }] },
        faults: [{ fault: 'drop', name: 'cable', stage: 'mid_body' }],
      },
    })
    const client = clientOf(emulator)
    await client.get('/preview/base-models').catch(() => {})
    await chat(client.inference, 'A poem!', { stream: true }).catch(() => {})
    await go('requests')
    await expect.poll(() => page.getByText('200, stopped half-way').count()).toBe(2)
    for (const id of [1, 2]) {
      await go(`requests/${id}`)
      const why = page.getByRole('region', { name: 'Why it got no answer' })
      await why.getByText('The emulator closed the connection after a part').waitFor()
      await why.getByRole('link', { name: 'cable' }).waitFor()
      await page.getByText('Only this part was sent.').waitFor()
    }
    await page.getByText(/^A stream of \d+ events?\. It has no \[DONE\]\.$/).waitFor()
  })

  it('say what the client checks found', async () => {
    const { page, emulator, go, createJob } = await open()
    await createJob('poet')
    await createJob('poet')
    const copies = emulator.journal.entries.filter(
      (entry) => entry.kind === 'request' && entry.operation === 'createRlTrainingJob',
    )
    await go(`requests/${copies[1]!.id}`)
    const checks = page.getByRole('region', { name: 'Client checks' })
    await checks.getByText('duplicate_jobs').waitFor()
    await checks.getByRole('link', { name: `request ${copies[0]!.id}` }).click()
    await page.waitForURL(`**/#/requests/${copies[0]!.id}`)
  })

  it('are copied as a curl command that makes the same call, with a variable for the key', async () => {
    const { page, emulator, go } = await open()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const body = `{"project": "it's", "note": "$HOME \`date\` \\"x\\""}`
    const headers = { authorization: 'Bearer a-secret-key', 'content-type': 'application/json' }
    const url = `${emulator.trainingUrl}/preview/models?q=a%20b`
    await emulator.fetch(url, { method: 'POST', headers, body })
    await go('requests/1')
    await page.getByRole('button', { name: 'Copy as cURL' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const command = await clipboardOf(page)
    expect(command).toContain(`-H 'authorization: Bearer '"$SVTRAIN_API_KEY"`)
    expect(command).not.toContain('a-secret-key')
    await run('sh', ['-c', command], { env: { ...process.env, SVTRAIN_API_KEY: 'a-secret-key' } })
    const [first, second] = emulator.journal.entries.filter((entry) => entry.kind === 'request')
    for (const field of ['method', 'path', 'query', 'body', 'status'] as const) {
      expect(second![field]).toEqual(first![field])
    }
    expect(second!.headers['authorization']).toBe('Bearer a-secret-key')
    expect(second!.headers['content-type']).toBe('application/json')
  })

  it('fold long bodies, and keep the digits of numbers', async () => {
    const { page, emulator, go } = await open()
    const rewards = Array.from({ length: 200 }, () => '{"reward":12345678901234567890}').join(',')
    const body = `{"trajectory_groups":[{"trajectories":[${rewards}]}]}`
    const init = { method: 'POST', headers: { authorization: 'Bearer k' }, body }
    await emulator.fetch(`${emulator.trainingUrl}/preview/training-jobs`, init)
    await go('requests/1')
    const shown = page.getByRole('region', { name: 'request body' })
    await shown.getByText('"reward": 12345678901234567890').waitFor()
    const before = (await shown.textContent())!.length
    await page.getByRole('button', { name: /^Show all of \d+ lines$/ }).click()
    await expect.poll(async () => (await shown.textContent())!.length).toBeGreaterThan(4 * before)
    await page.getByRole('button', { name: 'Show the beginning' }).click()
  })

  it('are filtered by outcome, method, operation, text and reason, all in the address', async () => {
    const { page, emulator, go, createJob } = await open()
    await createJob('poet')
    await refuseJob(emulator)
    await refuseJob(emulator)
    await clientOf(emulator).get('/preview/training-jobs/7f6d0d6e-5b1c-4a7e-9a3f-0c1d2e3f4a5b')
    await clientOf(emulator).get('/preview/training-jobs/0c1d2e3f-5b1c-4a7e-9a3f-7f6d0d6e4a5b')
    await go('requests')
    const table = page.getByRole('region', { name: 'Requests' })
    const rows = table.locator('tbody tr:not(.detail)')
    await page.getByRole('button', { name: 'Errors by reason' }).click()
    const reasons = page.getByRole('group', { name: 'Errors by reason' })
    await expect.poll(() => reasons.getByRole('button').count()).toBe(3)
    await reasons.getByRole('button', { name: 'model_id: Field required' }).click()
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByLabel('Method').selectOption('POST')
    await page.getByLabel('Operation').selectOption('createRlTrainingJob')
    await table.getByRole('button', { name: '4xx 2' }).click()
    await page.getByLabel('Filter').fill('FIELD REQUIRED')
    await page.waitForURL(/search=FIELD\+REQUIRED/)
    const shared = page.url()
    await page.reload()
    await expect.poll(() => rows.count()).toBe(2)
    await page.waitForURL(shared)
    await expect.poll(() => page.getByLabel('Operation').inputValue()).toBe('createRlTrainingJob')
    await expect.poll(() => page.getByLabel('Method').inputValue()).toBe('POST')
    await expect.poll(() => page.getByLabel('Filter').inputValue()).toBe('FIELD REQUIRED')
    const pressed = reasons.getByRole('button', { pressed: true })
    await pressed.getByText('model_id: Field required').waitFor()
    // Back from a request returns to the same rows.
    await rows.first().getByRole('button').click()
    await page.getByRole('link', { name: /^Request \d/ }).click()
    await page.getByRole('region', { name: 'Why it was refused' }).waitFor()
    await page.goBack()
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect.poll(() => rows.count()).toBeGreaterThan(6)
    expect(page.url()).toMatch(/#\/requests\?/)
  })

  it('say of a lost answer why it was lost, not what the call did', async () => {
    const { page, emulator, go, createJob } = await open()
    emulator.faults.add({
      fault: 'drop',
      stage: 'after',
      match: { operation: 'createRlTrainingJob' },
    })
    await createJob('poet').catch(() => 'lost')
    await go('requests')
    await page.getByRole('button', { name: 'lost 1' }).click()
    const row = page.getByRole('region', { name: 'Requests' }).locator('tbody tr')
    await row.getByText(/connection dropped after/).waitFor()
    await page.getByRole('button', { name: 'Errors by reason' }).click()
    const reasons = page.getByRole('group', { name: 'Errors by reason' })
    await reasons.getByRole('button', { name: /connection dropped after/ }).waitFor()
  })

  it('are filtered to those that no operation answers', async () => {
    const { page, emulator, go, createJob } = await open()
    await createJob('poet')
    await emulator.fetch(`${emulator.trainingUrl}/preview/modles`)
    await go('requests')
    await page.getByLabel('Operation').selectOption('none')
    const rows = page.getByRole('region', { name: 'Requests' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(1)
    await rows.getByText('/v1/preview/modles').waitFor()
  })

  it('are drawn where you scroll to, also below an open row', async () => {
    const { page, emulator, go } = await open()
    for (let call = 0; call < 300; call++) {
      await emulator.fetch(`${emulator.trainingUrl}/health?call=${call}`)
    }
    await go('requests')
    await page.getByRole('row', { name: '?call=299' }).getByRole('button').click()
    await page.getByRole('link', { name: /^Request \d/ }).waitFor()
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    await expect.poll(() => page.getByRole('row', { name: '?call=0' }).count()).toBe(1)
  })

  it('that the journal does not have are refused with what it has', async () => {
    const { page, go, createJob } = await open({ errors: /404/ })
    await createJob('poet')
    await go('requests/999')
    await page.getByText('Request not found: the journal has no entry 999.').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'All requests' }).click()
    await page.getByRole('row', { name: 'createModel' }).waitFor()
    expect(page.url()).toMatch(/#\/requests$/)
  })

  it('have a bar of one row above them, and paths that are not cut, 390 pixels wide', async () => {
    const { page, go, createJob } = await open({ width: 390 })
    await createJob('poet')
    await go('requests')
    const path = page.getByRole('cell', { name: '/training-jobs' })
    await path.waitFor()
    expect(await path.evaluate((cell) => cell.scrollWidth <= cell.clientWidth)).toBe(true)
    const bar = page.locator('header')
    expect((await bar.boundingBox())!.height).toBeLessThan(50)
    const step = page.getByRole('button', { name: 'Step' })
    expect(await step.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Clock' }).click()
    expect(await step.isVisible()).toBe(true)
    expect((await bar.boundingBox())!.height).toBeLessThan(50)
  })

  it('have all of their text without a tooltip, 390 pixels wide', async () => {
    const { page, emulator, go } = await open({ width: 390 })
    await refuseJob(emulator)
    const path = `/preview/${'very-long-segment/'.repeat(30)}`
    await clientOf(emulator).get(`${path}?${'q=1&'.repeat(100)}`)
    for (const [route, shown] of [
      ['requests?open=request-2,request-3', 'model_id: Field required, and 1 more'],
      ['requests/2', 'trajectory_groups[0].trajectories[1].reward'],
      ['requests/3', `/v1${path}`],
    ] as const) {
      await go(route)
      await page.locator('.detail, .summary, .why').getByText(shown).first().waitFor()
      const names = '.detail p[class*=name], .summary p[class*=name], .why [class*=name]'
      expect({ route, ...(await unfitting(page, names)) }).toMatchObject({ route, ...FITS })
      for (const heading of await page.getByRole('columnheader', { name: 'Path' }).all()) {
        expect((await heading.boundingBox())!.width).toBeGreaterThan(80)
      }
    }
  })
})
