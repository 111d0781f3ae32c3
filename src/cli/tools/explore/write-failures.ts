import { parse } from 'node:path'
import type { ExploreFailure, ExploreReport } from '../../../tools/explore/exploration.js'
import { counted } from '../../../base/text/counted.js'
import { printable, type Terminal } from '../../terminal.js'
import { writeInFolder } from '../../write-in-folder.js'
import { DEFAULT_FOLDER } from './command-defaults.js'
import { failuresIn, logText, pathFor, scenarioText } from './failure-file.js'
import type { Finding } from './findings.js'
import { commandFor, repeat, type ExploreStart } from './repeat.js'

interface ReportInput extends ExploreStart {
  readonly report: ExploreReport
  /** How many are repeated at once. */
  readonly parallel: number
}

interface Repeating {
  readonly signal: AbortSignal
  readonly say: (text: string) => void
  /** Says what could not be written. */
  readonly writeError: Terminal['writeError']
}

/**
 * Writes the smallest scenario of each failure and what the command printed, and runs each of them once more. Those of
 * earlier explorations stay, unless the same failure is found again.
 *
 * @returns All failures, also those whose files could not be written.
 */
export async function writeFailures(
  { report, parallel, ...start }: ReportInput,
  { signal, say, writeError }: Repeating,
): Promise<Finding[]> {
  const { failures } = report
  if (failures.length === 0) return []
  if (!signal.aborted)
    say(`Running ${counted(failures.length, 'failure')} once more, as exec would`)
  const findings: Finding[] = []
  const left = [...failures]
  const work = async (): Promise<void> => {
    for (let failure = left.shift(); failure; failure = left.shift()) {
      findings.push(await findingOf(failure, start, { signal, writeError }))
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  return findings.sort((one, other) => one.failure.number - other.failure.number)
}

/** Says which failures of earlier explorations are beside those of this one. */
export async function earlierLine(
  { to: folder = DEFAULT_FOLDER }: Pick<ExploreStart['args'], 'to'>,
  findings: readonly Finding[],
): Promise<string | undefined> {
  const now = findings.map(({ file, log }) => parse(file ?? log ?? '').name)
  const earlier = (await failuresIn(folder)).filter((name) => !now.includes(name))
  if (earlier.length === 0) return undefined
  const kept = `${counted(earlier.length, 'failure')} of earlier explorations`
  return `${printable(folder)} also has ${kept}: ${earlier.join(', ')}`
}

async function findingOf(
  failure: ExploreFailure,
  start: ExploreStart,
  { signal, writeError }: Pick<Repeating, 'signal' | 'writeError'>,
): Promise<Finding> {
  const { args, runner } = start
  const path = await pathFor(failure, args.to ?? DEFAULT_FOLDER)
  const save = async (name: string, text: string): Promise<string | undefined> => {
    const isWritten = await writeInFolder(name, { text }, { write() {}, writeError })
    return isWritten ? name : undefined
  }
  const wanted = failure.kill ? undefined : `${path}.yaml`
  const again = commandFor(failure, wanted, start)
  const file = wanted && (await save(wanted, scenarioText(failure, again)))
  const repeated =
    file && !signal.aborted ? await repeat(failure, { runner, file, signal }) : undefined
  const evidence = repeated?.evidence ?? runner.evidenceOf(failure.runs[0]!)
  const log = evidence && (await save(`${path}.log`, logText(failure, { again, evidence })))
  const failed = failure.kill ? hasFailedAgain(failure) : repeated?.failed
  return { failure, file, log, again, repeated: failed, evidence }
}

/** Whether a failure came again when the exploration confirmed it. Undefined: there was no time for that. */
function hasFailedAgain({ flaky, shrinking }: ExploreFailure): boolean | undefined {
  if (flaky === true) return false
  return shrinking.finished ? true : undefined
}
