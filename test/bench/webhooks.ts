/**
 * Measures signed deliveries per second to a local endpoint, compared with a bare loop with the same
 * HTTP client and HMAC, and the time of an API call while 10,000 deliveries are queued, compared with
 * an idle emulator.
 */
import { Agent } from 'undici'
import { createEmulator, type Emulator } from '../../src/index.js'
import { hmacKey, signWith } from '../../src/webhooks/signature/signature.js'
import { WrongAnswerError } from './calls.js'
import { startServer } from './server-process.js'
import type { Settings } from './settings.js'
import { figureOf, type Table } from './table.js'
import { jsonHeaders } from '../support/api-client.js'

const DELIVERIES = 2_000
const QUEUED = 10_000
const SECRET = 'shared'
const happened = ['RUN_STATE', { state: 'finished', run: 'bench' }] as const

async function trigger(emulator: Emulator, count: number): Promise<void> {
  for (let made = 0; made < count; made++) await emulator.trigger(...happened)
}

/** Deliveries per second. */
async function deliver(emulator: Emulator): Promise<number> {
  emulator.reset()
  const start = performance.now()
  void trigger(emulator, DELIVERIES)
  do await emulator.webhooks.idle()
  while (emulator.webhooks.deliveries.length < DELIVERIES)
  return DELIVERIES / ((performance.now() - start) / 1000)
}

/** Only signs the same bytes and sends them one after the other. */
async function bareLoop(url: string, body: Uint8Array): Promise<number> {
  const agent = new Agent({ connections: 16 })
  const key = await hmacKey(SECRET)
  const { origin, pathname: path } = new URL(url)
  const start = performance.now()
  for (let sent = 0; sent < DELIVERIES; sent++) {
    const headers = {
      'Content-Type': 'application/json',
      'X-Service-Signature': await signWith(key, body, {}),
    }
    const { body: answered } = await agent.request({ origin, path, method: 'POST', headers, body })
    await answered.text()
  }
  const rate = DELIVERIES / ((performance.now() - start) / 1000)
  await agent.destroy()
  return rate
}

/** The URL of an existing job. */
async function prepareJob(emulator: Emulator): Promise<string> {
  const headers = jsonHeaders('key')
  const post = async (path: string, sent: object): Promise<string> => {
    const init = { method: 'POST', headers, body: JSON.stringify(sent) }
    const response = await fetch(emulator.trainingUrl + path, init)
    return ((await response.json()) as { id: string }).id
  }
  const model = { project: 'bench', name: 'bench', base_model: 'example/base-8b-instruct' }
  const model_id = await post('/preview/models', model)
  const id = await post('/preview/training-jobs', { model_id, trajectory_groups: [] })
  return `${emulator.trainingUrl}/preview/training-jobs/${id}`
}

export async function webhooks({ rounds }: Settings): Promise<Table[]> {
  const receiver = await startServer(['test/bench/bare-server.mjs'])
  const webhook = { url: receiver.url, secret: SECRET }
  const emulator = createEmulator({ clock: 'manual', webhooks: [webhook] })
  await emulator.listen()
  const { body } = (await emulator.trigger(...happened))[0]!
  const caller = await startServer(['test/bench/latency-server.mjs'])
  /** The median time of a GET in milliseconds, measured by another process. */
  const latency = async (url: string): Promise<number> => {
    const asked = `${caller.url}/?url=${encodeURIComponent(url)}`
    return Number(await (await fetch(asked)).text())
  }
  const told = { bare: [], ours: [], idle: [], busy: [] } as Record<string, number[]> &
    Record<'bare' | 'ours' | 'idle' | 'busy', number[]>
  // The first call is a warm-up.
  await latency(`${emulator.trainingUrl}/preview/base-models`)
  await deliver(emulator)
  for (let round = 0; round < rounds; round++) {
    told.bare.push(await bareLoop(receiver.url, body))
    told.ours.push(await deliver(emulator))
    const failed = emulator.webhooks.deliveries.find(({ status }) => status !== 'delivered')
    if (failed) throw new WrongAnswerError(`A delivery is ${failed.status}`)
    emulator.reset()
    const url = await prepareJob(emulator)
    told.idle.push(await latency(url))
    await trigger(emulator, QUEUED)
    told.busy.push(await latency(url))
    if (emulator.webhooks.inFlight === 0) throw new Error('The queue was empty too soon')
  }
  await emulator.close()
  await caller.stop()
  await receiver.stop()
  const beside = (
    column: string,
    unit: string,
    [limit, ours]: [[string, number[]], [string, number[]]],
  ): Omit<Table, 'title' | 'notes'> => ({
    columns: [column],
    rows: [
      { name: limit[0], figures: [figureOf(limit[1], unit)] },
      { name: ours[0], figures: [figureOf(ours[1], unit, limit[1])] },
    ],
  })
  return [
    {
      title: 'Webhooks',
      ...beside('signed deliveries', '/s', [
        ['a bare loop', told.bare],
        ['svtrain-emulator', told.ours],
      ]),
      notes: ['More is better.'],
    },
    {
      title: 'Calls while webhooks are sent',
      ...beside('GET of a job', 'ms', [
        ['idle', told.idle],
        [`with ${QUEUED.toLocaleString('en-US')} deliveries queued`, told.busy],
      ]),
      notes: ['Less is better.'],
    },
  ]
}
