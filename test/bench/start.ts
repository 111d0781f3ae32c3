/** Measures the time from the start of the process to the first answer. */
import getPort from 'get-port'
import type { Answers } from './answers.js'
import { asOneStarts, type Contestant } from './contestants.js'
import { contestantsFor } from './peers/contestants.js'
import { processorTimeOf, startServerAt } from './server-process.js'
import { BESIDE, PROCESSOR } from './servers.js'
import type { Settings } from './settings.js'
import { figureOf, type Table } from './table.js'

/** In milliseconds. */
interface Started {
  took: number
  used: number
}

export async function starts(answers: Answers, { rounds }: Settings): Promise<Table[]> {
  const contestants = contestantsFor(answers).flatMap(asOneStarts)
  const told = new Map<string, Started[]>(contestants.map(({ name }) => [name, []]))
  // The first round loads the files into the cache of the system.
  for (let round = 0; round <= rounds; round++) {
    for (const contestant of contestants) {
      const started = await timeToFirstAnswer(contestant)
      if (round > 0) told.get(contestant.name)!.push(started)
    }
  }
  const tableOf = (title: string, note: string, pick: (started: Started) => number): Table => {
    const rows = contestants.map(({ name, beside }) => {
      const limit = name === beside ? undefined : told.get(beside)!.map(pick)
      return { name, figures: [figureOf(told.get(name)!.map(pick), 'ms', limit)] }
    })
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

async function timeToFirstAnswer({ node, args, first }: Contestant): Promise<Started> {
  const port = await getPort()
  const start = performance.now()
  const server = await startServerAt(port, first, { node, args: args(port) })
  const took = performance.now() - start
  const used = processorTimeOf(server)
  await server.stop()
  return { took, used }
}
