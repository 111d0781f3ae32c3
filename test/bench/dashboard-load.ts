/**
 * Measures a tab that stays open while more than 1,000 events per second arrive: the frames of each
 * page beside those of an empty page, and the memory of the tab and of the emulator.
 */
import { rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { ScenarioInput } from '../../src/index.js'
import { askControl, heapOf, openDashboard, startJob } from './dashboard-page.js'
import {
  heapOfServer,
  residentBytesOf,
  startInspectedEmulator,
  type ServerProcess,
} from './server-process.js'
import type { Settings } from './settings.js'
import { quantile } from './statistics.js'
import { figureOf, type Figure, type Row, type Table } from './table.js'
import { jsonHeaders } from '../support/api-client.js'

/** The number of jobs with one step per second. `HOOKED` of them call a webhook at each step. */
const JOBS = 1000
const HOOKED = 70
/** Requests every 100 ms. */
const REQUESTS = 25
/** When memory is measured, as parts of the whole time. At the first, the stores are not full yet. */
const MARKS = [0, 0.1, 0.5, 1]

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

/** Two tables: frames of each page, and memory. The tab visits all pages in turn. */
export async function underLoad(chromium: Browser, { minutes }: Settings): Promise<Table[]> {
  const file = join(tmpdir(), `busy-${process.pid}.json`)
  await writeFile(file, JSON.stringify(BUSY))
  const server = await startInspectedEmulator('--sink', '--sink-port=0', '--scenario', file)
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
  const routes = [
    'jobs',
    `jobs/${id}`,
    'curves',
    'models',
    'lineage',
    'requests',
    'timeline',
    'deliveries',
    'sink',
    'schedule',
    'faults',
    'webhooks',
    'scenario',
  ]
  const empty = await chromium.newPage()
  const page = await openDashboard(chromium, server, 'requests')
  await page.locator('tbody tr').first().waitFor()
  const began = await clockAt(server)
  const memory: Row[] = []
  const remember = async (): Promise<void> => {
    const minute = ((performance.now() - began.ms) / 60_000).toFixed(1)
    await visit(page, 'requests')
    memory.push({ name: `${minute} min`, figures: await memoryOf(page, server) })
  }
  const frames: Row[] = []
  for (const [at, route] of routes.entries()) {
    if (MARKS.some((mark) => Math.round(mark * routes.length) === at)) await remember()
    frames.push(
      await framesOf(route, { page, empty, server, ms: (minutes * 60_000) / routes.length }),
    )
  }
  await remember()
  const ended = await clockAt(server)
  clearInterval(asking)
  await page.close()
  await empty.close()
  await server.stop()
  await rm(file)
  const rate = (ended.entry - began.entry) / ((ended.ms - began.ms) / 1000)
  const whole = `${JOBS} jobs run, ${Math.round(rate).toLocaleString('en-US')} events a second`
  const watched = ['longest task', 'longest frame', 'frame, p99']
  return [
    {
      title: `Pages of the dashboard while ${whole}`,
      columns: [
        'events',
        ...watched,
        ...watched.map((column) => `${column} of an empty page`),
        'load of the machine',
      ],
      rows: frames,
      notes: [
        `One tab is open for ${minutes} minutes and visits the pages in turn. A page is watched from a second after it was opened. Tasks of 50 ms and more. The empty page is open in the same browser.`,
      ],
    },
    {
      title: `Memory while ${whole}`,
      columns: [
        'heap of the tab',
        'heap of the emulator',
        'resident, emulator',
        'load of the machine',
      ],
      rows: memory,
      notes: ['Heaps after a collection of garbage, on the page of requests.'],
    },
  ]
}

const headers = jsonHeaders()

interface Watch {
  page: Page
  empty: Page
  server: ServerProcess
  ms: number
}

async function framesOf(route: string, { page, empty, server, ms }: Watch): Promise<Row> {
  await visit(page, route)
  const before = await clockAt(server)
  const [ours, others] = await Promise.all(
    [page, empty].map((each) => each.evaluate(watchFrames, ms)),
  )
  const after = await clockAt(server)
  const rate = (after.entry - before.entry) / ((after.ms - before.ms) / 1000)
  return {
    name: route.replace(/\/.*/, ': one'),
    figures: [figureOf([rate], '/s'), ...told(ours!), ...told(others!), loadNow()],
  }
}

async function visit(page: Page, route: string): Promise<void> {
  await page.evaluate((hash) => void (location.hash = hash), `#/${route}`)
  await page.locator('main h1, main tbody tr, main .empty').first().waitFor()
  // Opening a page compiles scripts and computes the layout, with or without a stream.
  await page.waitForTimeout(1000)
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

async function memoryOf(page: Page, server: ServerProcess): Promise<Figure[]> {
  const held = [await heapOf(page), await heapOfServer(server), residentBytesOf(server)]
  return [...held.map((bytes) => figureOf([bytes / 1e6], 'MB')), loadNow()]
}

/** The average of the last minute. Above the number of cores, frames of all pages are late. */
function loadNow(): Figure {
  return figureOf([loadavg()[0]!], ' ')
}

/** The time, and the id of the latest request. Every journal entry increases it. */
async function clockAt(server: ServerProcess): Promise<{ ms: number; entry: number }> {
  const { next } = (await askControl(server, 'requests?limit=1')) as { next: number }
  return { ms: performance.now(), entry: next }
}
