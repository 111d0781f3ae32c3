import { counted } from '../../base/text/counted.js'
import {
  NO_ROWS,
  notJudged,
  placesText,
  unrewardedText,
  type FileReport,
} from '../../emulator/testing/training-file/file-report.js'
import { judgedText } from '../../emulator/testing/reach.js'
import { isFileCheck } from '../../service/scenario/check-names.js'
import { printable, type Output } from '../terminal.js'
import { wrapped } from '../text-width.js'

/** How many places of a finding are listed. */
const MOST_PLACES = 5

/** Formats what `check-data` found in one file for people. */
export function trainingFileLines(
  file: string,
  report: FileReport,
  { paint, columns }: Pick<Output, 'paint' | 'columns'>,
): string[] {
  const { problems, doubts, findings } = report
  const width = columns?.()
  const indented = (text: string): string[] => wrapped(printable(`  ${text}`), width, 4)
  const labeled = (word: string, text: string): string[] => {
    const color = word === 'warning' ? 'yellow' : 'red'
    return wrapped(`${paint(color, word)}  ${printable(text)}`, width, 4)
  }
  const lines = [
    paint('bold', `${printable(file)}: ${sizeText(report)}`),
    ...problems.flatMap(({ line, problem, refused }) => {
      return labeled(refused ? 'refused' : 'unusable', `line ${line}: ${problem}`)
    }),
    ...moreProblems(report).flatMap(indented),
    ...doubts.flatMap(({ line, doubt }) => labeled('warning', `line ${line}: ${doubt}`)),
    ...moreDoubts(report).flatMap(indented),
  ]
  for (const finding of findings) {
    const { check, severity, text, advice } = finding
    lines.push(
      '',
      ...labeled(severity === 'fail' ? 'failed' : 'warning', `${check}: ${text}`),
      ...indented(placesText(finding, MOST_PLACES)),
      ...indented(`What to do: ${advice}.`),
      ...indented(`To allow it: --check ${check}=false`),
    )
  }
  if (problems.length + doubts.length + findings.length > 0) lines.push('')
  lines.push(...judgedLines(report).flatMap((line) => wrapped(line, width, 4)), summaryOf(report))
  return lines
}

/** Says how many lines that cannot be used are not listed. Empty if all are. */
export function moreProblems({ problems, unusable }: FileReport): string[] {
  const more = unusable - problems.length
  return more > 0 ? [`and ${counted(more, 'more line')} that cannot be used`] : []
}

/** The same of warnings about lines. */
export function moreDoubts({ doubts, doubted }: FileReport): string[] {
  const more = doubted - doubts.length
  return more > 0 ? [`and ${counted(more, 'more warning')}`] : []
}

function judgedLines(report: FileReport): string[] {
  const judged = judgedText(report.judged)
  return [
    ...(judged === '' ? [] : [`judged  ${judged}`]),
    ...notJudged(report).map((text) => `not judged  ${text}`),
    ...unrewardedText(report).map((text) => `note  ${text}`),
  ]
}

/** The size of a file: `2 rows, 2 groups, 8 trajectories, 8 answers`. */
function sizeText({ rows, groups, trajectories, answers, shape }: FileReport): string {
  if (rows === 0) return 'no rows'
  const parts = [counted(rows, shape === 'sft' ? 'SFT row' : 'row')]
  if (groups > 0) parts.push(counted(groups, 'group'))
  if (shape !== 'sft') parts.push(counted(trajectories, 'trajectory', 'trajectories'))
  if (answers > 0) parts.push(counted(answers, 'answer'))
  return parts.join(', ')
}

function summaryOf(report: FileReport): string {
  const { unusable, doubted, findings, skipped, rows } = report
  if (rows === 0) return NO_ROWS
  const failed = findings.filter(({ severity }) => severity === 'fail').length
  const warned = findings.length - failed + doubted
  const lines = 'lines that cannot be used'
  const parts = [
    unusable > 0 && counted(unusable, 'line that cannot be used', lines),
    failed > 0 && counted(failed, 'failed check'),
    warned > 0 && counted(warned, 'warning'),
  ].filter((part) => part !== false)
  const off = skipped.flatMap(({ check }) => (isFileCheck(check) ? [check] : []))
  const what = parts.length === 0 ? nothingFound(report) : parts.join(', ')
  return off.length === 0 ? `${what}.` : `${what}. Did not run: ${off.join(', ')}; --json says why.`
}

/** What is true of a file without a finding. */
function nothingFound(report: FileReport): string {
  if (report.judged.every(({ judged }) => judged === 0)) return 'Nothing was judged'
  return notJudged(report).length === 0 ? 'No mistake found' : 'Nothing found in what was judged'
}

/** What `--json` prints about a file. */
export function trainingFileJson(file: string, report: FileReport): object {
  const { shape, problems, doubts, findings, judged, skipped, ...counts } = report
  return {
    file,
    rows_are: shape,
    ...counts,
    problems,
    doubts,
    findings: findings.map((finding) => ({
      ...finding,
      allow: `--check ${finding.check}=false`,
    })),
    judged,
    skipped,
  }
}
