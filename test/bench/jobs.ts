/**
 * What it costs to run many jobs at once in real time, one event a second each, and how late their
 * events are; and what a job costs that has ten steps or a million, before and after it is listed.
 */
import { createEmulator, type Emulator } from '../../src/index.js'

const JOBS = Number(process.env.JOBS ?? 10_000)
const SECONDS = Number(process.env.SECONDS ?? 20)
const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }

async function call(emulator: Emulator, path: string, body?: object): Promise<Answer> {
  const init = body && { method: 'POST', body: JSON.stringify(body) }
  const response = await emulator.fetch(emulator.trainingUrl + path, { headers, ...init })
  return (await response.json()) as Answer
}

interface Answer {
  id: string
  last_id: string
  has_more: boolean
}

function running(count: number, clock: 'real' | 'manual'): Emulator {
  const timeline = [
    { event: 'training_started' as const },
    { event: 'gradient_step' as const, every: '1s', count },
    { event: 'training_ended' as const },
  ]
  return createEmulator({ clock, scenario: { name: 'bench', jobs: [{ timeline }] } })
}

async function startJob(emulator: Emulator, name: string): Promise<string> {
  const model = { project: 'bench', name, base_model: 'b', return_existing: true }
  const { id: model_id } = await call(emulator, '/preview/models', model)
  return (await call(emulator, '/preview/training-jobs', { model_id, trajectory_groups: [] })).id
}

async function many(): Promise<void> {
  const emulator = running(100_000, 'real')
  for (let job = 0; job < JOBS; job++) await startJob(emulator, `model-${job}`)
  await new Promise((resolve) => void setTimeout(resolve, 2000))
  const late: number[] = []
  const stop = emulator.journal.subscribe(({ kind, at }) => {
    if (kind === 'job') late.push(performance.timeOrigin + performance.now() - at)
  })
  const before = process.cpuUsage()
  const start = performance.now()
  await new Promise((resolve) => void setTimeout(resolve, SECONDS * 1000))
  stop()
  const { user, system } = process.cpuUsage(before)
  const share = (user + system) / 1000 / (performance.now() - start)
  late.sort((a, b) => a - b)
  const at = (quantile: number): string => late[Math.floor(late.length * quantile)]!.toFixed(1)
  console.log(
    `${JOBS} jobs at one event a second: ${(late.length / SECONDS).toFixed(0)} events a second, ` +
      `${share.toFixed(2)} of a core; late by ${at(0.5)} ms (median), ${at(0.99)} ms (99th percentile)`,
  )
  await emulator.close()
}

function heap(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

const CREATED = 2000

async function memory(steps: number): Promise<void> {
  const emulator = running(steps, 'manual')
  const id = await startJob(emulator, 'bench')
  // What is made once, and the journal, which is capped, are there before we measure.
  for (let job = 0; job < 10_000; job++) await startJob(emulator, 'bench')
  const before = heap()
  for (let job = 0; job < CREATED; job++) await startJob(emulator, 'bench')
  const created = (heap() - before) / CREATED
  emulator.clock.advance((steps + 2) * 1000)
  const played = heap()
  let after = ''
  for (let more = true; more;) {
    const page = await call(
      emulator,
      `/preview/training-jobs/${id}/events?limit=100&after=${after}`,
    )
    after = page.last_id
    more = page.has_more
  }
  const listed = Math.max(0, heap() - played) / steps
  console.log(
    `a job of ${steps} steps: ${created.toFixed(0)} bytes when created, ` +
      `${listed.toFixed(1)} bytes an event once listed through`,
  )
  await emulator.close()
}

await memory(10)
await memory(1_000_000)
await many()
