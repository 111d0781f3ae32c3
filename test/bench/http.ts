/**
 * Requests per second over a real port, beside a bare node:http server that sends the same bytes:
 * GET of a job, validated POST of a training job, and pages of events. Interleaved; medians.
 */
import { load, rawRequest } from './load.js'
import { emulatorArgs, startServer, type ServerProcess } from './server-process.js'
import { median, spread } from './statistics.js'

const ROUNDS = Number(process.env.ROUNDS ?? 9)
const OPTIONS = { connections: 32, ms: 1000 }

const groups = Array.from({ length: 2 }, () => ({
  trajectories: Array.from({ length: 4 }, (_, index) => ({
    messages_and_choices: [
      { role: 'system', content: 'You are a careful assistant.' },
      { role: 'user', content: 'What is the capital of France?' },
      { role: 'assistant', content: 'Paris.' },
    ],
    reward: index / 4,
  })),
}))

const emulator = await startServer([...emulatorArgs, '--scenario', 'stuck-job'])
const headers = { authorization: 'Bearer svtrain-local-key', 'content-type': 'application/json' }

async function post(path: string, body: object): Promise<{ id: string }> {
  const response = await fetch(emulator.url + path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  return (await response.json()) as { id: string }
}

const model = { project: 'bench', name: 'bench', base_model: 'example/base-8b-instruct' }
const { id: model_id } = await post('/preview/models', model)
const job = JSON.stringify({ model_id, trajectory_groups: groups })
const { id: jobId } = await post('/preview/training-jobs', JSON.parse(job) as object)

const rows = [
  { name: 'GET a job', method: 'GET', path: `/preview/training-jobs/${jobId}`, body: '' },
  { name: 'POST an RL job', method: 'POST', path: '/preview/training-jobs', body: job },
  { name: 'GET events', method: 'GET', path: `/preview/training-jobs/${jobId}/events`, body: '' },
]

console.log(
  `Node ${process.version}, ${ROUNDS} rounds of ${OPTIONS.ms} ms, ${OPTIONS.connections} connections`,
)
for (const { name, method, path, body } of rows) {
  const bare = await bareTwin(method, path, body)
  const ratios: number[] = []
  const rates: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const limit = await load(new URL(bare.url), requestTo(bare), OPTIONS)
    const ours = await load(new URL(emulator.url), requestTo(emulator), OPTIONS)
    ratios.push(ours / limit)
    rates.push(ours)
  }
  await bare.stop()
  const told = `${median(ratios).toFixed(2)} ± ${spread(ratios).toFixed(2)} of bare node:http`
  console.log(`${name.padEnd(16)} ${told}  (${Math.round(median(rates))} per second)`)

  function requestTo(server: ServerProcess): string {
    return rawRequest(method, new URL(server.url + path), body)
  }
}
await emulator.stop()

/** A bare server that sends what the emulator answers to this request. */
async function bareTwin(method: string, path: string, body: string): Promise<ServerProcess> {
  const response = await fetch(emulator.url + path, { method, headers, ...(body && { body }) })
  const text = await response.text()
  const sent = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  const answer = { status: response.status, headers: sent, body: text }
  return startServer(['test/bench/bare-server.mjs', JSON.stringify(answer)])
}
