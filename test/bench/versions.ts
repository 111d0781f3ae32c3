/**
 * Compares this tree with earlier versions of it, and with itself: how a second process of the same build differs is
 * noise. They take turns, each in a process of its own, and no two of their calls have the same body.
 */
import { join } from 'node:path'
import getPort from 'get-port'
import { record, writeScenario } from './answers.js'
import { buildOf, buildThisTree, type Build } from './builds.js'
import { bare, emulatorOf, untilFirstAnswer } from './contestants.js'
import { CALL_NAMES, MEASURED, type CallName } from './emulator-calls.js'
import { heapAt, residentBytesOf } from './server-process.js'
import type { Settings } from './settings.js'
import { tableOf, type Column, type Table } from './table.js'
import { inTurns, speedOf, type Speed } from './turns.js'
import { allOf, startInProcess, startOnPort, type Runner } from './version-runners.js'

export async function versions(folder: string, settings: Settings): Promise<Table[]> {
  const ours = buildThisTree('this tree')
  const builds = [ours, { ...ours, name: 'this tree again' }, ...settings.bases.map(buildOf)]
  const scenario = writeScenario(folder)
  const inProcess = await Promise.all(builds.map(startInProcess))
  const tables = await speeds('in process, jobs end at once', inProcess, settings.rounds * 2)
  const onPort = await Promise.all(
    builds.map((build) => startOnPort(emulatorOf(scenario, { build }))),
  )
  const { server, calls } = onPort[0]!
  const recording = await record(server.url, calls, join(folder, 'versions-answers.json'))
  const all = [...onPort, await startOnPort(bare(recording))]
  tables.push(...(await speeds('on a port, time stands still', all, settings.rounds * 2)))
  return [...tables, await startAndMemory(builds, scenario, settings)]
}

/** Measures each call in turns, and ends the processes. */
async function speeds(where: string, runners: readonly Runner[], rounds: number): Promise<Table[]> {
  const told = {} as Record<CallName, Map<Runner, Speed[]>>
  for (const call of CALL_NAMES) {
    // As many rounds warm it up: in the first, most of the code is not compiled yet.
    const turns = { rounds, warmUps: rounds }
    told[call] = await inTurns(runners, turns, ({ measure }) => measure(call))
  }
  for (const runner of runners) await runner.stop()
  const columnsOf = (
    pick: (speed: Speed) => number,
    rest: Pick<Column<Runner>, 'unit' | 'ratioOf'>,
  ): Column<Runner>[] =>
    CALL_NAMES.map((call) => ({
      name: MEASURED[call].column,
      valuesOf: (runner) => told[call].get(runner)!.map(pick),
      ...rest,
    }))
  const better = (rate: number, ours: number): number => ours / rate
  return [
    compared(
      `${where}: processor time`,
      runners,
      columnsOf(({ cost }) => cost, { unit: 'µs' }),
    ),
    compared(
      `${where}: answers per second`,
      runners,
      columnsOf(({ rate }) => rate, { unit: '/s', ratioOf: better }),
    ),
  ]
}

async function startAndMemory(
  builds: readonly Build[],
  scenario: string,
  { rounds, calls }: Settings,
): Promise<Table> {
  const starts = await inTurns(builds, { rounds }, (build) =>
    untilFirstAnswer(emulatorOf('happy-path', { build, clock: 'real' })),
  )
  const memories = await inTurns(builds, { rounds: 1, warmUps: 0 }, (build) =>
    memoryAfter(calls, build, scenario),
  )
  const after = `after ${calls.toLocaleString('en-US')} calls`
  const columnOf = <Measured>(
    name: string,
    unit: string,
    told: ReadonlyMap<Build, readonly Measured[]>,
    pick: (measured: Measured) => number,
  ): Column<Build> => ({ name, unit, valuesOf: (build) => told.get(build)!.map(pick) })
  return compared('start and memory', builds, [
    columnOf('start', 'ms', starts, ({ took }) => took),
    columnOf('start, processor time', 'ms', starts, ({ used }) => used),
    columnOf(`resident ${after}`, 'MB', memories, ({ resident }) => resident / 1e6),
    columnOf(`heap ${after}`, 'MB', memories, ({ heap }) => heap / 1e6),
  ])
}

/** The memory of a fresh process after as many GETs, submits and chats, in bytes. */
async function memoryAfter(
  count: number,
  build: Build,
  scenario: string,
): Promise<{ resident: number; heap: number }> {
  const inspector = await getPort()
  const flags = [`--inspect=127.0.0.1:${inspector}`]
  const { server, calls, name, stop } = await startOnPort(
    emulatorOf(scenario, { build, clock: 'instant', flags }),
  )
  // The job that is read is the first one, and so many submits make a world forget it.
  for (const call of ['get', 'small', 'chat'] as const) {
    await speedOf({ name, server }, calls[call], allOf(Math.ceil(count / 3)))
  }
  const memory = { resident: residentBytesOf(server), heap: await heapAt(inspector) }
  await stop()
  return memory
}

/** The first row is this tree. All others say how much better it is. */
function compared<One extends { name: string }>(
  what: string,
  ones: readonly One[],
  columns: readonly Column<One>[],
): Table {
  const title = `Node ${process.versions.node}, beside earlier versions, ${what}`
  const note =
    'Above 1, this tree is faster than the row or takes less. A distance from 1 that "this tree again" has as well is noise.'
  return tableOf(title, ones, columns, { notes: [note] })
}
