/**
 * Compares this tree with earlier versions of it, and with itself: how a second process of the same build differs is
 * noise. They take turns, each in a process of its own, and no two of their calls have the same body.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import getPort from 'get-port'
import { buildOf, buildThisTree, type Build } from './builds.js'
import { heapOfServer, residentBytesOf } from './server-process.js'
import type { Settings } from './settings.js'
import { timeToFirstAnswer, type Started } from './start.js'
import { figureOf, shareOf, type Table } from './table.js'
import { inTurns, speedOf, type Speed } from './turns.js'
import { SCENARIO, VERSION_CALL_NAMES, VERSION_CALLS, type VersionCall } from './version-calls.js'
import {
  allOf,
  commandOf,
  startBare,
  startInProcess,
  startOnPort,
  type Runner,
} from './version-runners.js'

const TITLE = `Node ${process.versions.node}, beside earlier versions`

export async function versions(folder: string, settings: Settings): Promise<Table[]> {
  const ours = buildThisTree('this tree')
  const builds = [ours, { ...ours, name: 'this tree again' }, ...settings.bases.map(buildOf)]
  const scenario = join(folder, 'versions.json')
  writeFileSync(scenario, JSON.stringify(SCENARIO))
  const inProcess = await Promise.all(builds.map(startInProcess))
  const tables = await speeds('in process, jobs end at once', inProcess, settings.rounds * 2)
  const onPort = await Promise.all(
    builds.map((build) => startOnPort(build, scenario, { clock: 'manual' })),
  )
  const bare = await startBare(onPort[0]!, join(folder, 'versions-answers.json'))
  tables.push(
    ...(await speeds('on a port, time stands still', [...onPort, bare], settings.rounds * 2)),
  )
  return [...tables, await startAndMemory(builds, scenario, settings)]
}

/** Measures each call in turns, and ends the processes. */
async function speeds(where: string, runners: readonly Runner[], rounds: number): Promise<Table[]> {
  const told = {} as Record<VersionCall, Map<Runner, Speed[]>>
  for (const call of VERSION_CALL_NAMES) {
    // As many rounds warm it up: in the first, most of the code is not compiled yet.
    const turns = { rounds, warmUps: rounds }
    told[call] = await inTurns(runners, turns, ({ measure }) => measure(call))
  }
  for (const runner of runners) await runner.stop()
  const columnsOf = (pick: (speed: Speed) => number, unit: string): Column<Runner>[] =>
    VERSION_CALL_NAMES.map((call) => {
      const valuesOf = (runner: Runner): number[] => told[call].get(runner)!.map(pick)
      return { name: VERSION_CALLS[call].column, unit, valuesOf }
    })
  return [
    compared(
      `${where}: processor time`,
      runners,
      columnsOf(({ cost }) => cost, 'µs'),
    ),
    compared(
      `${where}: answers per second`,
      runners,
      columnsOf(({ rate }) => rate, '/s'),
    ),
  ]
}

async function startAndMemory(
  builds: readonly Build[],
  scenario: string,
  { rounds, calls }: Settings,
): Promise<Table> {
  const starts = await inTurns(builds, { rounds }, (build) =>
    timeToFirstAnswer(commandOf(build, 'happy-path')),
  )
  const memories = await inTurns(builds, { rounds: 1, warmUps: 0 }, (build) =>
    memoryAfter(calls, build, scenario),
  )
  const after = `after ${calls.toLocaleString('en-US')} calls`
  const startsOf = (pick: (start: Started) => number) => (build: Build) =>
    starts.get(build)!.map(pick)
  const memoryOf = (pick: (memory: Memory) => number) => (build: Build) =>
    memories.get(build)!.map((memory) => pick(memory) / 1e6)
  return compared('start and memory', builds, [
    { name: 'start', unit: 'ms', valuesOf: startsOf(({ took }) => took) },
    { name: 'start, processor time', unit: 'ms', valuesOf: startsOf(({ used }) => used) },
    { name: `resident ${after}`, unit: 'MB', valuesOf: memoryOf(({ resident }) => resident) },
    { name: `heap ${after}`, unit: 'MB', valuesOf: memoryOf(({ heap }) => heap) },
  ])
}

/** In bytes. */
interface Memory {
  resident: number
  heap: number
}

/** The memory of a fresh process after as many submits, chats and GETs. */
async function memoryAfter(count: number, build: Build, scenario: string): Promise<Memory> {
  const inspector = await getPort()
  const clock = 'instant'
  const { server, calls, stop } = await startOnPort(build, scenario, { clock, inspector })
  const runner = { name: build.name, server }
  for (const call of ['small', 'chat', 'get'] as const) {
    await speedOf(runner, calls[call], allOf(Math.ceil(count / 3)))
  }
  const resident = residentBytesOf(server)
  const heap = await heapOfServer(server)
  await stop()
  return { resident, heap }
}

interface Column<One> {
  name: string
  unit: string
  valuesOf: (one: One) => number[]
}

/** The first row is this tree. All others say how much better it is. */
function compared<One extends { name: string }>(
  title: string,
  ones: readonly One[],
  columns: readonly Column<One>[],
): Table {
  const [ours] = ones as [One]
  return {
    title: `${TITLE}, ${title}`,
    columns: columns.map(({ name }) => name),
    rows: ones.map((one) => ({
      name: one.name,
      figures: columns.map(({ unit, valuesOf }) =>
        one === ours ? figureOf(valuesOf(one), unit) : shareOf(valuesOf(one), unit, valuesOf(ours)),
      ),
    })),
    notes: [
      'Above 1, this tree is faster than the row or takes less. A distance from 1 that "this tree again" has as well is noise.',
    ],
  }
}
