import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { clientOf } from '../support/api-client.js'
import { logPoem } from './logged-poem.js'
import { aRunThat } from '../support/platform-records.js'
import { createModel } from '../support/trainer.js'
import { describeDashboard } from './browser-of-suite.js'
import { holdCalls } from './open-dashboard.js'

describeDashboard('runs and artifacts', (open) => {
  it('are two tables that say how to get some', async () => {
    const { page, emulator, go } = await open()
    await go('runs')
    await page.getByText('No runs yet.').waitFor()
    const { origin } = new URL(emulator.trainingUrl)
    await page.getByText('Base URL of the SDK').waitFor()
    await page.getByText(origin, { exact: true }).waitFor()
    await go('artifacts')
    await page.getByText('No artifacts yet.').waitFor()
    const code = await page.locator('main pre').textContent()
    const [, body] = /-d '(.*)'/s.exec(code!)!
    const init = { method: 'POST', body: body! }
    const answer = await emulator.fetch(`${origin}/_emulator/artifacts`, init)
    expect(answer.status).toBe(200)
    await page.getByRole('link', { name: 'rows:v0' }).waitFor()
  })

  it('show each run with its state, its last values and a small curve', async () => {
    const { page, emulator, go } = await open()
    await logPoem(emulator)
    await go('runs')
    const row = page.getByRole('row', { name: 'A poem in May' })
    await row.getByText('finished').waitFor()
    await row.locator('.spark polyline').waitFor()
    expect(await row.textContent()).toMatch(/0\.155 train\/loss/)
    await page.getByRole('button', { name: 'failed 1' }).click()
    await page.getByRole('row', { name: 'broken' }).waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
    expect(page.url()).toContain('state=failed')
    await page.getByRole('button', { name: 'all 3' }).click()
    await page.getByRole('searchbox').fill('nightly')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    // A new row waits while the user types.
    await page.getByRole('searchbox').fill('')
    aRunThat(emulator, { name: 'another' })
    await emulator.fetch(`${emulator.trainingUrl}/health`)
    await page.getByRole('button', { name: '1 new' }).click()
    await page.getByRole('link', { name: 'another' }).waitFor()
  })

  it('keep each curve while it is read again, and say when it cannot be read', async () => {
    const { page, emulator, go } = await open({ errors: /500/ })
    const { run } = await logPoem(emulator)
    const logRow = async (loss: number): Promise<void> => {
      aRunThat(emulator, { name: 'poem', rows: [{ _step: 200 + loss, 'train/loss': loss }] })
      await emulator.fetch(`${emulator.trainingUrl}/health`)
    }
    await go('runs')
    const row = page.getByRole('row', { name: 'A poem in May' })
    const spark = row.locator('.spark polyline')
    const before = await spark.getAttribute('points')
    const release = await holdCalls(page, 'runs/**/history*')
    await logRow(7)
    await row.getByText('7 train/loss').waitFor()
    expect(await spark.count()).toBe(1)
    release()
    await expect.poll(() => spark.getAttribute('points')).not.toBe(before)
    await page.unroute('**/_emulator/runs/**/history*')

    await go(`runs/${encodeURIComponent(run)}`)
    await page.getByRole('img', { name: 'train/loss over 207 steps, from 2 to 7' }).waitFor()
    const chart = page.getByRole('img', { name: /^train\/loss over/ })
    const releaseAll = await holdCalls(page, 'runs/**/history*')
    const asked = page.waitForRequest(/\/history/)
    await logRow(8)
    await asked
    expect(await chart.count()).toBe(1)
    releaseAll()
    await page.getByRole('img', { name: 'train/loss over 208 steps, from 2 to 8' }).waitFor()
    await page.unroute('**/_emulator/runs/**/history*')

    await page.route('**/_emulator/runs/**/history*', (route) => {
      return route.fulfill({ status: 500, json: { detail: 'it broke' } })
    })
    await logRow(9)
    await page.getByText('it broke').waitFor()
    await go('runs')
    await row.getByText('not loaded').waitFor()
  })

  it('have a page for each run: curves, config, summary, files, and what it used', async () => {
    const { page, emulator, go } = await open()
    await logPoem(emulator)
    await go('runs')
    await page.getByRole('link', { name: 'A poem in May' }).click()
    await page.getByRole('heading', { name: 'A poem in May finished' }).waitFor()
    await page.getByRole('img', { name: 'train/loss over 119 steps, from 2 to 0.155' }).waitFor()
    await page.getByText('1 more metric').click()
    await page.getByRole('img', { name: /^lr over .*, NaN at step 60/ }).waitFor()
    expect(await page.getByRole('region', { name: 'Config as JSON' }).textContent()).toBe(
      '{\n  "lr": 0.1\n}',
    )
    await page.getByText('It rhymes.').waitFor()
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download config.yaml' }).click()
    const saved = await saving
    expect(saved.suggestedFilename()).toBe('config.yaml')
    expect(await readFile(await saved.path(), 'utf8')).toBe('lr: 0.1\n')
    await page.getByRole('link', { name: 'rows:v1' }).click()
    await page.getByRole('heading', { name: 'rows:v1 dataset' }).waitFor()
  })

  it('have a page for each version: aliases, metadata, files, and the runs that used it', async () => {
    const { page, emulator, go } = await open()
    await logPoem(emulator)
    await emulator.jobs.start({ model: 'poet' })
    await emulator.settle()
    await go('artifacts')
    await page.getByRole('button', { name: 'lora 2' }).click()
    const checkpoint = page.getByRole('row', { name: 'poet:v1' })
    await checkpoint.getByText('latest, step1').waitFor()
    await checkpoint.getByRole('link', { name: 'poet #1' }).waitFor()
    await page.getByRole('button', { name: 'all 4' }).click()
    await page.getByRole('link', { name: 'rows:v1' }).click()
    const facts = page.locator('.summary')
    await facts.getByText('wandb-artifact:///local-team/verse/rows:v1').waitFor()
    await facts.getByText('latest, best').waitFor()
    expect(await facts.textContent()).not.toContain('Links')
    expect(await page.getByRole('region', { name: 'Metadata as JSON' }).textContent()).toContain(
      '"rows": 6',
    )
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download data/notes.txt' }).click()
    expect(await readFile(await (await saving).path(), 'utf8')).toBe('Six rows.')
    await page.getByRole('link', { name: 'v0', exact: true }).click()
    await page.getByRole('heading', { name: 'rows:v0 dataset' }).waitFor()
    await page.goBack()
    await facts.getByRole('link', { name: 'poem' }).click()
    await page.getByRole('heading', { name: 'A poem in May' }).waitFor()
  })

  it('are linked from the job that read them', async () => {
    const { page, emulator, go } = await open({ scenario: 'sft' })
    const { url } = await logPoem(emulator)
    const api = clientOf(emulator)
    const { id } = await createModel(api)
    const asked = { model_id: id, training_data_url: url }
    const { body } = await api.post('/preview/sft-training-jobs', asked)
    await go(`jobs/${(body as { id: string }).id}`)
    await page.getByRole('link', { name: 'local-team/verse/rows:v1' }).click()
    await page.getByRole('heading', { name: 'rows:v1 dataset' }).waitFor()
    expect(await page.title()).toBe('Artifact rows:v1 · svtrain-emulator')
  })

  it('say what is gone after a reset', async () => {
    const { page, emulator, go } = await open({ errors: /404/ })
    await logPoem(emulator)
    emulator.reset()
    await go('runs/local-team%2Fverse%2Fpoem')
    await page.getByText('there is no run "local-team/verse/poem"').waitFor()
    await page.getByRole('link', { name: 'All runs' }).click()
    await page.getByText('No runs yet.').waitFor()
    expect(page.url()).toMatch(/#\/runs$/)
  })
})
