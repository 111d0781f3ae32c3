/** Measures the cost of a request by the number of worlds in one process. */
import { createEmulator } from '../../src/index.js'
import { costOf, type Row } from './cost.js'
import * as world from './scale-world.js'
import type { Settings } from './settings.js'
import { figureOf, type Figure, type Table } from './table.js'

export async function scaleOfWorlds(settings: Settings): Promise<Table> {
  const rows: Row[] = []
  const held: (Figure | undefined)[] = []
  for (const count of world.sizesFor(settings, [1, 10, 100, 1000])) {
    const emulator = createEmulator({
      clock: 'manual',
      isolate: 'api-key',
      scenario: 'stuck-job',
    })
    const before = world.heap()
    const paths: string[] = []
    for (let index = 0; index < count; index++) {
      const model = await world.createModel(emulator, 'bench', keyOf(index))
      const job = await world.createJob(emulator, model, keyOf(index))
      paths.push(`/preview/training-jobs/${job}`)
    }
    // With fewer worlds, other allocations would dominate.
    held.push(count < 100 ? undefined : figureOf([(world.heap() - before) / count / 1000], 'kB'))
    let asked = 0
    const run = async (): Promise<void> => {
      const index = asked++ % count
      await world.call(emulator, paths[index]!, { key: keyOf(index) })
    }
    rows.push({ name: world.countOf(count, 'world'), run })
  }
  const costs = await costOf(rows, { rounds: settings.rounds * 3, times: 1000 })
  const figures = world.besideFirst([...costs.values()], 'µs')
  return {
    title: 'Worlds of one process, one for each key',
    columns: ['GET of a job', 'a world with a job'],
    rows: rows.map(({ name }, index) => ({ name, figures: [figures[index], held[index]] })),
    notes: [
      'In process, microseconds of processor time, the worlds in turn; beside the first row; and bytes of the heap.',
    ],
  }
}

function keyOf(index: number): string {
  return `key-${index}`
}
