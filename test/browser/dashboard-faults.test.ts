import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeDashboard } from './browser-of-suite.js'
import { holdCalls } from './open-dashboard.js'

const run = promisify(execFile)

/** Calls a host of the emulator as a client does, and returns the status of the answer. */
async function statusOf(url: string, body?: object): Promise<number> {
  const headers = { authorization: 'Bearer a-key', 'content-type': 'application/json' }
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
  return (await fetch(url, init)).status
}

/** The part of the page with the preview, as YAML. */
function previewOf(page: Page): Promise<string | null> {
  return page.getByLabel('The fault as YAML').textContent()
}

describeDashboard('the next job', (open) => {
  it('fails, and the page says when that is over', async () => {
    const { page, emulator, go, createJob } = await open()
    await go('')
    await page.getByRole('link', { name: 'Faults', exact: true }).click()
    await page.getByRole('button', { name: 'Make the next job fail' }).click()
    await page.getByText('The next job fails after 1 step: “Training failed”.').waitFor()
    const first = await createJob('poet')
    const second = await createJob('painter')
    // The page says that it is over.
    await page.getByRole('button', { name: 'Make the next job fail' }).waitFor()
    await page.getByText('used up').waitFor()
    emulator.clock.advance('1m')
    expect(emulator.job(first).status).toBe('failed')
    expect(emulator.job(second).status).toBe('ended')
  })

  it('fails with your message, made on the page of the jobs, or is undone there', async () => {
    const { page, emulator, go, createJob } = await open()
    await go('jobs')
    await page.getByLabel('Error message of the next job').fill('out of memory')
    await page.getByLabel('Error message of the next job').press('Enter')
    await page.getByText('“out of memory”').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone.').waitFor()
    const first = await createJob('poet')
    await page.getByLabel('Error message of the next job').fill('out of memory')
    await page.getByRole('button', { name: 'Make the next job fail' }).click()
    await page.getByText('“out of memory”').waitFor()
    const second = await createJob('poet')
    emulator.clock.advance('2m')
    expect(emulator.job(first).status).toBe('ended')
    await page.getByRole('row', { name: 'out of memory' }).waitFor()
    expect(emulator.job(second).status).toBe('failed')
  })

  it('is said to fail even if a proxy refuses the stream of events, and faults are opened and closed', async () => {
    const { page, emulator } = await open({
      scenario: {
        name: 'mine',
        faults: [{ name: 'outage', fault: 'status', status: 503, open: false }],
      },
      errors: /ERR_FAILED/,
    })
    await page.route('**/_emulator/stream*', (route) => route.abort())
    await page.goto(new URL('/_emulator/#/faults', emulator.trainingUrl).href)
    await page.getByRole('button', { name: 'Make the next job fail' }).click()
    await page.getByText('The next job fails after 1 step: “Training failed”.').waitFor()
    const outage = page.getByRole('row', { name: 'outage' })
    await outage.getByRole('button', { name: 'Open outage' }).click()
    await outage.getByRole('button', { name: 'Close outage' }).click()
    await outage.getByText('closed').waitFor()
    expect(emulator.engine.faults.all.map((fault) => fault.open)).toEqual([false, true])
  })

  it('cannot be made to fail again before the emulator has answered', async () => {
    const { page, emulator, go } = await open()
    const answer = await holdCalls(page, 'faults', 'POST')
    await go('jobs')
    const fail = page.getByRole('button', { name: 'Make the next job fail' })
    await fail.click()
    await expect.poll(() => fail.isDisabled()).toBe(true)
    answer()
    await page.getByText('The next job fails after').waitFor()
    expect(emulator.engine.faults.all).toHaveLength(1)
  })
})

