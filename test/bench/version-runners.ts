/** The processes that versions of the emulator are compared in. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import getPort from 'get-port'
import { record } from './answers.js'
import type { Build } from './builds.js'
import { check, verify, type Call } from './calls.js'
import { BARE, bareCalls, bareServer, type Contestant } from './contestants.js'
import { emulatorAt, endWithUs, startServerAt, stop, type ServerProcess } from './server-process.js'
import { speedOf, type Speed } from './turns.js'
import {
  callsOfVersion,
  SCENARIO,
  VERSION_CALL_NAMES,
  VERSION_CALLS,
  type Clock,
  type VersionCall,
} from './version-calls.js'

/** A process that answers the calls. */
export interface Runner {
  name: string
  /** Makes the calls of one round, which are the same for each process. */
  measure: (call: VersionCall) => Promise<Speed>
  stop: () => Promise<void>
}

export interface OnPort extends Runner {
  server: ServerProcess
  calls: Record<VersionCall, Call>
}

/** Starts a process that calls the emulator of a build in process, as tests do: jobs end at once. */
export async function startInProcess({ name, folder }: Build): Promise<Runner> {
  const host = join(import.meta.dirname, 'version-host.mjs')
  const options = JSON.stringify({ scenario: SCENARIO, clock: 'instant' })
  const child = fork(host, [join(folder, 'dist', 'index.js'), options], { execArgv: [] })
  endWithUs(child)
  const ended = once(child, 'exit')
  const told = async (): Promise<Speed & { answer: { status: number; text: string } }> => {
    const [message] = await Promise.race([once(child, 'message'), ended])
    if (child.exitCode !== null) throw new Error(`The process of ${name} ended`)
    return message
  }
  const send = async (call: Call, times = 1): ReturnType<typeof told> => {
    const { method, path, body, fresh, status } = call
    const calls = Array.from({ length: times }, () => ({ method, path, body: fresh?.() ?? body }))
    child.send({ calls, status })
    const answered = await told()
    check(name, call, answered.answer)
    return answered
  }
  await told()
  const calls = await callsOfVersion(async (call) => (await send(call)).answer.text, 'instant')
  return {
    name,
    measure: (call) => send(calls[call], VERSION_CALLS[call].times),
    stop: () => stop(child),
  }
}

/** How the command of a build is started. */
export function commandOf(
  { folder }: Build,
  scenario: string,
  flags: readonly string[] = [],
): Pick<Contestant, 'node' | 'args' | 'first'> {
  const args = (port: number): string[] => [...emulatorAt(port, scenario, folder), ...flags]
  return { node: process.execPath, args, first: '/v1/health' }
}

/** Starts the command of a build, with an inspector at a port. */
export async function startOnPort(
  build: Build,
  scenario: string,
  { clock, inspector }: { clock: Clock; inspector?: number },
): Promise<OnPort> {
  const port = await getPort()
  const { node, args, first } = commandOf(build, scenario, [`--clock=${clock}`])
  const flags = inspector === undefined ? [] : [`--inspect=127.0.0.1:${inspector}`]
  const started = await startServerAt(port, first, { node, args: [...flags, ...args(port)] })
  const server = { ...started, ...(inspector !== undefined && { inspector }) }
  const calls = await callsOfVersion((call) => verify(build.name, server.url, call), clock)
  return onPort(build.name, server, calls)
}

/** Starts a bare server that sends the answers of an emulator. */
export async function startBare({ server, calls }: OnPort, file: string): Promise<OnPort> {
  const recording = await record(server.url, calls, file)
  const { first, args } = bareServer(recording)
  const port = await getPort()
  const bare = await startServerAt(port, first, { node: process.execPath, args: args(port) })
  return onPort(BARE, bare, bareCalls(recording))
}

async function onPort(
  name: string,
  server: ServerProcess,
  calls: OnPort['calls'],
): Promise<OnPort> {
  for (const call of VERSION_CALL_NAMES) await verify(name, server.url, calls[call])
  const measure = (call: VersionCall): Promise<Speed> =>
    speedOf({ name, server }, calls[call], allOf(VERSION_CALLS[call].times))
  return { name, server, calls, measure, stop: server.stop }
}

/** A load that ends after a number of calls. */
export function allOf(most: number): { connections: number; ms: number; most: number } {
  return { connections: 32, ms: 600_000, most }
}
