/**
 * The dashboard in Chromium: its longest frame and its memory while 1,000 events a second arrive, and
 * how long the page of a long job takes.
 */
import type { Browser, Page } from 'playwright-core'
import { buildAsServed } from '../browser/open-dashboard.js'
import { createEmulator } from '../../src/index.js'
import { launchChromium, noChromium } from '../support/chromium.js'
import { emulatorArgs, residentBytesOf, startServer } from './server-process.js'
import type { Settings } from './settings.js'
import { quantile } from './statistics.js'
import { figureOf, type Row, type Table } from './table.js'

const JOBS = 1000
const LONG = {
  timeline: [
    { event: 'training_started' as const },
    { event: 'gradient_step' as const, every: '10ms', count: 100_000 },
    { event: 'never' as const },
  ],
}
const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }

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
  ]
  await browser.close()
  return tables
}

async function frames(chromium: Browser, seconds: number): Promise<Table> {
  const server = await startServer([...emulatorArgs, '--scenario', 'long-run'])
  for (let job = 0; job < JOBS; job++) await startJob(server, `model-${job}`)
  const rows: Row[] = []
  for (const route of ['jobs', 'requests', `jobs/${await startJob(server, 'watched')}`]) {
    const page = await open(chromium, server, route)
    await page.locator('tbody tr, .empty').first().waitFor()
    const [heapBefore, keptBefore] = [await heapOf(page), residentBytesOf(server)]
    const { frames: gaps, heard, tasks } = await page.evaluate(watchFrames, seconds * 1000)
    const grown = (await heapOf(page)) - heapBefore
    const kept = residentBytesOf(server) - keptBefore
    await page.close()
    rows.push({
      name: route.includes('/') ? 'a job' : route,
      figures: [
        figureOf([heard / seconds], '/s'),
        figureOf([Math.max(0, ...tasks)], 'ms'),
        figureOf([Math.max(...gaps)], 'ms'),
        figureOf([quantile(gaps, 0.99)], 'ms'),
        figureOf([grown / 1e6], 'MB'),
        figureOf([kept / 1e6], 'MB'),
      ],
    })
  }
  await server.stop()
  return {
    title: `The dashboard while ${JOBS.toLocaleString('en-US')} jobs run, ${seconds} s each page`,
    columns: ['events', 'longest task', 'longest frame', 'frame, p99', 'page grew', 'server grew'],
    rows,
    notes: [],
  }
}

interface Watched {
  /** Milliseconds from frame to frame. */
  frames: number[]
  /** Milliseconds of tasks that took more than 50. */
  tasks: number[]
  /** How many entries were told meanwhile. */
  heard: number
}

/** Runs in the browser. */
async function watchFrames(ms: number): Promise<Watched> {
  let heard = 0
  const source = new EventSource('stream')
  source.addEventListener('entries', ({ data }: MessageEvent<string>) => {
    const { entries, skipped } = JSON.parse(data) as { entries: unknown[]; skipped: number }
    heard += entries.length + skipped
  })
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
  source.close()
  observer.disconnect()
  return { frames: gaps.slice(1), tasks, heard }
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
  const { step } = (await (await fetch(new URL(`/_emulator/jobs/${id}`, server.url))).json()) as {
    step: number
  }
  await page.close()
  await emulator.close()
  return {
    title: 'A long job on the dashboard',
    columns: ['drawn'],
    rows: [{ name: `${step.toLocaleString('en-US')} steps`, figures: [figureOf(took, 'ms')] }],
    notes: ['From the click to the frame in which the curve is there.'],
  }
}

/** Runs in the browser: milliseconds from the click to the frame in which the curve is there. */
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

async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  return (await session.send('Runtime.getHeapUsage')).usedSize
}