describeDashboard('faults', (open) => {
  it('are listed with what they do, how often they acted, and on which requests', async () => {
    const { page, emulator, go } = await open({
      scenario: {
        name: 'mine',
        faults: [
          {
            name: 'outage',
            fault: 'status',
            status: 503,
            match: { host: 'training' },
            open: false,
          },
        ],
      },
    })
    emulator.faults.add({ name: 'twice', fault: 'status', status: 429, calls: { to: 2 } })
    const url = `${emulator.trainingUrl}/preview/base-models`
    expect(await statusOf(url)).toBe(429)
    await go('faults')
    const twice = page.getByRole('row', { name: 'twice' }).first()
    await twice.getByText('status 429 on every call, calls to 2').waitFor()
    await twice.getByRole('button', { name: 'twice' }).first().click()
    await page.getByText('1 call left').waitFor()
    expect(await statusOf(url)).toBe(429)
    await twice.getByText('used up').waitFor()
    await page.locator('.detail').getByRole('link').first().click()
    await page.waitForURL(/#\/requests\/\d+$/)
    await go('faults')
    const outage = page.getByRole('row', { name: 'outage' })
    await outage.getByText('closed').waitFor()
    await outage.getByRole('button', { name: 'Open outage' }).click()
    await outage.getByRole('button', { name: 'Close outage' }).waitFor()
    expect(await statusOf(url)).toBe(503)
    await page.getByRole('button', { name: 'Close all' }).click()
    await outage.getByText('closed').waitFor()
    expect(await statusOf(url)).toBe(200)
    await twice.getByRole('button', { name: 'Remove twice' }).click()
    await twice.waitFor({ state: 'detached' })
  })

  it('are added from each preset, and answer the next calls', async () => {
    const { page, emulator, go } = await open()
    await go('faults')
    await page.getByText('No faults.').waitFor()
    await page.getByRole('button', { name: '500 on the next request' }).click()
    await expect
      .poll(() => previewOf(page))
      .toBe('faults:\n  - fault: status\n    status: 500\n    calls: 1\n')
    await page.getByRole('button', { name: 'Add the fault' }).click()
    await page.getByText('Added added-1 (status). It is open.').waitFor()
    await page.getByRole('row', { name: 'added-1' }).waitFor()
    const url = `${emulator.trainingUrl}/preview/base-models`
    expect([await statusOf(url), await statusOf(url)]).toEqual([500, 200])
    const presets = page.getByRole('group', { name: 'Presets' }).getByRole('button')
    const count = await presets.count()
    for (let index = 0; index < count; index++) {
      await presets.nth(index).click()
      await page.getByRole('button', { name: 'Add the fault' }).click()
      await page.getByText(`Added added-${index + 2} `).waitFor()
    }
    expect(emulator.engine.faults.all).toHaveLength(count + 1)
  })

  it('have a form that the schema makes, with completion and nested fields', async () => {
    const { page, go, emulator, createJob } = await open()
    await createJob('poet')
    await go('faults')
    const form = page.getByRole('region', { name: 'New fault' })
    await form.getByLabel('fault', { exact: true }).selectOption('rate_limit')
    await form.getByText('Answers 429 if requests come too fast').waitFor()
    await form.getByLabel('requests (required)').fill('3')
    await form.getByLabel('within (required)').fill('6s')
    await form.getByLabel('operation').fill('create*, listCheckpoints')
    await form.getByLabel('host', { exact: true }).selectOption('training')
    await form.getByLabel('headers').fill('x-shard: b')
    await form.getByLabel('Form of calls').selectOption('list of numbers')
    await form.getByLabel('calls: value').fill('1, 3')
    await form.getByLabel('per', { exact: true }).fill('project, model')
    const list = await form.getByLabel('operation').getAttribute('list')
    const known = page.locator(`[id="${list}"] option`)
    expect(
      await known.evaluateAll((all) => all.map((each) => (each as HTMLOptionElement).value)),
    ).toContain('listTrainingJobEvents')
    const models = await form.getByLabel('model', { exact: true }).getAttribute('list')
    await page.locator(`[id="${models}"] option[value="poet"]`).waitFor({ state: 'attached' })
    await form.getByRole('button', { name: 'Add the fault' }).click()
    await page.getByText('Added added-1 (rate_limit)').waitFor()
    expect(emulator.engine.faults.all[0]!.rule).toMatchObject({
      fault: 'rate_limit',
      requests: 3,
      within: '6s',
      match: {
        operation: ['create*', 'listCheckpoints'],
        host: 'training',
        headers: { 'x-shard': 'b' },
      },
      calls: [1, 3],
      per: ['project', 'model'],
    })
  })

  it('say at each field what is wrong with it, and offer the nearest right value', async () => {
    const { page, go, emulator } = await open()
    await go('faults')
    const form = page.getByRole('region', { name: 'New fault' })
    const status = form.getByLabel('status (required)')
    expect(await status.getAttribute('spellcheck')).toBe('false')
    for (const [written, message] of [
      ['42', 'expected at least 400, got 42'],
      ['often', 'expected a number, got "often"'],
      ['', 'is missing'],
    ] as const) {
      await status.fill(written)
      await form.getByText(message).waitFor()
      await form.getByText('Correct first: status.').waitFor()
      await expect.poll(() => status.getAttribute('aria-invalid')).toBe('true')
      await expect
        .poll(() => form.getByRole('button', { name: 'Add the fault' }).isDisabled())
        .toBe(true)
    }
    await status.fill('503')
    await form.getByText('Correct first').waitFor({ state: 'detached' })
    await form.getByLabel('retry_after').fill('soon')
    await form.getByText('expected a duration').waitFor()
    await form.getByLabel('retry_after').fill('')
    await form.getByLabel('per', { exact: true }).fill('modle')
    await form.getByRole('button', { name: 'Use model' }).click()
    await expect.poll(() => form.getByLabel('per', { exact: true }).inputValue()).toBe('model')
    await form.getByLabel('probability').fill('2')
    await form.getByText('expected at most 1, got 2').waitFor()
    await form.getByLabel('probability').fill('0.5')
    await form.getByRole('button', { name: 'Add the fault' }).click()
    await page.getByText('Added added-1').waitFor()
    expect(emulator.engine.faults.all[0]!.rule).toMatchObject({ per: 'model', probability: 0.5 })
  })

  it('are copied as YAML that works in a scenario, and as a call that works in a shell', async () => {
    const { page, emulator, go } = await open()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await go('faults')
    const form = page.getByRole('region', { name: 'New fault' })
    await page.getByRole('button', { name: '429 on job creation, twice' }).click()
    await form.getByLabel('message', { exact: true }).fill("it's: {{model}}, not #1")
    const clipboard = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText())
    await form.getByRole('button', { name: 'Copy as scenario YAML' }).click()
    await expect.poll(clipboard).toMatch(/^faults:/)
    const yaml = await clipboard()
    const answer = await fetch(new URL('/_emulator/scenario', emulator.trainingUrl), {
      method: 'POST',
      body: JSON.stringify({ yaml: `name: mine\n${yaml}` }),
    })
    expect(answer.status).toBe(200)
    const rule = {
      fault: 'status',
      status: 429,
      message: "it's: {{model}}, not #1",
      calls: { to: 2 },
    }
    expect(emulator.scenario.faults[0]).toMatchObject(rule)
    await form.getByRole('button', { name: 'Copy as control call' }).click()
    await expect
      .poll(clipboard)
      .toMatch(/^curl -X POST 'http:\/\/127\.0\.0\.1:\d+\/_emulator\/faults' \\\n {2}-d '\{/)
    await run('sh', ['-c', await clipboard()])
    expect(emulator.engine.faults.all.find(({ id }) => id === 'added-1')!.rule).toMatchObject(rule)
  })

  it('are copied as a call to the world of the page, with a variable for the control token', async () => {
    const options = { isolate: 'api-key', controlToken: 'let-me', errors: /401/ } as const
    const { page, emulator, go } = await open(options)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await statusOf(`${emulator.trainingUrl}/preview/base-models`)
    await go('faults')
    await page.goto(`${page.url().split('#')[0]}?world=world-1#/faults`)
    const form = page.getByRole('region', { name: 'New fault' })
    await form.getByRole('button', { name: 'Add the fault' }).click()
    await form.getByLabel('Control token').fill('let-me')
    await form.getByLabel('Control token').press('Enter')
    await form.getByRole('button', { name: 'Copy as control call' }).click()
    const clipboard = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText())
    await expect.poll(clipboard).toContain('$SVTRAIN_CONTROL_TOKEN')
    const env = { ...process.env, SVTRAIN_CONTROL_TOKEN: 'let-me' }
    await run('sh', ['-c', await clipboard()], { env })
    const [world] = emulator.worlds
    expect(world!.engine.faults.all.at(-1)!.rule).toMatchObject({ fault: 'status', status: 503 })
  })

  it('can be added with the keyboard alone', async () => {
    const { page, emulator, go } = await open()
    await go('faults')
    const preset = page.getByRole('button', { name: '500 on the next request' })
    await preset.focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('status (required)').focus()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('502')
    await page.keyboard.press('Enter')
    await page.getByText('Added added-1').waitFor()
    expect(emulator.engine.faults.all[0]!.rule).toMatchObject({ status: 502 })
  })
})
