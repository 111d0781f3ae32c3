/** Measures the memory of each server process after many equal requests. */
import type { Answers } from './answers.js'
import { asOneStarts } from './contestants.js'
import { contestantsFor } from './peers/contestants.js'
import { load, rawRequest } from './load.js'
import { residentBytesOf } from './server-process.js'
import { BESIDE, start } from './servers.js'
import { roundOf, type Settings } from './settings.js'
import { figureOf, type Table } from './table.js'

export async function memory(answers: Answers, settings: Settings): Promise<Table[]> {
  const contestants = contestantsFor(answers).flatMap(asOneStarts)
  const requests = settings.quick ? 5000 : 10_000
  const held = new Map<string, number[]>(contestants.map(({ name }) => [name, []]))
  for (let round = 0; round < 3; round++) {
    for (const contestant of contestants) {
      const { server, calls } = await start(contestant, ['get'])
      const { method, path, body } = calls.get!
      const url = new URL(server.url + path)
      const options = { ...roundOf(settings), ms: 120_000, most: requests }
      await load(url, rawRequest(method, url, body), options)
      held.get(contestant.name)!.push(residentBytesOf(server) / 1e6)
      await server.stop()
    }
  }
  const rows = contestants.map(({ name, beside }) => {
    const limit = name === beside ? undefined : held.get(beside)!
    return { name, figures: [figureOf(held.get(name)!, 'MB', limit)] }
  })
  const count = requests.toLocaleString('en-US')
  const notes = [
    `Memory: resident, in a fresh process after ${count} GETs of a record; less is better.`,
  ]
  return [{ title: BESIDE, columns: ['memory'], rows, notes }]
}
