import type { ExploredRun, ExploreReport, Verdict } from '../../../tools/explore/exploration.js'
import { allParts, drawnIn } from '../../../tools/explore/parts/index.js'
import { normalized } from '../../../tools/explore/judge.js'
import { endText, skippedLines, untriedText, verdictText } from '../../../tools/explore/report.js'
import { counted, groupsOf } from '../../../base/text/counted.js'
import { exploredFailure } from './explored-failures.js'
import { failureOrigin } from './failure-reason.js'
import type { Origin } from './raised-in.js'
import type { FailurePart } from '../../failure/failure.js'
import { failureLines } from '../../failure/lines.js'
import { formatDuration } from '../../report/format.js'
import { shortIds } from '../../report/trace-lines.js'
import { printable, type Output } from '../../terminal.js'
import { cut, widthOf, wrapped } from '../../text-width.js'
import type { CommandExploration, Finding } from './findings.js'

/** The most runs of one failure in the table. */
const MOST_OF_ONE = 5
/** With more failures than this, their scenarios are only in the files, unless `--verbose` is set. */
const MOST_SHOWN = 5
/** The widest name in the table. */
const WIDEST_NAME = 30

interface Look {
  readonly output: Output
  /** Whether to list every run. */
  readonly verbose: boolean
}

/** What an exploration found: the runs, then each failure with its smallest scenario, then the counts. */
export function exploredLines({ report, findings }: CommandExploration, look: Look): string[] {
  const { paint, columns } = look.output
  const { runs } = report
  const passed = runs.filter(({ verdict }) => verdict === 'passed')
  const line = (text: string): string[] => wrapped(text, columns?.(), 2)
  const isOfMany = findings.length > MOST_SHOWN
  const placed = findings.map(placedOf)
  return [
    ...tableLines(runs, look),
    ...(passed.length > 0 && !look.verbose ? [...line(passedText(passed))] : []),
    ...remarksIn(passed).flatMap(({ names, remark }) =>
      line(`${paint('yellow', printable(names))}: ${printable(remark)}`),
    ),
    ...skippedLines(report, look.verbose).flatMap((text) =>
      wrapped(printable(text), columns?.(), 4),
    ),
    ...placeLines(placed).flatMap((text) => wrapped(printable(text), columns?.(), 4)),
    ...firstOfEachCall(placed, look.verbose).flatMap(({ finding, others }) => [
      '',
      ...findingLines(finding, { ...look, isOfMany }),
      ...(others.length > 0 ? ['', 'The same call of a library, at the same line:'] : []),
      ...others.flatMap((other) => line(`  ${shortLine(other)}`)),
    ]),
    '',
    ...line(summary(report, look.output)),
  ]
}

/**
 * Which failures came from the same line of the program: those that it raised, and those of each library that it called
 * there. Empty if one line or one heading says nothing new.
 */
function placeLines(findings: readonly PlacedFinding[]): string[] {
  const placed = findings.flatMap(({ finding: { failure }, origin }) => {
    return origin?.caller === undefined ? [] : [{ number: failure.number, ...origin }]
  })
  const byLibrary = groupsOf(placed, ({ library }) => library)
  const hasSharedLine = new Set(placed.map(({ caller }) => caller)).size < placed.length
  if (byLibrary.size < 2 && !hasSharedLine) return []
  return [...byLibrary].flatMap(([library, raised]) => [
    library === undefined
      ? 'Where the program gave up:'
      : `Where an error of the library ${library} ended the program, which can catch it there:`,
    ...callerLines(groupsOf(raised, ({ caller }) => caller!)),
  ])
}

/** A failure, and where its error was raised. */
interface PlacedFinding {
  readonly finding: Finding
  readonly origin: Origin | undefined
}

function placedOf(finding: Finding): PlacedFinding {
  const { failure, evidence } = finding
  const origin = failure.verdict === 'failed' && evidence ? failureOrigin(evidence) : undefined
  return { finding, origin }
}

interface GroupedFinding {
  readonly finding: Finding
  /** Those that one `try` around the same call of a library would catch, too. */
  readonly others: readonly Finding[]
}

/** Groups failures that a library raised at the same line of the program below the first one, unless all are wanted. */
function firstOfEachCall(findings: readonly PlacedFinding[], isVerbose: boolean): GroupedFinding[] {
  const groups = groupsOf(findings, ({ finding, origin }) => {
    const isShared = origin?.library !== undefined && origin.caller !== undefined && !isVerbose
    return isShared ? `${origin.library} ${origin.caller}` : finding.failure.number
  })
  return Array.from(groups.values(), (group) => {
    const [first, ...others] = group.map(({ finding }) => finding)
    return { finding: first!, others }
  })
}

function shortLine({ failure: { number, title }, file }: Finding): string {
  return printable(`Failure ${number}: ${title}${file === undefined ? '' : `: ${file}`}`)
}

/** A line for each line of the program, the one with the most failures first. */
function callerLines(callers: ReadonlyMap<string, readonly { number: number }[]>): string[] {
  const places = [...callers].sort(([, one], [, other]) => other.length - one.length)
  return places.map(([caller, all]) => {
    const numbers = all.map(({ number }) => number)
    return `  ${caller}: ${numbers.length === 1 ? 'failure' : 'failures'} ${numbers.join(', ')}`
  })
}

