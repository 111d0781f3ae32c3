/**
 * Measures a tab that stays open while more than 1,000 events per second arrive: the frames of each
 * page beside those of an empty page, and the memory of the tab and of the emulator.
 */
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import getPort from 'get-port'
import type { Browser, Page } from 'playwright-core'
import { createClient } from '../../src/client.js'
import type { ScenarioInput } from '../../src/index.js'
import { bearer } from '../support/api-client.js'
import { heapOf, openDashboard } from './dashboard-page.js'
import { emulatorAt, heapAt, residentBytesOf, startServer } from './server-process.js'
import type { Settings } from './settings.js'
import { quantile } from './statistics.js'
import { figureOf, tableOf, type Column, type Row, type Table } from './table.js'

/** The number of jobs with one step per second. `HOOKED` of them call a webhook at each step. */
const JOBS = 1000
const HOOKED = 70
/** Requests every 100 ms. */
const REQUESTS = 25
/** Before which pages memory is measured, as parts of all pages. At the first, the stores are not full yet. */
const MARKS = [0, 0.1, 0.5]

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
  const inspector = await getPort()
  const flags = ['--sink', '--sink-port=0', `--scenario=${file}`]
  const server = await startServer({
    args: (port) => [`--inspect=127.0.0.1:${inspector}`, ...emulatorAt(port, flags)],
    first: '/v1/health',
  })
  const client = createClient({ url: server.url })
  for (let job = 0; job < JOBS; job++) {
    await client.jobs.create({ model: job < HOOKED ? `hooked-${job}` : `model-${job}` })
  }
  const { id } = await client.jobs.create({ model: 'watched' })
  const asking = setInterval(() => {
    for (let call = 0; call < REQUESTS; call++) {
      const url = `${server.url}/v1/preview/training-jobs/${id}?call=${call}`
      void fetch(url, { headers: bearer() })
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
  ].concat(['deliveries', 'sink', 'schedule', 'faults', 'webhooks', 'scenario'])
  const empty = await chromium.newPage()
  const page = await openDashboard(chromium, server, 'requests')
  await page.locator('tbody tr').first().waitFor()
  const began = await clockAt(server.url)
  const memory: Row[] = []
  const remember = async (): Promise<void> => {
    const minute = ((performance.now() - began.ms) / 60_000).toFixed(1)
    await visit(page, 'requests')
    const bytes = [await heapOf(page), await heapAt(inspector), residentBytesOf(server)]
    memory.push({
      name: `${minute} min`,
      figures: bytes.map((each) => figureOf([each / 1e6], 'MB')),
    })
  }
  const visits: Visit[] = []
  for (const [at, route] of routes.entries()) {
    if (MARKS.some((mark) => Math.round(mark * routes.length) === at)) await remember()
    await visit(page, route)
    const before = await clockAt(server.url)
    const ms = (minutes * 60_000) / routes.length
    const [ours, others] = await Promise.all([watchedFor(ms, page), watchedFor(ms, empty)])
    const rate = rateBetween(before, await clockAt(server.url))
    visits.push({ name: route.replace(/\/.*/, ': one'), rate, ours, others })
  }
  await remember()
  const rate = rateBetween(began, await clockAt(server.url))
  clearInterval(asking)
  await page.close()
  await empty.close()
  await server.stop()
  await rm(file)
  const whole = `${JOBS} jobs run, ${Math.round(rate).toLocaleString('en-US')} events a second`
  return [
    tableOf(
      `Pages of the dashboard while ${whole}`,
      visits,
      [
        { name: 'events', unit: '/s', valuesOf: (one) => [one.rate] },
        ...framesOf('', ({ ours }) => ours),
        ...framesOf(' of an empty page', ({ others }) => others),
      ],
      {
        notes: [
          `One tab is open for ${minutes} minutes and visits the pages in turn. A page is watched from a second after it was opened. Tasks of 50 ms and more. The empty page is open in the same browser.`,
        ],
        besideOf: () => undefined,
      },
    ),
    {
      title: `Memory while ${whole}`,
      columns: ['heap of the tab', 'heap of the emulator', 'resident, emulator'],
      rows: memory,
      notes: ['Heaps after a collection of garbage, on the page of requests.'],
    },
  ]
}

/** What was seen of a page, and at the same time of an empty one. */
interface Visit {
  name: string
  /** Events per second. */
  rate: number
  ours: Watched
  others: Watched
}

interface Watched {
  /** Milliseconds between frames. */
  frames: number[]
  /** The durations of tasks above 50 ms, in milliseconds. */
  tasks: number[]
}

function framesOf(whose: string, pick: (visit: Visit) => Watched): Column<Visit>[] {
  const column = (name: string, valueOf: (watched: Watched) => number): Column<Visit> => ({
    name: `${name}${whose}`,
    unit: 'ms',
    valuesOf: (one) => [valueOf(pick(one))],
  })
  return [
    column('longest task', ({ tasks }) => Math.max(0, ...tasks)),
    column('longest frame', ({ frames }) => Math.max(...frames)),
    column('frame, p99', ({ frames }) => quantile(frames, 0.99)),
  ]
}

async function visit(page: Page, route: string): Promise<void> {
  await page.evaluate((hash) => void (location.hash = hash), `#/${route}`)
  await page.locator('main h1, main tbody tr, main .empty').first().waitFor()
  // Opening a page compiles scripts and computes the layout, with or without a stream.
  await page.waitForTimeout(1000)
}

function watchedFor(ms: number, page: Page): Promise<Watched> {
  return page.evaluate(watchFrames, ms)
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

/** The time, and the id of the latest journal entry. Each event increases it. */
interface Moment {
  ms: number
  entry: number
}

async function clockAt(url: string): Promise<Moment> {
  const response = await fetch(new URL('/_emulator/requests?limit=1', url))
  const { next } = (await response.json()) as { next: number }
  return { ms: performance.now(), entry: next }
}

/** Events per second. */
function rateBetween(before: Moment, after: Moment): number {
  return (after.entry - before.entry) / ((after.ms - before.ms) / 1000)
}
