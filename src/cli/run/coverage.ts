import { coverageDetails, coverageSummary } from '../../emulator/coverage/format.js'
import {
  coverageReport,
  mergeTallies,
  type CoverageReport,
} from '../../emulator/coverage/report.js'
import { CoverageError } from '../../emulator/adapters/coverage-error.js'
import { readTallies } from '../../emulator/adapters/read-coverage.js'
import { printLines } from '../report/coverage.js'
import { printable } from '../terminal.js'
import type { Run } from '../command.js'
import type { coverage } from '../commands/coverage.js'

/** Adds up reports, and prints the sum. */
export const runCommand: Run<typeof coverage> = ({ files, gaps, json }, { terminal }) => {
  let report: CoverageReport
  try {
    report = coverageReport(mergeTallies(files.flatMap(readTallies)))
  } catch (error) {
    if (!(error instanceof CoverageError)) throw error
    terminal.writeError(printable(error.message))
    return Promise.resolve(2)
  }
  if (json) terminal.write(JSON.stringify(report, null, 2))
  else printLines(gaps ? coverageDetails(report) : coverageSummary(report), terminal)
  return Promise.resolve(0)
}
