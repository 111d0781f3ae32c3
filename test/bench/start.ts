/** Measures the time from the start of the process to the first answer. */
import getPort from 'get-port'
import type { Answers } from './answers.js'
import { asOneStarts, type Contestant } from './contestants.js'
import { contestantsFor } from './peers/contestants.js'
import { processorTimeOf, startServerAt } from './server-process.js'
import { BESIDE, PROCESSOR } from './servers.js'
import type { Settings } from './settings.js'
import { rowsBeside, type Table } from './table.js'
import { inTurns } from './turns.js'

/** In milliseconds. */
export interface Started {
  took: number
  used: number
}

export async function starts(answers: Answers, { rounds }: Settings): Promise<Table[]> {
  const contestants = contestantsFor(answers).flatMap(asOneStarts)
  // The first round loads the files into the cache of the system.
  const told = await inTurns(contestants, { rounds }, timeToFirstAnswer)
  const tableOf = (title: string, note: string, pick: (started: Started) => number): Table => {
    const rows = rowsBeside(contestants, 'ms', [(each) => told.get(each)!.map(pick)])
    return { title, columns: ['start'], rows, notes: [note] }
  }
  return [
    tableOf(
      BESIDE,
      'Start: from the start of the process to its first answer; less is better.',
      ({ took }) => took,
    ),
    tableOf(PROCESSOR, 'Start: until its first answer.', ({ used }) => used),
  ]
}

/** Starts a server, and stops it after its first answer. */
export async function timeToFirstAnswer({
  node,
  args,
  first,
}: Pick<Contestant, 'node' | 'args' | 'first'>): Promise<Started> {
  const port = await getPort()
  const start = performance.now()
  const server = await startServerAt(port, first, { node, args: args(port) })
  const took = performance.now() - start
  const used = processorTimeOf(server)
  await server.stop()
  return { took, used }
}
