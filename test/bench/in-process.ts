/**
 * What a request costs in process: GET of a job through a bare asynchronous function, through the
 * emulator's handler and its fetch, and through MSW, beside a static MSW handler that gives the same
 * bytes. Interleaved; medians. And what the first request of a new emulator costs.
 */
import { handlers } from '../../src/adapters/msw.js'
import { handlersFrom } from '../../src/adapters/msw-handlers.js'
import { createEmulator } from '../../src/index.js'
import { costOf, type Row } from './cost.js'
import { median, spread } from './statistics.js'

const ROUNDS = Number(process.env.ROUNDS ?? 30)
const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }

// Node loads its own fetch when it is first asked for.
await new Response(await new Request('http://x.test').text()).text()
const first: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  const start = performance.now()
  const fresh = createEmulator()
  await fresh.fetch(`${fresh.trainingUrl}/preview/base-models`)
  first.push(performance.now() - start)
}
const cold = first[0]!.toFixed(2)
console.log(
  `createEmulator() and a first request: ${median(first).toFixed(2)} ms; the very first ${cold} ms`,
)

const emulator = createEmulator({ clock: 'manual', scenario: 'stuck-job' })

async function call(path: string, body?: object): Promise<string> {
  const init = body && { method: 'POST', body: JSON.stringify(body) }
  return (await emulator.fetch(emulator.trainingUrl + path, { headers, ...init })).text()
}

const model = { project: 'bench', name: 'bench', base_model: 'example/base-8b-instruct' }
const { id: model_id } = JSON.parse(await call('/preview/models', model)) as { id: string }
const job = { model_id, trajectory_groups: [] }
const { id } = JSON.parse(await call('/preview/training-jobs', job)) as { id: string }
const path = `/preview/training-jobs/${id}`
const url = emulator.trainingUrl + path
const bytes = await call(path)
const staticUrl = `http://static.example/v1${path}`

const request = {
  method: 'GET',
  base: 'http://training.svtrain.test',
  path: `/v1${path}`,
  query: '',
  headers,
  body: new Uint8Array(0),
}

async function read(response: Response | Promise<Response>): Promise<void> {
  const text = await (await response).text()
  if (text !== bytes) throw new Error(`Answered with ${text}`)
}

const bare: Row = { name: 'a bare asynchronous function', run: () => Promise.resolve() }
const direct: Row[] = [
  bare,
  { name: 'emulator.handle', run: async () => void (await emulator.handle('training', request)) },
  { name: 'emulator.fetch', run: () => read(emulator.fetch(url, { headers })) },
]
report(await costOf(direct, { rounds: ROUNDS, times: 2000 }), bare.name)

interface Server<Handler> {
  listen: () => void
  close: () => void
  resetHandlers: (...handlers: Handler[]) => void
}

/** Each row has the server for itself, for handlers are asked in turn. */
async function throughMsw<Handler>(
  name: string,
  server: Server<Handler>,
  { still, ours }: { still: Handler; ours: Handler[] },
): Promise<void> {
  const plain = `a static handler of ${name}`
  const rows: Row[] = [
    {
      name: plain,
      prepare: () => server.resetHandlers(still),
      run: () => read(fetch(staticUrl, { headers })),
    },
    {
      name: `the emulator through ${name}`,
      prepare: () => server.resetHandlers(...ours),
      run: () => read(fetch(url, { headers })),
    },
  ]
  server.listen()
  report(await costOf(rows, { rounds: ROUNDS, times: 100 }), plain)
  server.close()
}

const json = { headers: { 'content-type': 'application/json' } }
{
  const { http, HttpResponse } = await import('msw')
  const { setupServer } = await import('msw/node')
  const still = http.get(staticUrl, () => new HttpResponse(bytes, json))
  await throughMsw('MSW 2', setupServer(), { still, ours: handlers(emulator) })
}
if (Number(process.versions.node.split('.')[0]) >= 22) {
  const { http, HttpResponse, passthrough } = await import('msw-3')
  const { setupServer } = await import('msw-3/node')
  const still = http.get(staticUrl, () => new HttpResponse(bytes, json))
  const create = handlersFrom<typeof still>({ http, HttpResponse, passthrough })
  await throughMsw('MSW 3', setupServer(), { still, ours: create(emulator) })
} else console.log('MSW 3 needs Node 22')

function report(costs: ReadonlyMap<string, number[]>, against: string): void {
  const base = costs.get(against)!
  for (const [name, micros] of costs) {
    const ratios = micros.map((each, round) => each / base[round]!)
    const told = `${median(micros).toFixed(1).padStart(7)} µs`
    const beside =
      name === against
        ? ''
        : `  ${median(ratios).toFixed(2)} ± ${spread(ratios).toFixed(2)} of ${against}`
    console.log(`${name.padEnd(32)} ${told}${beside}`)
  }
}
