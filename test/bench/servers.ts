/**
 * Measures each server with the same calls: its start, answers per second, processor time per answer, and memory. Each
 * server is a separate process. They take turns, and each is compared with the bare server in the same round.
 */
import type { Answers } from './answers.js'
import { verify } from './calls.js'
import { emulatorOf, OURS, start, untilFirstAnswer, type Contestant } from './contestants.js'
import { MEASURED } from './emulator-calls.js'
import { contestantsFor } from './peers/contestants.js'
import { residentBytesOf } from './server-process.js'
import type { Settings } from './settings.js'
import { tableOf, type Column, type Table } from './table.js'
import { inTurns, speedOf, type Speed } from './turns.js'

const CALLED = ['get', 'small', 'given', 'stream'] as const
type Called = (typeof CALLED)[number]
const CONNECTIONS = 32

export async function servers(answers: Answers, settings: Settings): Promise<Table[]> {
  const called = contestantsFor(answers)
  const ones = called.flatMap(asOneStarts)
  const starts = await inTurns(ones, settings, (one) => untilFirstAnswer(one))
  const speeds = await speedsOf(called, settings)
  const requests = settings.quick ? 5000 : 10_000
  const memory = await inTurns(ones, { rounds: 3, warmUps: 0 }, (one) => memoryAfter(requests, one))

  const columnsOf = (pick: (speed: Speed) => number, unit: string): Column<Contestant>[] =>
    CALLED.map((call) => ({
      name: MEASURED[call].column,
      unit,
      valuesOf: ({ name }) => speeds[call].get(name)?.map(pick),
    }))
  const speed = tableOf<Contestant>(
    'Beside other servers',
    ones,
    [
      { name: 'start', unit: 'ms', valuesOf: (one) => starts.get(one)!.map(({ took }) => took) },
      ...columnsOf(({ rate }) => rate, '/s'),
      { name: 'memory', unit: 'MB', valuesOf: (one) => memory.get(one) },
    ],
    {
      notes: [
        'Start: from the start of the process to its first answer; less is better.',
        `Calls: answers per second, ${CONNECTIONS} connections, ${settings.rounds} rounds of ${msOf(settings)} ms; more is better.`,
        `Memory: resident, in a fresh process after ${requests.toLocaleString('en-US')} GETs of a record; less is better.`,
      ],
    },
  )
  const processor = tableOf<Contestant>(
    'Beside other servers: processor time',
    ones,
    [
      { name: 'start', unit: 'ms', valuesOf: (one) => starts.get(one)!.map(({ used }) => used) },
      ...columnsOf(({ cost }) => cost, 'µs'),
    ],
    {
      notes: [
        'Start: until its first answer.',
        'An answer, in the same rounds, in the process of the server; less is better.',
      ],
    },
  )
  return [speed, processor]
}

/** The emulator starts with a built-in scenario, and with a scenario file. */
function asOneStarts(contestant: Contestant): Contestant[] {
  if (contestant.name !== OURS) return [contestant]
  const { args } = emulatorOf('failing-job')
  return [
    { ...contestant, args },
    { ...contestant, name: `${OURS}, a scenario from a file` },
  ]
}

/** The speeds of each call, by the name of the server. */
async function speedsOf(
  called: readonly Contestant[],
  settings: Settings,
): Promise<Record<Called, Map<string, Speed[]>>> {
  const runners = await Promise.all(called.map(start))
  const results = {} as Record<Called, Map<string, Speed[]>>
  for (const call of CALLED) {
    const able = runners.filter(({ calls }) => calls[call])
    for (const { name, server, calls } of able) await verify(name, server.url, calls[call]!)
    const load = { connections: CONNECTIONS, ms: msOf(settings) }
    const speeds = await inTurns(able, settings, (runner) =>
      // The same body each time. What differs from call to call is measured beside earlier versions.
      speedOf(runner, { ...runner.calls[call]!, fresh: undefined }, load),
    )
    results[call] = new Map([...speeds].map(([{ name }, each]) => [name, each]))
  }
  for (const { server } of runners) await server.stop()
  return results
}

/** The megabytes of a fresh process after many GETs. */
async function memoryAfter(requests: number, contestant: Contestant): Promise<number> {
  const { name, server, calls } = await start(contestant)
  const load = { connections: CONNECTIONS, ms: 120_000, most: requests }
  await speedOf({ name, server }, calls.get!, load)
  const resident = residentBytesOf(server) / 1e6
  await server.stop()
  return resident
}

function msOf({ quick }: Settings): number {
  return quick ? 300 : 1000
}
