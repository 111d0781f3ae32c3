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
import { processorTimeOf, startServerAt, type ServerProcess } from './server-process.js'
import { roundOf, type Settings } from './settings.js'
import { median } from './statistics.js'
import { figureOf, type Row, type Table } from './table.js'

export const BESIDE = 'Beside other servers'
export const PROCESSOR = 'Beside other servers: processor time'

const COLUMNS: Record<JobToDo, string> = {
  get: 'GET of a record',
  post: 'validated POST',
  chat: 'chat completion',
  stream: `streamed, ${CHUNKS} chunks`,
  firstPage: 'first page of 10,000 events',
  deepPage: 'last page',
}

export interface Runner extends Contestant {
  server: ServerProcess
  calls: Calls
}

export async function startAll(contestants: readonly Contestant[]): Promise<Runner[]> {
  const runners: Runner[] = []
  for (const contestant of contestants) runners.push(await start(contestant, JOBS_TO_DO))
  return runners
}

export async function start(contestant: Contestant, jobs: readonly JobToDo[]): Promise<Runner> {
  const port = await getPort()
  const { node, args, first } = contestant
  const server = await startServerAt(port, first, { node, args: args(port) })
  return { ...contestant, server, calls: await contestant.open(server.url, jobs) }
}

interface Measured {
  rates: number[]
  /** Microseconds of processor time per answer. */
  costs: number[]
  /** Milliseconds to the first bytes, for a single client. */
  firsts: number[]
}

type Results = Map<string, Partial<Record<JobToDo, Measured>>>

export async function servers(answers: Answers, settings: Settings): Promise<Table[]> {
  const runners = await startAll(contestantsFor(answers))
  const results: Results = new Map(runners.map(({ name }) => [name, {}]))
  for (const job of JOBS_TO_DO) {
    const able = runners.filter(({ calls }) => calls[job])
    for (const runner of able) {
      await verify(runner.name, runner.server.url, runner.calls[job]!)
      results.get(runner.name)![job] = { rates: [], costs: [], firsts: [] }
    }
    // The first round is a warm-up.
    for (let round = 0; round <= settings.rounds; round++) {
      for (const runner of able) {
        const told = await measure(runner, job, settings)
        if (round === 0) continue
        const { rates, costs, firsts } = results.get(runner.name)![job]!
        rates.push(told.rate)
        costs.push(told.cost)
        firsts.push(told.first)
      }
    }
  }
  for (const { server } of runners) await server.stop()
  return tablesOf(runners, results, settings)
}

async function measure(
  { server, calls }: Runner,
  job: JobToDo,
  settings: Settings,
): Promise<{ rate: number; cost: number; first: number }> {
  const { method, path, body, status = 200 } = calls[job]!
  const url = new URL(server.url + path)
  const request = rawRequest(method, url, body)
  const before = processorTimeOf(server)
  const { rate, answered } = await load(url, request, { ...roundOf(settings), status })
  const cost = ((processorTimeOf(server) - before) * 1000) / answered
  if (job !== 'stream') return { rate, cost, first: Number.NaN }
  const alone = await load(url, request, { connections: 1, ms: 1000, most: 20, status })
  return { rate, cost, first: median(alone.firsts) }
}

function tablesOf(runners: readonly Runner[], results: Results, settings: Settings): Table[] {
  const rowsOf = (
    pick: (measured: Measured) => number[],
    unit: string,
    jobs: readonly JobToDo[] = JOBS_TO_DO,
  ): Row[] =>
    runners.map(({ name, beside }) => ({
      name,
      figures: jobs.map((job) => {
        const measured = results.get(name)![job]
        const limit = name === beside ? undefined : pick(results.get(beside)![job]!)
        return measured && figureOf(pick(measured), unit, limit)
      }),
    }))
  const { connections, ms } = roundOf(settings)
  const columns = JOBS_TO_DO.map((job) => COLUMNS[job])
  const table: Table = {
    title: BESIDE,
    columns,
    rows: rowsOf(({ rates }) => rates, '/s'),
    notes: [
      `Calls: answers per second, ${connections} connections, ${settings.rounds} rounds of ${ms} ms; more is better.`,
    ],
  }
  const firstChunk: Table = {
    ...table,
    columns: ['first chunk'],
    rows: rowsOf(({ firsts }) => firsts, 'ms', ['stream']),
    notes: ['First chunk: milliseconds, for one client; less is better.'],
  }
  const processor: Table = {
    title: PROCESSOR,
    columns,
    rows: rowsOf(({ costs }) => costs, 'µs'),
    notes: ['An answer, in the same rounds, in the process of the server; less is better.'],
  }
  return [table, firstChunk, processor]
}