/** The remarks on runs. Those that differ only in their numbers, or after a colon, are one, which shows the first. */
function remarksIn(runs: readonly ExploredRun[]): { names: string; remark: string }[] {
  const remarked = runs.filter(({ remark }) => remark !== undefined)
  const alike = groupsOf(remarked, ({ remark }) => normalized(remark!.split(':', 1)[0]!))
  return [...alike.values()].map(([first, ...others]) => {
    const more = others.length > 0 ? ` and ${others.length} more` : ''
    return { names: first!.name + more, remark: first!.remark! }
  })
}

function passedText(passed: readonly ExploredRun[]): string {
  const byKind = groupsOf(passed, ({ kind }) => kind)
  const named = byKind.get('scenario') ?? []
  const drawn = drawnIn(allParts).flatMap((part) => {
    const { length } = byKind.get(part.kind) ?? []
    return length > 0 ? [counted(length, ...part.counted)] : []
  })
  const all = [...named.map(({ name }) => printable(name)), ...drawn]
  return `Passed (${passed.length}): ${all.join(', ')}`
}

/** The runs that did not pass, by failure; with `verbose` the others, too. */
function tableLines(runs: readonly ExploredRun[], { output, verbose }: Look): string[] {
  const failed = runs.filter(({ verdict }) => verdict !== 'passed')
  const rank = ({ failure = 0 }: ExploredRun): number => failure
  const byFailure = [...failed].sort((one, other) => rank(one) - rank(other))
  const shown = verbose
    ? [...byFailure, ...runs.filter(({ verdict }) => verdict === 'passed')]
    : byFailure.filter((run, at) => {
        const place = byFailure.slice(0, at).filter(({ failure }) => failure === run.failure).length
        return place < MOST_OF_ONE
      })
  if (shown.length === 0) return []
  const { paint, columns } = output
  const names = [HEAD[1], ...shown.map(({ name }) => name)]
  const nameWidth = Math.min(WIDEST_NAME, Math.max(...names.map(widthOf)))
  const head = row(HEAD, nameWidth)
  const beforeWhy = widthOf(head) - widthOf(HEAD.at(-1)!)
  const room = Math.max(LEAST_ROOM, (columns?.() ?? USUAL_COLUMNS) - beforeWhy)
  const left = verbose ? 0 : byFailure.length - shown.length
  return [
    paint('bold', head),
    ...shown.map(({ number, name, verdict, took, reason = '', failure }) => {
      const belongs = failure === undefined ? '' : `${failure}: `
      // The whole text comes with the failure.
      const why = cut(belongs + shortIds(printable(reason.split('\n')[0]!)), room)
      const mark = paint(verdict === 'passed' ? 'green' : 'red', verdictText(verdict))
      const shownName = cut(printable(name), nameWidth)
      return row([String(number), shownName, mark, formatDuration(took), why], nameWidth)
    }),
    ...(left > 0 ? [`  … ${left} more; --verbose lists all`] : []),
    '',
  ]
}

const HEAD = ['run', 'what was tried', 'verdict', 'time', 'why'] as const
const RUN_WIDTH = 4
const VERDICT_WIDTH = 12
const TIME_WIDTH = 6
/** The least room for a reason, and the room in a file. */
const LEAST_ROOM = 24
const USUAL_COLUMNS = 140

function row([run, name, verdict, time, why]: readonly string[], nameWidth: number): string {
  const filled = (text: string, width: number): string => {
    return text + ' '.repeat(Math.max(0, width - widthOf(text)))
  }
  const cells = [filled(name!, nameWidth), filled(verdict!, VERDICT_WIDTH)]
  return [run!.padStart(RUN_WIDTH), ...cells, time!.padStart(TIME_WIDTH), why].join('  ').trimEnd()
}

function findingLines(
  finding: Finding,
  { output, isOfMany, verbose }: Look & { isOfMany: boolean },
): string[] {
  const { log } = finding
  const found = exploredFailure(finding)
  const parts = found.parts?.map((part): FailurePart => {
    if (verbose || !isOfMany || part.form !== 'code' || part.file === undefined) return part
    return { heading: 'The scenario', form: 'sentence', text: part.file }
  })
  const lines = failureLines({ ...found, parts }, output, '  ')
  if (log === undefined) return lines
  const text = `  What the command printed: ${printable(log)}`
  return [...lines, ...wrapped(text, output.columns?.(), 2)]
}

/** The counts in a sentence. */
export function countsText(report: ExploreReport): string {
  const { runs, seed, took, untried } = report
  const why = untried ? `${untriedText(untried, '--time')} ` : ''
  const count = (wanted: Verdict): number => runs.filter(({ verdict }) => verdict === wanted).length
  const parts = [
    `${count('passed')} passed`,
    ...(count('failed') > 0 ? [`${count('failed')} failed`] : []),
    ...(count('hung') > 0 ? [`${count('hung')} hung`] : []),
    ...(count('client_check') > 0 ? [`${count('client_check')} broke a client check`] : []),
  ]
  return `${why}${counted(runs.length, 'run')} in ${formatDuration(took)} with seed ${seed}: ${parts.join(', ')}.${endText(report)}`
}

function summary(report: ExploreReport, { paint }: Output): string {
  const isGood = report.failures.length === 0 && !report.untried
  return paint(['bold', isGood ? 'green' : 'red'], printable(countsText(report)))
}
