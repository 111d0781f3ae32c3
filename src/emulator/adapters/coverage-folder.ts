import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { CoverageTally, OperationUse } from '../coverage/recorder.js'
import type { Emulator } from '../emulator.js'
import { CoverageError } from './coverage-error.js'

/** The variable that names a folder. Each emulator that closes appends to it what its clients have met. */
const VARIABLE = 'SVTRAIN_COVERAGE'

/** The ending of files with one tally in each line. */
export const TALLIES = '.ndjson'

/** Writes the coverage of an emulator when it closes, if the variable names a folder. */
export function saveCoverage(emulator: Emulator): void {
  const { [VARIABLE]: folder = '' } = process.env
  // The worlds of keys count together with the emulator that they belong to.
  if (folder === '' || emulator.worldName !== null) return
  let saved: CoverageTally = { counts: {}, operations: {} }
  emulator.onClose(() => {
    const { coverageTally } = emulator
    const fresh = difference(coverageTally, saved)
    saved = coverageTally
    if (Object.keys(fresh.operations).length > 0) append(folder, fresh)
    return Promise.resolve()
  })
}

function append(folder: string, tally: CoverageTally): void {
  try {
    mkdirSync(folder, { recursive: true })
    // Each process has its own file, and a line is written at once: threads of a process share the file.
    appendFileSync(join(folder, `${process.pid}${TALLIES}`), `${JSON.stringify(tally)}\n`)
  } catch (error) {
    throw new CoverageError(
      `Failed to write coverage to the folder ${folder} of ${VARIABLE}: ${(error as Error).message}`,
    )
  }
}

/** What was counted since an earlier tally. An emulator can close several times. */
function difference(now: CoverageTally, before: CoverageTally): CoverageTally {
  const counts = Object.entries(now.counts).flatMap(([id, count]) => {
    const more = count - (before.counts[id] ?? 0)
    return more === 0 ? [] : [[id, more] as const]
  })
  const operations = Object.entries(now.operations).flatMap(([name, use]) => {
    const { calls = 0, bursts = 0 }: Partial<OperationUse> = before.operations[name] ?? {}
    const more = { calls: use.calls - calls, most: use.most, bursts: use.bursts - bursts }
    return more.calls === 0 ? [] : [[name, more] as const]
  })
  return { counts: Object.fromEntries(counts), operations: Object.fromEntries(operations) }
}
