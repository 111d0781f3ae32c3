import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ExploreFailure, ExploreReport } from '../../src/tools/explore/exploration.js'
import { assertBuilt, Command } from '../cli/command.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** What `explore` promises about whole training loops. Each test may take as long as its exploration. */

const loops = join(import.meta.dirname, '..', 'tools', 'explore', 'loops')
const MINUTES = 60_000

beforeAll(assertBuilt)

/** Explores a loop with the command, and returns the report. */
async function explore(loop: string, runs: number): Promise<ExploreReport> {
  const command = new Command(
    [
      'explore',
      '--json',
      `--runs=${runs}`,
      '--time=10m',
      '--webhook=http://127.0.0.1:{port}/hook',
      '--',
      process.execPath,
      join(loops, loop),
    ],
    { cwd: temporaryFolder() },
  )
  // The process says nothing until its end, which `ended` would not wait for.
  await new Promise<void>((resolve) => void command.process.once('close', () => resolve()))
  expect(command.stderr).toBe('')
  return JSON.parse(command.stdout) as ExploreReport
}

/** The five mistakes of the loop, by what a failure says about them. */
const bugs: Readonly<Record<string, (failure: ExploreFailure) => boolean>> = {
  'creates a job again blindly': ({ title }) => title.includes('(duplicateJobs)'),
  'uses a wrong cursor after an error': ({ title, reason }) =>
    /\((?:backwardCursors|skippedEvents)\)/.test(title) ||
    reason.includes(' points for 12 gradient'),
  'has chats without a timeout': ({ verdict, title }) =>
    verdict === 'hung' && title.includes('ChatCompletion'),
  'uses a checkpoint before it is served': ({ title }) =>
    title.includes('ChatCompletion was refused with 404'),
  'counts a delivery twice': ({ reason }) => reason.includes(' releases of 3 runs'),
}

/** The most lines of a scenario that people read at a glance. */
const FEW_LINES = 10

describe('explore', () => {
  it(
    'finds the five bugs of a loop in ten minutes, each with a small scenario',
    async () => {
      const { failures } = await explore('five-bugs.mjs', 50)
      for (const [bug, isIt] of Object.entries(bugs)) {
        const sizes = failures.filter(isIt).map(({ yaml }) => yaml.trimEnd().split('\n').length)
        expect({ bug, smallest: Math.min(...sizes) <= FEW_LINES }).toEqual({ bug, smallest: true })
      }
    },
    15 * MINUTES,
  )

  it(
    'passes 200 runs of a careful loop in ten minutes',
    async () => {
      const { runs, failures, ended } = await explore('careful.mjs', 200)
      expect(failures).toEqual([])
      expect({ ended, runs: runs.length }).toEqual({ ended: 'all_runs', runs: 200 })
    },
    15 * MINUTES,
  )
})
