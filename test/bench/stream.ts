/**
 * What a reader of the live stream costs the calls of the API: the server's processor time a call, at
 * full load, with the reader and without, in turns.
 */
import { readdir, readFile } from 'node:fs/promises'
import { load, rawRequest } from './load.js'
import { emulatorArgs, startServer, type ServerProcess } from './server-process.js'
import { median, spread } from './statistics.js'

const ROUNDS = Number(process.env.ROUNDS ?? 15)
const MS = Number(process.env.MS ?? 1000)
const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }

const server = await startServer([...emulatorArgs, '--scenario', 'stuck-job'])
const model = { project: 'bench', name: 'bench', base_model: 'b' }
const model_id = await post('/preview/models', model)
const batch = { model_id, trajectory_groups: [{ trajectories: [{ reward: 1 }] }] }
const job = await post('/preview/training-jobs', batch)

await compare('GET', `/preview/training-jobs/${job}`)
await compare('POST', '/preview/training-jobs', JSON.stringify(batch))
await server.stop()

async function compare(method: string, path: string, body?: string): Promise<void> {
  const url = new URL(server.url + path)
  const request = rawRequest(method, url, body)
  const costs: number[] = []
  const rates: number[] = []
  await measure(url, request)
  for (let round = 0; round < ROUNDS; round++) {
    const alone = await measure(url, request)
    const leave = await openStream()
    const watched = await measure(url, request)
    await leave()
    costs.push(watched.cost / alone.cost)
    rates.push(watched.rate / alone.rate)
  }
  const told = (ratios: number[]): string =>
    `${median(ratios).toFixed(3)} ± ${spread(ratios).toFixed(3)}`
  console.log(
    `${method} while the stream is read: ${told(costs)} of the processor time a call, ` +
      `${told(rates)} of the rate`,
  )
}

interface Measured {
  /** Microseconds of the server's processor time a call. */
  cost: number
  /** Calls a second. */
  rate: number
}

async function measure(url: URL, request: string): Promise<Measured> {
  const [start, before] = [performance.now(), await processorTime(server)]
  const rate = await load(url, request, { connections: 32, ms: MS })
  const spent = (await processorTime(server)) - before
  return { cost: spent / (rate * ((performance.now() - start) / 1000)), rate }
}

/** Microseconds that all threads of a process were on a processor. */
async function processorTime({ pid }: ServerProcess): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`)
  const times = threads.map(async (thread) => {
    const told = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0')
    return Number(told.split(' ', 1)[0]) / 1000
  })
  return (await Promise.all(times)).reduce((sum, time) => sum + time, 0)
}

/** Returns what closes it. */
async function openStream(): Promise<() => Promise<void>> {
  const leave = new AbortController()
  const { body } = await fetch(new URL('/_emulator/stream', server.url), { signal: leave.signal })
  const read = body!.pipeTo(new WritableStream()).catch(() => 'left')
  return async () => {
    leave.abort()
    await read
  }
}

async function post(path: string, body: object): Promise<string> {
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  return ((await (await fetch(server.url + path, init)).json()) as { id: string }).id
}
