import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { CoverageTally } from '../coverage/recorder.js'
import { tallyOf } from '../coverage/report.js'
import { CoverageError } from './coverage-error.js'
import { TALLIES } from './coverage-folder.js'

/**
 * Reads what was counted from a report, or from all files of a folder.
 *
 * @throws {CoverageError} When there is no report.
 */
export function readTallies(path: string): CoverageTally[] {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found) throw new TypeError('There is no such file or folder.')
    if (!found.isDirectory()) return talliesIn(path)
    const names = readdirSync(path).filter(
      (name) => name.endsWith(TALLIES) || name.endsWith('.json'),
    )
    if (names.length === 0) throw new TypeError('The folder has no reports.')
    return names.sort().flatMap((name) => talliesIn(join(path, name)))
  } catch (error) {
    if (error instanceof CoverageError) throw error
    throw new CoverageError(`Failed to read coverage from ${path}: ${(error as Error).message}`)
  }
}

function talliesIn(file: string): CoverageTally[] {
  try {
    const text = readFileSync(file, 'utf8')
    if (!file.endsWith(TALLIES)) return [tallyOf(JSON.parse(text))]
    // A process that was killed may leave half a line.
    const lines = text.split('\n').slice(0, -1)
    return lines.map((line) => tallyOf(JSON.parse(line)))
  } catch (error) {
    throw new CoverageError(`Failed to read coverage from ${file}: ${(error as Error).message}`)
  }
}
