/** The processes that versions of the emulator are compared in. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Build } from './builds.js'
import { check, verify, type Call } from './calls.js'
import { start, type Contestant, type Running } from './contestants.js'
import {
  CALL_NAMES,
  callsOfEmulator,
  MEASURED,
  SCENARIO,
  type CallName,
  type Calls,
} from './emulator-calls.js'
import { endWithUs, stop } from './server-process.js'
import { speedOf, type Speed } from './turns.js'

/** A process that answers the calls. */
export interface Runner {
  name: string
  /** Makes the calls of one round, which are the same for each process. */
  measure: (call: CallName) => Promise<Speed>
  stop: () => Promise<void>
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
  const calls = await callsOfEmulator(async (call) => (await send(call)).answer.text, 'instant')
  return {
    name,
    measure: (call) => send(calls[call], MEASURED[call].times),
    stop: () => stop(child),
  }
}

/** Starts a server that answers each of the calls. */
export async function startOnPort<All extends Required<Calls>>(
  contestant: Contestant<All>,
): Promise<Runner & Running<All>> {
  const running = await start(contestant)
  const { name, server, calls } = running
  for (const call of CALL_NAMES) await verify(name, server.url, calls[call])
  const measure = (call: CallName): Promise<Speed> =>
    speedOf(running, calls[call], allOf(MEASURED[call].times))
  return { ...running, measure, stop: server.stop }
}

/** A load that ends after a number of calls. */
export function allOf(most: number): { connections: number; ms: number; most: number } {
  return { connections: 32, ms: 600_000, most }
}
