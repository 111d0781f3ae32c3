/**
 * The dashboard in Chromium: its longest frame and its memory while 1,000 events a second arrive, how
 * long the page of a long job takes, and what a reader of the stream costs the calls of the API.
 */
import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { buildAsServed } from '../browser/open-dashboard.js'
import { launchChromium } from '../support/chromium.js'
import { load, rawRequest } from './load.js'
import { emulatorArgs, startServer, type ServerProcess } from './server-process.js'
import { median, spread } from './statistics.js'

const SECONDS = Number(process.env.SECONDS ?? 20)
const ROUNDS = Number(process.env.ROUNDS ?? 15)
const JOBS = 1000
const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }

await buildAsServed()
const browser = await launchChromium()
await frames(browser)
await longJob(browser)
await browser.close()
await costOfTheStream()

async function frames(chromium: Browser): Promise<void> {
  const server = await startServer([...emulatorArgs, '--scenario', 'long-run'])
  for (let job = 0; job < JOBS; job++) await startJob(server, `model-${job}`)
  for (const route of ['jobs', 'requests', `jobs/${await startJob(server, 'watched')}`]) {
    const page = await open(chromium, server, route)
    await page.getByText('0').first().waitFor()
    const [heapBefore, keptBefore] = [await heapOf(page), await memoryOf(server)]
    const { frames: gaps, heard } = await page.evaluate(watchFrames, SECONDS * 1000)
    const [heap, kept] = [await heapOf(page), await memoryOf(server)]
    gaps.sort((a, b) => a - b)
    console.log(
      `${route.slice(0, 8)}: ${Math.round(heard / SECONDS)} events a second for ${SECONDS} s: longest frame ` +
        `${gaps.at(-1)!.toFixed(0)} ms, 99th percentile ${gaps[Math.floor(gaps.length * 0.99)]!.toFixed(0)} ms, ` +
        `${(gaps.length / SECONDS).toFixed(0)} frames a second; page ${mega(heapBefore)} → ${mega(heap)}, ` +
        `server ${mega(keptBefore)} → ${mega(kept)}`,
    )
    await page.close()
  }
  await server.stop()
}

/** Runs in the browser: how long it is from frame to frame, and how many entries were told meanwhile. */
async function watchFrames(ms: number): Promise<{ frames: number[]; heard: number }> {
  let heard = 0
  const source = new EventSource('stream')
  source.addEventListener('entries', ({ data }: MessageEvent<string>) => {
    const { entries, skipped } = JSON.parse(data) as { entries: unknown[]; skipped: number }
    heard += entries.length + skipped
  })
  const gaps: number[] = []
  const start = performance.now()
  let last = start
  while (last - start < ms) {
    const now = await new Promise<number>((resolve) => void requestAnimationFrame(resolve))
    gaps.push(now - last)
    last = now
  }
  source.close()
  return { frames: gaps.slice(1), heard }
}

async function longJob(chromium: Browser): Promise<void> {
  const server = await startServer([...emulatorArgs, '--scenario', 'long-run', '--clock', 'manual'])
  const id = await startJob(server, 'sim-long', 100_000)
  const advance = { method: 'POST', headers, body: JSON.stringify({ by: '100h' }) }
  await fetch(new URL('/_emulator/clock/advance', server.url), advance)
  const took: number[] = []
  for (let round = 0; round < 5; round++) {
    const start = performance.now()
    const page = await open(chromium, server, `jobs/${id}`)
    await page.getByRole('img', { name: 'loss over' }).waitFor()
    took.push(performance.now() - start)
    await page.close()
  }
  const job = await fetch(new URL(`/_emulator/jobs/${id}`, server.url))
  const { step } = (await job.json()) as { step: number }
  console.log(`A job of ${step} steps: drawn ${median(took).toFixed(0)} ms after a new tab opens`)
  await server.stop()
}

async function costOfTheStream(): Promise<void> {
  const server = await startServer([...emulatorArgs, '--scenario', 'stuck-job'])
  const id = await startJob(server, 'bench')
  const request = rawRequest('GET', new URL(`${server.url}/preview/training-jobs/${id}`))
  const measure = (): Promise<number> => {
    return load(new URL(server.url), request, { connections: 32, ms: 1000 })
  }
  const ratios: number[] = []
  await measure()
  for (let round = 0; round < ROUNDS; round++) {
    const alone = await measure()
    const leave = new AbortController()
    const { body } = await fetch(new URL('/_emulator/stream', server.url), { signal: leave.signal })
    const read = body!.pipeTo(new WritableStream()).catch(() => 'left')
    const watched = await measure()
    leave.abort()
    await read
    ratios.push(watched / alone)
  }
  const told = `${median(ratios).toFixed(3)} ± ${spread(ratios).toFixed(3)}`
  console.log(`GET of a job while the stream is read: ${told} of the rate without`)
  await server.stop()
}

async function startJob({ url }: ServerProcess, name: string, steps = 6): Promise<string> {
  const post = async (path: string, body: object): Promise<{ id: string }> => {
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await (await fetch(url + path, init)).json()) as { id: string }
  }
  const model = { project: 'bench', name, base_model: 'b', return_existing: true }
  const { id: model_id } = await post('/preview/models', model)
  const trajectory_groups = [{ trajectories: Array.from({ length: steps }, () => ({ reward: 1 })) }]
  return (await post('/preview/training-jobs', { model_id, trajectory_groups })).id
}

async function open(chromium: Browser, { url }: ServerProcess, route: string): Promise<Page> {
  const page = await chromium.newPage({ viewport: { width: 1280, height: 800 } })
  await page.goto(`${new URL('/_emulator/', url).href}#/${route}`)
  return page
}

async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  return (await session.send('Runtime.getHeapUsage')).usedSize
}

/** Bytes that the server's process holds. */
async function memoryOf({ pid }: ServerProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) * 1024
}

function mega(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}
