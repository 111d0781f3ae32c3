/** What a page of a job's events costs at the beginning, in the middle and at the end of a million. */
import { createEmulator } from '../../src/index.js'
import { median } from './statistics.js'

const STEPS = Number(process.env.STEPS ?? 1_000_000)

const emulator = createEmulator({
  clock: 'manual',
  scenario: {
    name: 'long',
    jobs: [
      {
        timeline: [
          { event: 'training_started' },
          { event: 'gradient_step', every: '1s', count: STEPS },
          { event: 'training_ended' },
        ],
      },
    ],
  },
})
const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }

interface Answer {
  id: string
  last_id: string
}

async function call(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
  const init = body && { body: JSON.stringify(body) }
  const response = await emulator.fetch(emulator.trainingUrl + path, { method, headers, ...init })
  return (await response.json()) as Answer
}

const model = { project: 'bench', name: 'bench', base_model: 'example/base-8b-instruct' }
const { id: model_id } = await call('POST', '/preview/models', model)
globalThis.gc?.()
const before = process.memoryUsage().heapUsed
const { id } = await call('POST', '/preview/training-jobs', { model_id, trajectory_groups: [] })
const start = performance.now()
emulator.clock.advance((STEPS + 2) * 1000)
const played = performance.now() - start
globalThis.gc?.()
const grown = process.memoryUsage().heapUsed - before
console.log(`${STEPS} steps played in ${played.toFixed(0)} ms; heap grew by ${grown} bytes`)

// A cursor for every place, as a client would have it: from the pages before.
const path = `/preview/training-jobs/${id}/events`
const cursors: string[] = []
let after = ''
for (let page = 0; page < STEPS / 100; page++) {
  const { last_id } = await call('GET', `${path}?limit=100&after=${after}`)
  cursors.push((after = last_id))
}
const places = [0, cursors.length >> 2, cursors.length >> 1, cursors.length - 2]
const took = new Map<number, number[]>(places.map((place) => [place, []]))
for (let round = 0; round < 400; round++) {
  for (const place of places) {
    const begin = performance.now()
    await call('GET', `${path}?after=${cursors[place]}`)
    took.get(place)!.push(performance.now() - begin)
  }
}
for (const [place, times] of took) {
  console.log(`page after event ${(place + 1) * 100}: ${(median(times) * 1000).toFixed(0)} µs`)
}
