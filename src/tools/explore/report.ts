import { counted } from '../../base/text/counted.js'
import { killText } from './crash/kill.js'
import type { ExploredRun, ExploreFailure, ExploreReport, Verdict } from './exploration.js'

/** How the text of a report is written. */
export interface ReportStyle {
  /** Returns the command or code that repeats a failure. */
  readonly repeat?: ((failure: ExploreFailure) => string) | undefined
  /** Whether the text lists every run. Default: only those that did not pass. */
  readonly allRuns?: boolean | undefined
}

const VERDICTS: Readonly<Record<Verdict, string>> = {
  passed: 'passed',
  failed: 'failed',
  hung: 'hung',
  client_check: 'client check',
}

/** The verdict in words. */
export function verdictText(verdict: Verdict): string {
  return VERDICTS[verdict]
}

/** Formats a report: a summary, the runs, and each failure with its smallest scenario. */
export function formatReport(report: ExploreReport, style: ReportStyle = {}): string {
  return reportLines(report, style).join('\n')
}

/** The same as lines. */
export function reportLines(report: ExploreReport, style: ReportStyle = {}): string[] {
  const runs = report.runs.filter(({ verdict, remark }) => {
    return style.allRuns === true || verdict !== 'passed' || remark !== undefined
  })
  return [
    summary(report),
    ...(runs.length > 0 ? ['', ...runs.map(runLine)] : []),
    ...report.failures.flatMap((failure) => ['', ...failureLines(failure, report, style)]),
    ...(report.skipped.length > 0 ? ['', ...skippedLines(report)] : []),
  ]
}

/** The scenarios that were not tried: a line for each reason, with their names. */
export function skippedLines({ skipped }: Pick<ExploreReport, 'skipped'>): string[] {
  if (skipped.length === 0) return []
  const byReason = new Map<string, string[]>()
  for (const { name, reason } of skipped) {
    byReason.set(reason, [...(byReason.get(reason) ?? []), name])
  }
  return [
    `Not tried (${skipped.length}):`,
    ...[...byReason].map(
      ([reason, names]) => `  ${reason.replace(/\.$/, '')}: ${names.join(', ')}`,
    ),
  ]
}

const ENDS: Readonly<Record<ExploreReport['ended'], string>> = {
  all_runs: '',
  time: ' The time was over before all runs were done.',
  interrupted: ' It was interrupted.',
  baseline: ' It fails without any fault, so nothing else was tried.',
}

/** What a summary says at its end: what ended the runs, or the shrinking after all runs. */
export function endText({ ended, failures }: ExploreReport): string {
  const isCutShort = failures.some(({ flaky, shrinking }) => {
    return flaky !== true && !shrinking.finished
  })
  if (ended !== 'all_runs' || !isCutShort) return ENDS[ended]
  return ' All runs were done. The time was over before all scenarios were as small as possible.'
}

function summary(report: ExploreReport): string {
  const { runs, failures, seed } = report
  const passed = runs.filter(({ verdict }) => verdict === 'passed').length
  const found = failures.length === 0 ? 'no failure' : counted(failures.length, 'failure')
  return `${counted(runs.length, 'run')}, ${passed} passed, ${found} (seed ${seed}).${endText(report)}`
}

/** One run in a line: `12  chat-hangs  hung  createChatCompletion got no answer … (failure 2)`. */
export function runLine({ number, name, verdict, reason, remark, failure }: ExploredRun): string {
  const about = reason ?? remark
  const belongs = failure === undefined ? '' : ` (failure ${failure})`
  const why = about === undefined ? '' : `  ${about.split('\n')[0]}${belongs}`
  return `${String(number).padStart(4)}  ${name.padEnd(29)}  ${verdictText(verdict).padEnd(12)}${why}`.trimEnd()
}

function failureLines(
  failure: ExploreFailure,
  { ended }: ExploreReport,
  { repeat }: ReportStyle,
): string[] {
  const { number, verdict, title, reason, runs, flaky, shrinking } = failure
  const what = failure.kill ? 'kill' : 'scenario'
  const notes = [
    ...(flaky === true ? [`  It did not fail again with this ${what}, so it may be chance.`] : []),
    ...(shrinking.finished || flaky === true
      ? []
      : ['  The time was over before the scenario was as small as possible.']),
  ]
  return [
    `Failure ${number} (${verdictText(verdict)}, ${counted(runs.length, 'run')}): ${title}`,
    ...(reason === title ? [] : reason.split('\n').map((line) => `  ${line}`)),
    ...notes,
    // The code fails without any scenario: none repeats it.
    ...(ended === 'baseline' ? [] : repeatLines(failure, repeat)),
  ]
}

function repeatLines(failure: ExploreFailure, repeat: ReportStyle['repeat']): string[] {
  const { yaml, kill } = failure
  const again = repeat?.(failure)
  return [
    '',
    ...(kill ? `a kill ${killText(kill)}` : yaml)
      .trimEnd()
      .split('\n')
      .map((line) => `    ${line}`),
    ...(again === undefined ? [] : ['', ...again.split('\n').map((line) => `    ${line}`)]),
  ]
}
