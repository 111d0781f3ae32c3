/** What all comparisons share: those who are compared take turns, and each is put under the same load. */
import { WrongAnswerError, type Call } from './calls.js'
import { load, rawRequest } from './load.js'
import { processorTimeOf, type ServerProcess } from './server-process.js'

/**
 * Measures each of them in each round, so that the load of the machine affects all of them. Another one begins each
 * round, so that none always follows the same other one. The rounds before the first that counts are a warm-up.
 */
export async function inTurns<One, Told>(
  ones: readonly One[],
  { rounds, warmUps = 1 }: { rounds: number; warmUps?: number },
  measure: (one: One) => Told | Promise<Told>,
): Promise<Map<One, Told[]>> {
  const results = new Map<One, Told[]>(ones.map((one) => [one, []]))
  for (let round = 0; round < warmUps + rounds; round++) {
    const first = round % ones.length
    for (const one of [...ones.slice(first), ...ones.slice(0, first)]) {
      const told = await measure(one)
      if (round >= warmUps) results.get(one)!.push(told)
    }
  }
  return results
}

export interface Speed {
  /** Answers per second. */
  rate: number
  /** Microseconds of processor time per answer, in the process that answers. */
  cost: number
}

/** The speed of a server under load. Throws if an answer has another status than the call expects. */
export async function speedOf(
  { name, server }: { name: string; server: ServerProcess },
  { method, path, body, fresh, status = 200 }: Call,
  options: { connections: number; ms: number; most?: number },
): Promise<Speed> {
  const url = new URL(server.url + path)
  const request = fresh ? () => rawRequest(method, url, fresh()) : rawRequest(method, url, body)
  const before = processorTimeOf(server)
  const { rate, answered } = await load(url, request, { ...options, status }).catch(
    (error: unknown) => {
      throw new WrongAnswerError(`${name} did not answer each ${method} ${path}`, { cause: error })
    },
  )
  return { rate, cost: ((processorTimeOf(server) - before) * 1000) / answered }
}

/** An operation in this process. */
export interface Operation {
  /** Called before the operation is measured in each round. */
  prepare?: () => void | Promise<void>
  /** Called after it is measured. */
  leave?: () => void | Promise<void>
  run: () => Promise<unknown>
}

/** The microseconds of processor time that each operation takes in this process, in each round. */
export function costsOf<One extends Operation>(
  operations: readonly One[],
  { rounds, times }: { rounds: number; times: number },
): Promise<Map<One, number[]>> {
  return inTurns(operations, { rounds, warmUps: 2 }, async ({ prepare, leave, run }) => {
    await prepare?.()
    const start = process.cpuUsage()
    for (let time = 0; time < times; time++) await run()
    const { user, system } = process.cpuUsage(start)
    await leave?.()
    return (user + system) / times
  })
}
