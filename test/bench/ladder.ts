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
import { load, rawRequest } from './load.js'
import { emulatorAt, processorTimeOf, startServerAt, type ServerProcess } from './server-process.js'
import { roundOf, type Settings } from './settings.js'
import { figureOf, type Row, type Table } from './table.js'

const RUNGS: Readonly<Record<string, Rung>> = {
  [`${BARE}, stored bytes`]: 'stored',
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

interface Measured {
  /** Microseconds of processor time per answer. */
  costs: number[]
  /** Answers per second. */
  rates: number[]
}

interface Runner {
  name: string
  server: ServerProcess
  calls: Record<LadderCall, Call>
  measured: Record<LadderCall, Measured>
}

export async function ladder({ scenario }: Answers, settings: Settings): Promise<Table[]> {
  const runners: Runner[] = []
  for (const [name, rung] of Object.entries(RUNGS)) {
    const port = await getPort()
    const own = ['--import', 'tsx', 'test/bench/ladder-server.ts', rung, String(port), scenario]
    const server = await startServerAt(port, '/', { node: process.execPath, args: own })
    const calls = (await (await fetch(server.url)).json()) as Runner['calls']
    runners.push({ name, server, calls, measured: nothingYet() })
  }
  runners.push(await startOurs(scenario))
  for (const name of LADDER_CALLS) {
    for (const runner of runners) await verify(runner.name, runner.server.url, runner.calls[name])
    // The first round is a warm-up.
    for (let round = 0; round <= settings.rounds; round++) {
      for (const runner of runners) await measure(runner, name, { settings, counts: round > 0 })
    }
  }
  for (const { server } of runners) await server.stop()
  return tablesOf(runners)
}

async function startOurs(scenario: string): Promise<Runner> {
  const port = await getPort()
  const start = { node: process.execPath, args: emulatorAt(port, scenario) }
  const server = await startServerAt(port, '/v1/health', start)
  const calls = ladderCalls(await openEmulator(server.url))
  return { name: OURS, server, calls, measured: nothingYet() }
}

function nothingYet(): Runner['measured'] {
  const empty = (): Measured => ({ costs: [], rates: [] })
  return { firstPage: empty(), smallPage: empty(), deepPage: empty(), chat: empty() }
}

async function measure(
  { server, calls, measured }: Runner,
  name: LadderCall,
  { settings, counts }: { settings: Settings; counts: boolean },
): Promise<void> {
  const { method, path, body } = calls[name]
  const url = new URL(server.url + path)
  const before = processorTimeOf(server)
  const { rate, answered } = await load(url, rawRequest(method, url, body), roundOf(settings))
  if (!counts) return
  measured[name].costs.push(((processorTimeOf(server) - before) * 1000) / answered)
  measured[name].rates.push(rate)
}

function tablesOf(runners: readonly Runner[]): Table[] {
  const [limit] = runners as [Runner]
  const rowsOf = (pick: (measured: Measured) => number[], unit: string): Row[] =>
    runners.map((runner) => ({
      name: runner.name,
      figures: LADDER_CALLS.map((name) => {
        const beside = runner === limit ? undefined : pick(limit.measured[name])
        return figureOf(pick(runner.measured[name]), unit, beside)
      }),
    }))
  const columns = LADDER_CALLS.map((name) => COLUMNS[name])
  return [
    {
      title: 'What the limit is: processor time',
      columns,
      rows: rowsOf(({ costs }) => costs, 'µs'),
      notes: ['An answer, in the process of the server, beside stored bytes; less is better.'],
    },
    {
      title: 'What the limit is: answers per second',
      columns,
      rows: rowsOf(({ rates }) => rates, '/s'),
      notes: ['The same rounds; more is better.'],
    },
  ]
}
