import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Emulator, ScenarioInput } from '../../src/index.js'
import { clientOf } from '../support/api-client.js'
import { root } from '../support/pages.js'
import { trainThreeJobs } from '../dashboard/training-run.js'
import { describeDashboard } from './browser-of-suite.js'
import { jobsWith } from '../support/job-timelines.js'
import { fixFonts } from './screens.js'
import { smallPng } from './small-png.js'

/** The pictures of the dashboard in README.md and docs/how-to/dashboard.md. */
const PICTURES = join(root, 'docs', 'images')
const MOST_BYTES = 150_000

const screen = { colorScheme: 'light', viewport: { width: 1280, height: 1200 } } as const

const REWARD = { curve: 'exponential', from: 0.2, to: 0.9, noise: 0.04 } as const

/** A job with one step each second, with a reward that rises. */
const scenario: ScenarioInput = {
  name: 'learning',
  description: 'A job trains, and its reward rises.',
  jobs: jobsWith({ metrics: { reward: REWARD } }),
}

/** Polls the events of a job as a client does, with these waits before the polls. */
async function pollEvents(emulator: Emulator, id: string, waits: readonly string[]): Promise<void> {
  const client = clientOf(emulator)
  let after = ''
  for (const wait of waits) {
    emulator.clock.advance(wait)
    const { body } = await client.get(`/preview/training-jobs/${id}/events?after=${after}`)
    const { data } = body as { data: { id: string }[] }
    after = data.at(-1)?.id ?? after
  }
}

/** Returns the bytes of a picture, or of the saved one if it has more. Writes it with WRITE_PICTURE=1. */
async function bytesOfPicture(page: Page, name: string): Promise<number> {
  const file = join(PICTURES, name)
  const shown = await page.screenshot({ animations: 'disabled', caret: 'hide' })
  const picture = await smallPng(page.context(), shown)
  if (process.env['WRITE_PICTURE'] === '1') {
    mkdirSync(PICTURES, { recursive: true })
    writeFileSync(file, picture)
  }
  return Math.max(picture.length, statSync(file).size)
}

describeDashboard('the picture', (open) => {
  it('shows a job that trains, and is written with WRITE_PICTURE=1', async () => {
    const { page, emulator, createJob, go } = await open({ screen, scenario })
    emulator.createSink()
    await createJob('poet')
    emulator.clock.advance('20s')
    await emulator.webhooks.idle()
    const id = await createJob('poet', 12)
    await pollEvents(emulator, id, ['1s', '3s', '4s'])
    await emulator.webhooks.idle()

    await fixFonts(page)
    await go(`jobs/${id}`)
    await page.getByRole('img', { name: 'loss over' }).waitFor()
    await page.getByRole('region', { name: 'Deliveries' }).getByRole('row').nth(1).waitFor()
    expect(await bytesOfPicture(page, 'dashboard.png')).toBeLessThan(MOST_BYTES)
  })

  it('shows what three jobs trained on', async () => {
    const { page, emulator, go } = await open({
      screen: { ...screen, viewport: { width: 1280, height: 860 } },
    })
    await trainThreeJobs(emulator)
    await fixFonts(page)
    await go('lineage')
    await page.getByRole('link', { name: 'Checkpoint: step 1, of singer #1' }).waitFor()
    expect(await bytesOfPicture(page, 'lineage.png')).toBeLessThan(MOST_BYTES)
  })
})
