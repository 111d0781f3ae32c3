/**
 * Measures the cost of a request in process: the GET of a job through the emulator and through MSW,
 * compared with others that return the same bytes: a bare function, and static handlers of MSW. Also measures the
 * first request of a new emulator.
 */
import { handlers } from '../../src/msw.js'
import { handlersFrom } from '../../src/emulator/adapters/msw-handlers.js'
import { createEmulator } from '../../src/index.js'
import { WrongAnswerError } from './calls.js'
import { costOf, type Row } from './cost.js'
import type { Settings } from './settings.js'
import { figureOf, type Table } from './table.js'
import { jsonHeaders } from '../support/api-client.js'

const headers = jsonHeaders()
const BARE = 'a function that answers with a `Response`'

interface Beside extends Row {
  /** The row that this row is compared with. */
  still?: string
}

export async function inProcess(settings: Settings): Promise<Table[]> {
  const started = await firstRequest(settings)
  const emulator = createEmulator({ clock: 'manual', scenario: 'stuck-job' })
  const call = async (path: string, body?: object): Promise<string> => {
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
  const json = { headers: { 'content-type': 'application/json' } }
  const read = async (response: Response | Promise<Response>): Promise<void> => {
    const text = await (await response).text()
    if (text !== bytes) throw new WrongAnswerError(`Answered with ${text}`)
  }
  const request = {
    method: 'GET',
    base: 'http://training.svtrain.test',
    path: `/v1${path}`,
    query: '',
    headers,
    body: new Uint8Array(0),
  }
  const rows: Beside[] = [
    { name: BARE, run: () => read(Promise.resolve(new Response(bytes, json))) },
    {
      name: '`emulator.handle`',
      run: async () => void (await emulator.handle('training', request)),
    },
    { name: '`emulator.fetch`', run: () => read(emulator.fetch(url, { headers })) },
    ...(await throughMsw()),
  ]
  return [tableOf(rows, await costOf(rows, { rounds: settings.rounds * 3, times: 100 })), started]

  async function throughMsw(): Promise<Beside[]> {
    const two = await import('msw')
    const three = await import('msw-3')
    const { setupServer: serverOfTwo } = await import('msw/node')
    const { setupServer: serverOfThree } = await import('msw-3/node')
    const still = two.http.get(url, () => new two.HttpResponse(bytes, json))
    const stillOfThree = three.http.get(url, () => new three.HttpResponse(bytes, json))
    const create = handlersFrom<typeof stillOfThree>(three)
    return [
      ...rowsOf('MSW 2', serverOfTwo(still), serverOfTwo(...handlers(emulator))),
      ...rowsOf('MSW 3', serverOfThree(stillOfThree), serverOfThree(...create(emulator))),
    ]
  }

  function rowsOf(name: string, still: Server, ours: Server): Beside[] {
    const run = (): Promise<void> => read(fetch(url, { headers }))
    const plain = `a static handler of ${name}`
    const row = (server: Server): Omit<Row, 'name'> => ({
      prepare: () => server.listen(),
      leave: () => server.close(),
      run,
    })
    return [
      { name: plain, ...row(still) },
      { name: `the emulator through ${name}`, ...row(ours), still: plain },
    ]
  }
}

interface Server {
  listen: () => void
  close: () => void
}

/** Milliseconds with loaded code, and for the first time. */
async function firstRequest({ rounds }: Settings): Promise<Table> {
  // Node loads its fetch at its first use.
  await new Response(await new Request('http://x.test').text()).text()
  const took: number[] = []
  for (let round = 0; round < rounds * 3; round++) {
    const start = performance.now()
    const fresh = createEmulator()
    await fresh.fetch(`${fresh.trainingUrl}/preview/base-models`)
    took.push(performance.now() - start)
  }
  return {
    title: 'A new emulator in process',
    columns: ['the very first', 'each after it'],
    rows: [
      {
        name: '`createEmulator()` and a first request',
        figures: [figureOf(took.slice(0, 1), 'ms'), figureOf(took.slice(1), 'ms')],
      },
    ],
    notes: [],
  }
}

function tableOf(rows: readonly Beside[], costs: ReadonlyMap<string, number[]>): Table {
  return {
    title: `In process, Node ${process.versions.node}`,
    columns: ['GET of a job', 'beside the same library, static'],
    rows: rows.map(({ name, still }) => {
      const cost = costs.get(name)!
      const limit = name === BARE ? undefined : costs.get(BARE)
      const beside = still === undefined ? undefined : figureOf(cost, 'µs', costs.get(still))
      return { name, figures: [figureOf(cost, 'µs', limit), beside] }
    }),
    notes: [
      'Microseconds of processor time, beside the first row; less is better.',
      `The emulator through MSW should cost at most ${MOST_BESIDE_STATIC} of a static handler.`,
    ],
  }
}

/** Matching, routing and the journal cost little, compared with the work of MSW for a request. */
const MOST_BESIDE_STATIC = 1.15
