/**
 * Measures what each part of an answer costs: servers that do more and more of the work of the emulator,
 * from stored bytes to the whole. They take turns, and each is compared with stored bytes in the same round.
 */
import getPort from 'get-port'
import type { Answers } from './answers.js'
import { verify, type Call } from './calls.js'
import { BARE, OURS } from './contestants.js'
import { openEmulator } from './emulator-calls.js'
import { LADDER_CALLS, ladderCalls, type LadderCall, type Rung } from './ladder-calls.js'
import { emulatorAt, startServerAt, type ServerProcess } from './server-process.js'
import { roundOf, type Settings } from './settings.js'
import { rowsBeside, type Row, type Table } from './table.js'
import { inTurns, speedOf, type Speed } from './turns.js'

const STORED = `${BARE}, stored bytes`
const RUNGS: Readonly<Record<string, Rung>> = {
  [STORED]: 'stored',
  'stored bytes, through Express': 'express',
  '`JSON.stringify` of ready objects, nothing else': 'objects',
  'computed, nothing else': 'computed',
}

const COLUMNS: Record<LadderCall, string> = {
  firstPage: 'first page, 100 events',
  smallPage: 'first page, 20 events',
  deepPage: 'last page, 100 events',
  chat: 'chat completion',
}

interface Runner {
  name: string
  beside: string
  server: ServerProcess
  calls: Record<LadderCall, Call>
}

type Results = Record<LadderCall, Map<Runner, Speed[]>>

export async function ladder({ scenario }: Answers, settings: Settings): Promise<Table[]> {
  const runners: Runner[] = []
  for (const [name, rung] of Object.entries(RUNGS)) {
    const port = await getPort()
    const own = ['--import', 'tsx', 'test/bench/ladder-server.ts', rung, String(port), scenario]
    const server = await startServerAt(port, '/', { node: process.execPath, args: own })
    const calls = (await (await fetch(server.url)).json()) as Runner['calls']
    runners.push({ name, beside: STORED, server, calls })
  }
  runners.push(await startOurs(scenario))
  const results = {} as Results
  for (const name of LADDER_CALLS) {
    for (const runner of runners) await verify(runner.name, runner.server.url, runner.calls[name])
    results[name] = await inTurns(runners, settings, (runner) =>
      speedOf(runner, runner.calls[name], roundOf(settings)),
    )
  }
  for (const { server } of runners) await server.stop()
  return tablesOf(runners, results)
}

async function startOurs(scenario: string): Promise<Runner> {
  const port = await getPort()
  const start = { node: process.execPath, args: emulatorAt(port, scenario) }
  const server = await startServerAt(port, '/v1/health', start)
  const calls = ladderCalls(await openEmulator(server.url))
  return { name: OURS, beside: STORED, server, calls }
}

function tablesOf(runners: readonly Runner[], results: Results): Table[] {
  const rowsOf = (pick: (speed: Speed) => number, unit: string): Row[] =>
    rowsBeside(
      runners,
      unit,
      LADDER_CALLS.map((name) => (runner) => results[name].get(runner)?.map(pick)),
    )
  const columns = LADDER_CALLS.map((name) => COLUMNS[name])
  return [
    {
      title: 'What the limit is: processor time',
      columns,
      rows: rowsOf(({ cost }) => cost, 'µs'),
      notes: ['An answer, in the process of the server, beside stored bytes; less is better.'],
    },
    {
      title: 'What the limit is: answers per second',
      columns,
      rows: rowsOf(({ rate }) => rate, '/s'),
      notes: ['The same rounds; more is better.'],
    },
  ]
}
