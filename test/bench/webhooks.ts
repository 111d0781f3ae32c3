/**
 * Deliveries per second, signed, to a local endpoint, beside a bare loop with the same HTTP client
 * and HMAC; and how long an API call takes while 10,000 deliveries are queued, beside an idle
 * emulator. Interleaved; medians.
 */
import { Agent } from 'undici'
import { createEmulator } from '../../src/index.js'
import { hmacKey, signWith } from '../../src/webhooks/signature.js'
import { startServer } from './server-process.js'
import { median, spread } from './statistics.js'

const ROUNDS = Number(process.env.ROUNDS ?? 9)
const DELIVERIES = 2_000
const QUEUED = 10_000
const SECRET = 'shared'

const answer = { status: 200, headers: { 'content-length': 2 }, body: 'ok' }
const receiver = await startServer(['test/bench/bare-server.mjs', JSON.stringify(answer)])

const emulator = createEmulator({
  clock: 'manual',
  webhooks: [{ url: receiver.url, secret: SECRET }],
})
await emulator.listen()

async function trigger(count: number): Promise<void> {
  for (let made = 0; made < count; made++) {
    await emulator.trigger('RUN_STATE', { state: 'finished', run: 'bench' })
  }
}

/** Deliveries per second. */
async function deliver(): Promise<number> {
  emulator.reset()
  const start = performance.now()
  void trigger(DELIVERIES)
  do await emulator.webhooks.idle()
  while (emulator.webhooks.deliveries.length < DELIVERIES)
  return DELIVERIES / ((performance.now() - start) / 1000)
}

const { body } = (await emulator.trigger('RUN_STATE', { state: 'finished', run: 'bench' }))[0]!
const agent = new Agent({ connections: 16 })
const key = await hmacKey(SECRET)

/** The same bytes, signed and sent one after the other, and nothing else. */
async function bareLoop(): Promise<number> {
  const { origin, pathname: path } = new URL(receiver.url)
  const start = performance.now()
  for (let sent = 0; sent < DELIVERIES; sent++) {
    const headers = {
      'Content-Type': 'application/json',
      'X-Service-Signature': await signWith(key, body, {}),
    }
    const { body: answered } = await agent.request({ origin, path, method: 'POST', headers, body })
    await answered.text()
  }
  return DELIVERIES / ((performance.now() - start) / 1000)
}

const model = { project: 'bench', name: 'bench', base_model: 'example/base-8b-instruct' }
const headers = { authorization: 'Bearer key', 'content-type': 'application/json' }

async function prepareJob(): Promise<string> {
  const post = async (path: string, sent: object) => {
    const response = await fetch(emulator.trainingUrl + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(sent),
    })
    return (await response.json()) as { id: string }
  }
  const { id } = await post('/preview/models', model)
  return (await post('/preview/training-jobs', { model_id: id, trajectory_groups: [] })).id
}

const caller = await startServer(['test/bench/latency-server.mjs'])

/** The median milliseconds of a GET, as a process of its own sees it, while `going` says so. */
async function latency(url: string): Promise<number> {
  const asked = `${caller.url}/?url=${encodeURIComponent(url)}`
  return Number(await (await fetch(asked)).text())
}

const rates: number[] = []
const ratios: number[] = []
const slower: number[] = []
// So that no round measures a process that has not warmed up.
await latency(`${emulator.trainingUrl}/preview/base-models`)
await deliver()
for (let round = 0; round < ROUNDS; round++) {
  const bare = await bareLoop()
  const ours = await deliver()
  rates.push(ours)
  ratios.push(ours / bare)
  emulator.reset()
  const url = `${emulator.trainingUrl}/preview/training-jobs/${await prepareJob()}`
  const idle = await latency(url)
  await trigger(QUEUED)
  const busy = await latency(url)
  if (emulator.webhooks.inFlight === 0) throw new Error('The queue was empty too soon')
  slower.push(busy / idle)
}
console.log(
  `deliveries       ${median(ratios).toFixed(2)} ± ${spread(ratios).toFixed(2)} of a bare loop  (${Math.round(median(rates))} per second)`,
)
console.log(
  `GET of a job     ${median(slower).toFixed(2)} ± ${spread(slower).toFixed(2)} of its time when idle, with ${QUEUED} deliveries queued`,
)
await agent.destroy()
await emulator.close()
await caller.stop()
await receiver.stop()
