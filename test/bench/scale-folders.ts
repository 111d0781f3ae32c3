/** Measures how long the command starts with data folders of different sizes. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import getPort from 'get-port'
import { writeLargeWorld } from './large-world.js'
import { emulatorAt, processorTimeOf, residentBytesOf, startServerAt } from './server-process.js'
import * as world from './scale-world.js'
import type { Settings } from './settings.js'
import { figureOf, type Table } from './table.js'

const SIZES = [1000, 10_000, 100_000]

/** Each world has 50 models, 5 webhooks for each job, and the latest 20,000 deliveries. */
const MODELS = 50

export async function scaleOfFolders(settings: Settings): Promise<Table> {
  const table: Table = {
    title: 'Start from a data folder',
    columns: ['start', 'processor time', 'memory'],
    rows: [],
    notes: ['From the start of the process to its first answer. Memory: resident, after that.'],
  }
  const folder = mkdtempSync(join(tmpdir(), 'svtrain-bench-folders-'))
  try {
    for (const jobs of world.sizesFor(settings, SIZES)) {
      const data = join(folder, String(jobs))
      await writeLargeWorld(data, { jobs, models: MODELS })
      const rounds = []
      for (let round = 0; round < Math.min(settings.rounds, 5); round++) {
        rounds.push(await startFrom(data, join(folder, 'copy')))
      }
      const figures = [
        figureOf(
          rounds.map(({ took }) => took),
          'ms',
        ),
        figureOf(
          rounds.map(({ used }) => used),
          'ms',
        ),
        figureOf(
          rounds.map(({ memory }) => memory / 1e6),
          'MB',
        ),
      ]
      table.rows.push({ name: world.countOf(jobs, 'job'), figures })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return table
}

/** Starts from a copy, because each start changes the folder. */
async function startFrom(
  data: string,
  copy: string,
): Promise<{ took: number; used: number; memory: number }> {
  rmSync(copy, { recursive: true, force: true })
  cpSync(data, copy, { recursive: true })
  const port = await getPort()
  const args = emulatorAt(port, 'large').filter((arg) => !arg.startsWith('--scenario'))
  const start = performance.now()
  const server = await startServerAt(port, '/v1/health', {
    node: process.execPath,
    args: [...args, `--data=${copy}`],
  })
  const took = performance.now() - start
  const measured = { took, used: processorTimeOf(server), memory: residentBytesOf(server) }
  await server.stop()
  return measured
}
