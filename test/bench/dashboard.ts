/**
 * Measures the dashboard in Chromium: its longest task and frame on each page while more than 1,000
 * events per second arrive, compared with an empty page, and the time to show the page of a long job.
 */
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { buildAsServed } from '../browser/open-dashboard.js'
import { createEmulator, type ScenarioInput } from '../../src/index.js'
import { launchChromium, noChromium } from '../support/chromium.js'
import { pageMemory } from './dashboard-memory.js'
import { startEmulator } from './server-process.js'
import type { Settings } from './settings.js'
import { quantile } from './statistics.js'
import { figureOf, type Figure, type Row, type Table } from './table.js'
import { jsonHeaders } from '../support/api-client.js'

/** The number of jobs with one step per second. `HOOKED` of them call a webhook at each step. */
const JOBS = 700
const HOOKED = 70
/** Requests every 100 ms. */
const REQUESTS = 25

const BUSY: ScenarioInput = {
  name: 'busy',
  extends: 'long-run',
  webhooks: [{ name: 'deploy' }],
  automations: [
    {
      name: 'each step',
      webhook: 'deploy',
      event: 'RUN_METRIC',
      run: { name: '^hooked' },
      metric: 'loss',
      window: 1,
      is: 'above',
      threshold: -1,
      payload: { event_type: '${event_type}', loss: '${metric_value}' },
    },
  ],
}
const LONG = {
  timeline: [
    { event: 'training_started' as const },
    { event: 'gradient_step' as const, every: '10ms', count: 100_000 },
    { event: 'never' as const },
  ],
}
const headers = jsonHeaders()

export async function dashboard(settings: Settings): Promise<Table[]> {
  if (noChromium !== undefined) {
    const none = { columns: [], rows: [], notes: [`Nothing is measured: ${noChromium}.`] }
    return [{ title: 'The dashboard', ...none }]
  }
  await buildAsServed()
  const browser = await launchChromium()
  const tables = [
    await frames(browser, settings.quick ? 3 : 20),
    await longJob(browser, settings),
    await pageMemory(browser, settings),
  ]
  await browser.close()
  return tables
}

async function frames(chromium: Browser, seconds: number): Promise<Table> {
  const file = join(tmpdir(), `busy-${process.pid}.json`)
  await writeFile(file, JSON.stringify(BUSY))
  const server = await startEmulator('--sink', '--sink-port=0', '--scenario', file)
  for (let job = 0; job < JOBS; job++) {
    await startJob(server, job < HOOKED ? `hooked-${job}` : `model-${job}`)
  }
  const id = await startJob(server, 'watched')
  const asking = setInterval(() => {
    for (let call = 0; call < REQUESTS; call++) {
      void fetch(`${server.url}/preview/training-jobs/${id}?call=${call}`, { headers })
        .then((answer) => answer.text())
        .catch(() => 'it has stopped')
    }
  }, 100)
  const empty = await chromium.newPage()
  const rows: Row[] = []
  for (const route of ['jobs', `jobs/${id}`, 'deliveries', 'sink', 'requests', 'scenario']) {
    const page = await open(chromium, server, route)
    await page.locator('tbody tr, .empty, .listing').first().waitFor()
    // Opening a page compiles scripts and computes the layout, with or without a stream.
    await page.waitForTimeout(1000)
    const before = await lastEntry(server)
    const [ours, others] = await Promise.all(
      [page, empty].map((each) => each.evaluate(watchFrames, seconds * 1000)),
    )
    const heard = (await lastEntry(server)) - before
    rows.push({
      name: route.replace(/\/.*/, ': one'),
      figures: [figureOf([heard / seconds], '/s'), ...told(ours!), ...told(others!)],
    })
    await page.close()
  }
  clearInterval(asking)
  await empty.close()
  await server.stop()
  await rm(file)
  const watched = ['longest task', 'longest frame', 'frame, p99']
  return {
    title: `Pages of the dashboard while ${JOBS.toLocaleString('en-US')} jobs run, ${seconds} s each`,
    columns: ['events', ...watched, ...watched.map((column) => `${column} of an empty page`)],
    rows,
    notes: [
      'From a second after each was opened. Tasks of 50 ms and more. The empty page is open in the same browser meanwhile.',
    ],
  }
}

interface Watched {
  /** Milliseconds between frames. */
  frames: number[]
  /** The durations of tasks above 50 ms, in milliseconds. */
  tasks: number[]
}

function told({ frames: gaps, tasks }: Watched): Figure[] {
  return [Math.max(0, ...tasks), Math.max(...gaps), quantile(gaps, 0.99)].map((ms) =>
    figureOf([ms], 'ms'),
  )
}

/** Runs in the browser. */
async function watchFrames(ms: number): Promise<Watched> {
  const tasks: number[] = []
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration)
  })
  observer.observe({ type: 'longtask' })
  const gaps: number[] = []
  const start = performance.now()
  let last = start
  while (last - start < ms) {
    const now = await new Promise<number>((resolve) => void requestAnimationFrame(resolve))
    gaps.push(now - last)
    last = now
  }
  observer.disconnect()
  return { frames: gaps.slice(1), tasks }
}

async function longJob(chromium: Browser, { rounds }: Settings): Promise<Table> {
  const emulator = createEmulator({ clock: 'manual', scenario: { name: 'bench', jobs: [LONG] } })
  const { port } = await emulator.listen()
  const server = { url: `http://127.0.0.1:${port}/v1` }
  const id = await startJob(server, 'long')
  emulator.clock.advance('1h')
  const page = await open(chromium, server, 'jobs')
  const took: number[] = []
  for (let round = 0; round < rounds; round++) {
    await page.goto(`${new URL('/_emulator/', server.url).href}#/jobs`)
    await page.getByRole('link', { name: 'long' }).first().waitFor()
    took.push(await page.evaluate(openAndDraw, `#/jobs/${id}`))
  }
  const { step } = (await ask(server, `jobs/${id}`)) as { step: number }
  await page.close()
  await emulator.close()
  return {
    title: 'A long job on the dashboard',
    columns: ['drawn'],
    rows: [{ name: `${step.toLocaleString('en-US')} steps`, figures: [figureOf(took, 'ms')] }],
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

async function startJob({ url }: { url: string }, name: string): Promise<string> {
  const post = async (path: string, body: object): Promise<{ id: string }> => {
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await (await fetch(url + path, init)).json()) as { id: string }
  }
  const model = { project: 'bench', name, base_model: 'b', return_existing: true }
  const { id: model_id } = await post('/preview/models', model)
  const trajectory_groups = [{ trajectories: [{ reward: 1 }] }]
  return (await post('/preview/training-jobs', { model_id, trajectory_groups })).id
}

async function open(chromium: Browser, { url }: { url: string }, route: string): Promise<Page> {
  const page = await chromium.newPage({ viewport: { width: 1280, height: 800 } })
  await page.goto(`${new URL('/_emulator/', url).href}#/${route}`)
  return page
}

async function ask({ url }: { url: string }, path: string): Promise<unknown> {
  return (await fetch(new URL(`/_emulator/${path}`, url))).json()
}

/** The id of the latest request. Every journal entry increases it. */
async function lastEntry(server: { url: string }): Promise<number> {
  return ((await ask(server, 'requests?limit=1')) as { next: number }).next
}
