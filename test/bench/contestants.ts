/** The servers of the comparisons: how each is started and called. */
import type { Recording } from './answers.js'
import type { Build } from './builds.js'
import { verify, type Call } from './calls.js'
import { callsOfEmulator, type CallName, type Calls, type Clock } from './emulator-calls.js'
import {
  emulatorAt,
  processorTimeOf,
  residentBytesOf,
  startServer,
  type Program,
  type ServerProcess,
} from './server-process.js'

export interface Contestant<Opened extends Calls = Calls> extends Program {
  name: string
  /** Creates the data for the given calls in the server. */
  open: (url: string) => Promise<Opened>
}

export interface Running<Opened extends Calls = Calls> {
  name: string
  server: ServerProcess
  calls: Opened
}

export const OURS = 'svtrain-emulator'
export const BARE = 'bare `node:http`'

type AllCalls = Recording['calls']

/** The emulator with a scenario. Default: that of this tree, where time stands still. */
export function emulatorOf(
  scenario: string,
  {
    build: { name, folder } = { name: OURS, folder: '.' },
    clock = 'manual',
    flags = [],
  }: { build?: Build; clock?: Clock; flags?: readonly string[] } = {},
): Contestant<AllCalls> {
  const own = [`--clock=${clock}`, `--scenario=${scenario}`]
  return {
    name,
    args: (port) => [...flags, ...emulatorAt(port, own, folder)],
    first: '/v1/health',
    open: (url) => callsOfEmulator((call) => verify(name, url, call), clock),
  }
}

/**
 * A bare server that sends the answers of the emulator to the same calls. Their bodies are the same, so that they have
 * the same size.
 */
export function bare({ file, calls, told }: Recording): Contestant<AllCalls> {
  const moved = Object.entries(calls).map(([name, call]): [string, Call] => [
    name,
    { ...call, path: `/${name}`, holds: [told[name as CallName].body].flat().join('') },
  ])
  return {
    name: BARE,
    args: (port) => ['test/bench/bare-server.mjs', String(port), file],
    first: '/',
    open: () => Promise.resolve(Object.fromEntries(moved) as AllCalls),
  }
}

/** Starts a server, and creates the data for its calls. */
export async function start<Opened extends Calls>(
  contestant: Contestant<Opened>,
): Promise<Running<Opened>> {
  const { name } = contestant
  const server = await startServer(contestant)
  return { name, server, calls: await contestant.open(server.url) }
}

/** What a server needs until its first answer. */
export interface Started {
  /** Milliseconds. */
  took: number
  /** Milliseconds of a processor. */
  used: number
  /** Bytes of resident memory. */
  resident: number
}

/** Starts a server, and stops it after its first answer. */
export async function untilFirstAnswer(program: Program): Promise<Started> {
  const begun = performance.now()
  const server = await startServer(program)
  const took = performance.now() - begun
  const started = { took, used: processorTimeOf(server), resident: residentBytesOf(server) }
  await server.stop()
  return started
}
