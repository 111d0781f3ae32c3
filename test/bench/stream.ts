/**
 * Measures how a reader of the live stream affects calls of the API: the processor time of the server
 * per call at full load, in turns with and without the reader.
 */
import { load, rawRequest } from './load.js'
import { processorTimeOf, startEmulator, type ServerProcess } from './server-process.js'
import { roundOf, type Settings } from './settings.js'
import { figureOf, type Figure, type Row, type Table } from './table.js'
import { jsonHeaders } from '../support/api-client.js'

const headers = jsonHeaders()

export async function stream(settings: Settings): Promise<Table[]> {
  const server = await startEmulator('--scenario', 'stuck-job')
  const post = async (path: string, body: object): Promise<string> => {
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return ((await (await fetch(server.url + path, init)).json()) as { id: string }).id
  }
  const model = { project: 'bench', name: 'bench', base_model: 'b' }
  const model_id = await post('/preview/models', model)
  const batch = { model_id, trajectory_groups: [{ trajectories: [{ reward: 1 }] }] }
  const job = await post('/preview/training-jobs', batch)
  const requests = {
    'GET of a job': at('GET', `/preview/training-jobs/${job}`),
    'POST of an RL job': at('POST', '/preview/training-jobs', JSON.stringify(batch)),
  }
  const rows: Row[] = []
  for (const [name, request] of Object.entries(requests)) {
    rows.push({ name, figures: await compare(server, request, settings) })
  }
  await server.stop()
  return [
    {
      title: 'Calls while the live stream is read',
      columns: ['processor time a call', 'calls'],
      rows,
      notes: ['Beside the same calls while nobody reads it.'],
    },
  ]

  function at(method: string, path: string, body?: string): string {
    return rawRequest(method, new URL(server.url + path), body)
  }
}

async function compare(
  server: ServerProcess,
  request: string,
  settings: Settings,
): Promise<Figure[]> {
  const alone: Measured[] = []
  const watched: Measured[] = []
  const measured = (): Promise<Measured> => measure(server, request, settings)
  await measured()
  for (let round = 0; round < settings.rounds; round++) {
    alone.push(await measured())
    const leave = await openStream(server)
    watched.push(await measured())
    await leave()
  }
  const figure = (of: (each: Measured) => number, unit: string): Figure =>
    figureOf(watched.map(of), unit, alone.map(of))
  return [figure(({ cost }) => cost, 'µs'), figure(({ rate }) => rate, '/s')]
}

interface Measured {
  /** Microseconds of processor time of the server per call. */
  cost: number
  /** Calls per second. */
  rate: number
}

async function measure(
  server: ServerProcess,
  request: string,
  settings: Settings,
): Promise<Measured> {
  const [start, before] = [performance.now(), processorTimeOf(server)]
  const { rate } = await load(new URL(server.url), request, roundOf(settings))
  const spent = (processorTimeOf(server) - before) * 1000
  return { cost: spent / (rate * ((performance.now() - start) / 1000)), rate }
}

/** Opens the stream, and returns a function that closes it. */
async function openStream({ url }: ServerProcess): Promise<() => Promise<void>> {
  const leave = new AbortController()
  const { body } = await fetch(new URL('/_emulator/stream', url), { signal: leave.signal })
  const read = body!.pipeTo(new WritableStream()).catch(() => 'left')
  return async () => {
    leave.abort()
    await read
  }
}
