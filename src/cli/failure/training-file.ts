import { counted } from '../../base/text/counted.js'
import {
  NO_ROWS,
  placesText,
  unrewardedText,
  type FileReport,
} from '../../emulator/testing/training-file/file-report.js'
import { fileCheckNames } from '../../service/scenario/check-names.js'
import { moreDoubts, moreProblems } from '../report/training-file-lines.js'
import type { Failure } from './failure.js'
import type { JunitCase, JunitSuite } from './junit.js'

/** How many places of a finding are listed. */
const MOST_PLACES = 20

/** The test cases of a file of training data: its lines, and each check. */
export function dataSuite(file: string, report: FileReport): Omit<JunitSuite, 'took'> {
  const listed = report.doubts.map(({ line, doubt }) => `Warning: line ${line}: ${doubt}`)
  const notes = [...listed, ...moreDoubts(report), ...unrewardedText(report)]
  const cases = [
    {
      name: `${file}: lines`,
      failure: linesFailure(report),
      ...(notes.length > 0 && { stdout: notes.join('\n') }),
    },
    ...fileCheckNames.map((check) => checkCase(file, check, report)),
  ]
  return { name: 'svtrain-emulator check-data', properties: {}, cases }
}

function linesFailure(report: FileReport): Failure | undefined {
  const { rows, unusable, problems } = report
  if (rows === 0) return { title: 'no rows', kind: 'lines', reason: NO_ROWS }
  if (unusable === 0) return undefined
  const listed = problems.map(({ line, problem }) => `line ${line}: ${problem}`)
  return {
    title: `${counted(unusable, 'line')} cannot be used`,
    kind: 'lines',
    reason: [...listed, ...moreProblems(report)].join('\n'),
  }
}

function checkCase(file: string, check: string, { findings, skipped }: FileReport): JunitCase {
  const name = `${file}: ${check}`
  const off = skipped.find((each) => each.check === check)
  if (off) return { name, skipped: `Did not run: ${off.why}` }
  const found = findings.find((each) => each.check === check)
  if (!found) return { name }
  const reason = `${found.text}: ${placesText(found, MOST_PLACES)}\nWhat to do: ${found.advice}.`
  if (found.severity === 'warn') return { name, stdout: `Warning: ${reason}` }
  return { name, failure: { title: found.text, kind: check, reason } }
}
