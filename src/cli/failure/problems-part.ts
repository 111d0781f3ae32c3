import { isDocumented } from '../../emulator/adapters/routes.js'
import type { Emulator } from '../../emulator/emulator.js'
import { problemsIn, type CountedProblem } from '../../emulator/testing/problems.js'
import { usedWorlds } from '../../emulator/testing/used-worlds.js'
import { inventedText } from '../../emulator/testing/unnoticed.js'
import { shortIds } from '../report/trace-lines.js'
import type { CommandRun } from './command-run.js'
import type { FailurePart, FailureRow } from './failure.js'
import { isLoss, nothingFailed } from './why-command-failed.js'

/** How many mistakes and different problems are shown. */
const MOST = 8
/** How many rows there are with failed jobs that came before them. */
const MOST_ROWS = 16
const FAILED_HERE = 'What failed in the emulator'

/** A part with the first of these rows. Empty if there are none. */
export function firstRows(
  heading: string,
  form: 'names' | 'marks',
  rows: readonly FailureRow[],
): FailurePart[] {
  if (rows.length === 0) return []
  const left = rows.length - MOST
  const below = left > 0 ? `… ${left} more` : undefined
  return [{ heading, form, rows: rows.slice(0, MOST), below }]
}

/** The latest of the problems of a command. */
export function problemsPart(
  emulator: Emulator,
  run: CommandRun,
  problems: readonly CountedProblem[],
): FailurePart {
  const latest = problems.length - MOST
  // A job that failed is not lost among refusals.
  const shown = problems.filter(({ kind }, at) => at >= latest || kind === 'job').slice(-MOST_ROWS)
  const rows = shown.map(problemRow)
  const left = problems.length - rows.length
  return {
    heading: FAILED_HERE,
    form: 'marks',
    rows,
    above: left > 0 ? `… ${left} earlier` : undefined,
    below: problems.length > 0 ? inventedText(usedWorlds(emulator)) : nothingFailed(emulator, run),
  }
}

/** What failed in all worlds, and the hosts of the service that were refused. */
export function problemsOfRun(emulator: Emulator, { called = [] }: CommandRun): CountedProblem[] {
  const refused = called.filter((each) => each.refused > 0 && isDocumented(each.host))
  // Last, as the most probable cause: a program hardly goes on without a host of the service.
  return [
    ...problemsIn(emulator),
    ...refused.map(({ host, refused: count, failures }): CountedProblem => {
      const text = `${host} was refused: ${failures.join('; ')}`
      return { kind: 'host', mark: '403', text, entry: 0, count }
    }),
  ]
}

/**
 * Failed jobs and deliveries that no receiver took, a line for each: a command that passes may have swallowed them.
 * Empty if there are none.
 */
export function lossesPart(emulator: Emulator): FailurePart[] {
  const losses = problemsIn(emulator).filter(isLoss)
  return firstRows(FAILED_HERE, 'marks', losses.map(problemRow))
}

function problemRow({ mark, text, count }: CountedProblem): FailureRow {
  const times = count === 1 ? '' : ` (${count} times)`
  return { label: mark, text: shortIds(text) + times }
}
