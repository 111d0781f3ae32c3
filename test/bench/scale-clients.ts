/** Measures answers per second and the slowest answers by the number of concurrent clients. */
import type { Answers } from './answers.js'
import { BARE, bare, OURS, ours } from './contestants.js'
import { load, rawRequest } from './load.js'
import * as world from './scale-world.js'
import { startAll } from './servers.js'
import { roundOf, type Settings } from './settings.js'
import { quantile } from './statistics.js'
import { figureOf, type Row, type Table } from './table.js'

interface Measured {
  /** Answers per second. */
  rate: number
  /** The 99th percentile of the response time, in milliseconds. */
  slowest: number
}

export async function scaleOfClients(answers: Answers, settings: Settings): Promise<Table> {
  const runners = await startAll([bare(answers), ours(answers)])
  const { ms } = roundOf(settings)
  const measure = async (name: string, connections: number): Promise<Measured> => {
    const { server, calls } = runners.find((runner) => runner.name === name)!
    const { method, path } = calls.get!
    const url = new URL(server.url + path)
    const { rate, latencies } = await load(url, rawRequest(method, url), { connections, ms })
    return { rate, slowest: quantile(latencies, 0.99) }
  }
  const rows: Row[] = []
  for (const connections of [1, 10, 100, 1000]) {
    const limit: Measured[] = []
    const told: Measured[] = []
    for (let round = 0; round <= settings.rounds; round++) {
      const [least, each] = [await measure(BARE, connections), await measure(OURS, connections)]
      if (round === 0) continue
      limit.push(least)
      told.push(each)
    }
    const ratesOf = (all: readonly Measured[]): number[] => all.map(({ rate }) => rate)
    const slowestOf = (all: readonly Measured[]): number[] => all.map(({ slowest }) => slowest)
    rows.push({
      name: world.countOf(connections, 'client'),
      figures: [
        figureOf(ratesOf(told), '/s', ratesOf(limit)),
        figureOf(slowestOf(told), 'ms', slowestOf(limit)),
      ],
    })
  }
  for (const { server } of runners) await server.stop()
  return {
    title: 'Clients at once',
    columns: ['GET of a record', 'p99'],
    rows,
    notes: [
      'Over a port, beside the bare server with as many clients: answers per second, and the time within which 99 of 100 were there.',
    ],
  }
}
