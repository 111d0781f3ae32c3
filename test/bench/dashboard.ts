/**
 * Measures the dashboard in Chromium: its pages under load, and the time to show the page of a long job.
 */
import type { Browser } from 'playwright-core'
import { buildAsServed } from '../browser/open-dashboard.js'
import { createEmulator } from '../../src/index.js'
import { launchChromium, noChromium } from '../support/chromium.js'
import { underLoad } from './dashboard-load.js'
import { openDashboard } from './dashboard-page.js'
import type { Settings } from './settings.js'
import { figureOf, type Table } from './table.js'

const STEPS = 100_000
const LONG = {
  timeline: [
    { event: 'training_started' as const },
    { event: 'gradient_step' as const, every: '10ms', count: STEPS },
    { event: 'never' as const },
  ],
}

export async function dashboard(settings: Settings): Promise<Table[]> {
  if (noChromium !== undefined) {
    const none = { columns: [], rows: [], notes: [`Nothing is measured: ${noChromium}.`] }
    return [{ title: 'The dashboard', ...none }]
  }
  await buildAsServed()
  const browser = await launchChromium()
  const tables = [...(await underLoad(browser, settings)), await longJob(browser, settings)]
  await browser.close()
  return tables
}

async function longJob(chromium: Browser, { rounds }: Settings): Promise<Table> {
  const emulator = createEmulator({ clock: 'manual', scenario: { name: 'bench', jobs: [LONG] } })
  await emulator.listen()
  const { trainingUrl: url } = emulator
  const { id } = await emulator.jobs.start({ model: 'long' })
  emulator.clock.advance('1h')
  const page = await openDashboard(chromium, { url }, 'jobs')
  const took: number[] = []
  for (let round = 0; round < rounds; round++) {
    await page.goto(`${new URL('/_emulator/', url).href}#/jobs`)
    await page.getByRole('link', { name: 'long' }).first().waitFor()
    took.push(await page.evaluate(openAndDraw, `#/jobs/${id}`))
  }
  await page.close()
  await emulator.close()
  return {
    title: 'A long job on the dashboard',
    columns: ['drawn'],
    rows: [{ name: `${STEPS.toLocaleString('en-US')} steps`, figures: [figureOf(took, 'ms')] }],
    notes: ['From the click to the frame in which the curve is there.'],
  }
}

/** Runs in the browser. Milliseconds from the click to the frame that shows the curve. */
async function openAndDraw(hash: string): Promise<number> {
  const start = performance.now()
  location.hash = hash
  while (!document.querySelector('[aria-label^="loss over"] canvas')) {
    await new Promise((resolve) => void requestAnimationFrame(resolve))
  }
  await new Promise((resolve) => void requestAnimationFrame(resolve))
  return performance.now() - start
}
