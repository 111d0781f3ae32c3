/**
 * Measures each server with the same calls: answers per second, and processor time per answer. Each
 * server is a separate process. They take turns, and each is compared with the bare server in the same
 * round.
 */
import getPort from 'get-port'
import type { Answers } from './answers.js'
import { JOBS_TO_DO, verify, type Calls, type JobToDo } from './calls.js'
import type { Contestant } from './contestants.js'
import { contestantsFor } from './peers/contestants.js'
import { CHUNKS } from './emulator-calls.js'
import { load, rawRequest } from './load.js'
import { startServerAt, type ServerProcess } from './server-process.js'
import { roundOf, type Settings } from './settings.js'
import { median } from './statistics.js'
import { rowsBeside, type Row, type Table } from './table.js'
import { inTurns, speedOf, type Speed } from './turns.js'

export const BESIDE = 'Beside other servers'
export const PROCESSOR = 'Beside other servers: processor time'

const COLUMNS: Record<JobToDo, string> = {
  get: 'GET of a record',
  post: 'validated POST',
  chat: 'chat completion',
  stream: `streamed, ${CHUNKS} chunks`,
}

interface Runner extends Contestant {
  server: ServerProcess
  calls: Calls
}

export async function start(contestant: Contestant): Promise<Runner> {
  const port = await getPort()
  const { node, args, first } = contestant
  const server = await startServerAt(port, first, { node, args: args(port) })
  return { ...contestant, server, calls: await contestant.open(server.url) }
}

interface Measured extends Speed {
  /** Milliseconds to the first bytes, for a single client. */
  first: number
}

type Results = Record<JobToDo, Map<Runner, Measured[]>>

export async function servers(answers: Answers, settings: Settings): Promise<Table[]> {
  const runners: Runner[] = []
  for (const contestant of contestantsFor(answers)) runners.push(await start(contestant))
  const results = {} as Results
  for (const job of JOBS_TO_DO) {
    const able = runners.filter(({ calls }) => calls[job])
    for (const { name, server, calls } of able) await verify(name, server.url, calls[job]!)
    results[job] = await inTurns(able, settings, (runner) => measure(runner, job, settings))
  }
  for (const { server } of runners) await server.stop()
  return tablesOf(runners, results, settings)
}

async function measure(runner: Runner, job: JobToDo, settings: Settings): Promise<Measured> {
  const call = runner.calls[job]!
  const speed = await speedOf(runner, call, roundOf(settings))
  if (job !== 'stream') return { ...speed, first: Number.NaN }
  const url = new URL(runner.server.url + call.path)
  const request = rawRequest(call.method, url, call.body)
  const alone = await load(url, request, { connections: 1, ms: 1000, most: 20 })
  return { ...speed, first: median(alone.firsts) }
}

function tablesOf(runners: readonly Runner[], results: Results, settings: Settings): Table[] {
  const rowsOf = (
    pick: (measured: Measured) => number,
    unit: string,
    jobs: readonly JobToDo[] = JOBS_TO_DO,
  ): Row[] =>
    rowsBeside(
      runners,
      unit,
      jobs.map((job) => (runner) => results[job].get(runner)?.map(pick)),
    )
  const { connections, ms } = roundOf(settings)
  const columns = JOBS_TO_DO.map((job) => COLUMNS[job])
  const table: Table = {
    title: BESIDE,
    columns,
    rows: rowsOf(({ rate }) => rate, '/s'),
    notes: [
      `Calls: answers per second, ${connections} connections, ${settings.rounds} rounds of ${ms} ms; more is better.`,
    ],
  }
  const firstChunk: Table = {
    ...table,
    columns: ['first chunk'],
    rows: rowsOf(({ first }) => first, 'ms', ['stream']),
    notes: ['First chunk: milliseconds, for one client; less is better.'],
  }
  const processor: Table = {
    title: PROCESSOR,
    columns,
    rows: rowsOf(({ cost }) => cost, 'µs'),
    notes: ['An answer, in the same rounds, in the process of the server; less is better.'],
  }
  return [table, firstChunk, processor]
}
