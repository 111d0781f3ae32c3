/** Measures the memory of each server process after many equal requests. */
import type { Answers } from './answers.js'
import { asOneStarts } from './contestants.js'
import { contestantsFor } from './peers/contestants.js'
import { residentBytesOf } from './server-process.js'
import { BESIDE, start } from './servers.js'
import { roundOf, type Settings } from './settings.js'
import { rowsBeside, type Table } from './table.js'
import { inTurns, speedOf } from './turns.js'

export async function memory(answers: Answers, settings: Settings): Promise<Table[]> {
  const contestants = contestantsFor(answers).flatMap(asOneStarts)
  const requests = settings.quick ? 5000 : 10_000
  const options = { ...roundOf(settings), ms: 120_000, most: requests }
  const held = await inTurns(contestants, { rounds: 3, warmUps: 0 }, async (contestant) => {
    const runner = await start(contestant)
    await speedOf(runner, runner.calls.get!, options)
    const resident = residentBytesOf(runner.server) / 1e6
    await runner.server.stop()
    return resident
  })
  const rows = rowsBeside(contestants, 'MB', [(each) => held.get(each)])
  const count = requests.toLocaleString('en-US')
  const notes = [
    `Memory: resident, in a fresh process after ${count} GETs of a record; less is better.`,
  ]
  return [{ title: BESIDE, columns: ['memory'], rows, notes }]
}
