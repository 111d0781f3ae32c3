import { counted, groupsOf } from '../../base/text/counted.js'
import { killText } from './crash/kill.js'
import { roundDuration } from '../../base/text/duration.js'
import type {
  ExploredRun,
  ExploreFailure,
  ExplorePlan,
  ExploreReport,
  UntriedReason,
  Verdict,
} from './exploration.js'

/** How the text of a report is written. */
export interface ReportStyle {
  /** Returns the command or code that repeats a failure. */
  readonly repeat?: ((failure: ExploreFailure) => string) | undefined
  /** Whether the text lists every run, and all that was not tried. Default: what did not pass, and some. */
  readonly allRuns?: boolean | undefined
}

/** The verdict in words. */
export function verdictText(verdict: Verdict): string {
  return verdict.replace('_', ' ')
}

/** Says what will be tried, and how much of it fits into the time. */
export function planLines({ took, time, planned, fits, first, limit }: ExplorePlan): string[] {
  const all = counted(planned, 'planned run')
  const some =
    fits < planned
      ? `If each takes as long, ${fits} of ${all} fit`
      : `${all} ${planned === 1 ? 'fits' : 'fit'}`
  const left = planned - first.length
  return [
    `The first run took ${roundDuration(took)}. ${some} into the time of ${roundDuration(time)}${fits < planned ? '; later runs are often faster' : ''}:`,
    ...first.map(({ name, finds }) => `  ${name}${finds === undefined ? '' : `: ${finds}`}`),
    ...(left > 0 ? [`  … ${left} more`] : []),
    ...(limit === undefined ? [] : [limit]),
  ]
}

/** Says why runs show nothing, and what would help. `time` names the option. */
export function untriedText({ reason, time }: UntriedReason, option = 'a time of'): string {
  return time === undefined ? reason : `${reason} Give it ${option} ${time}.`
}

/** Formats a report: a summary, the runs, and each failure with its smallest scenario. */
export function formatReport(report: ExploreReport, style: ReportStyle = {}): string {
  const runs = report.runs.filter(({ verdict, remark }) => {
    return style.allRuns === true || verdict !== 'passed' || remark !== undefined
  })
  return [
    summary(report),
    ...(runs.length > 0 ? ['', ...runs.map(runLine)] : []),
    ...report.failures.flatMap((failure) => ['', ...failureLines(failure, report, style)]),
    ...(report.skipped.length > 0 ? ['', ...skippedLines(report, style.allRuns)] : []),
  ].join('\n')
}

/** What was not tried: a line for each reason, with the first names, or with all. */
export function skippedLines(
  { skipped }: Pick<ExploreReport, 'skipped'>,
  hasAll = false,
): string[] {
  if (skipped.length === 0) return []
  const most = hasAll ? Infinity : MOST_SKIPPED
  const byReason = groupsOf(skipped, ({ reason }) => reason)
  return [
    'Not tried:',
    ...Array.from(byReason, ([reason, all]) => {
      const names = all.slice(0, most).map(({ name }) => name)
      const more = all.length > most ? ` and ${all.length - most} more` : ''
      return `  ${reason.replace(/\.$/, '')}: ${names.join(', ')}${more}`
    }),
  ]
}

/** How many names a reason has. */
const MOST_SKIPPED = 8

const ENDS: Readonly<Record<ExploreReport['ended'], string>> = {
  all_runs: '',
  time: ' The time was over before all runs were done.',
  interrupted: ' It was interrupted.',
  baseline: ' It fails without any fault, so nothing else was tried.',
}

/** What a summary says at its end: what ended the runs, and whether scenarios may be larger than they must be. */
export function endText({ ended, failures }: ExploreReport): string {
  const isCutShort = failures.some(({ flaky, shrinking, kill }) => {
    return flaky !== true && !kill && !shrinking.finished
  })
  if (!isCutShort || ended === 'interrupted' || ended === 'baseline') return ENDS[ended]
  return `${ENDS[ended]} There was no time to make all scenarios as small as possible.`
}

function summary(report: ExploreReport): string {
  const { runs, failures, seed, untried } = report
  const why = untried ? `${untriedText(untried)} ` : ''
  const passed = runs.filter(({ verdict }) => verdict === 'passed').length
  const found = failures.length === 0 ? 'no failure' : counted(failures.length, 'failure')
  return `${why}${counted(runs.length, 'run')}, ${passed} passed, ${found} (seed ${seed}).${endText(report)}`
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
  const { number, verdict, title, runs, flaky } = failure
  const what = failure.kill ? 'kill' : 'scenario'
  const chance = `  It did not fail again with this ${what}, so it may be chance.`
  return [
    `Failure ${number} (${verdictText(verdict)}, ${counted(runs.length, 'run')}): ${title}`,
    ...(reasonBelow(failure)?.split('\n') ?? []).map((line) => `  ${line}`),
    ...(flaky === true ? [chance] : []),
    // The code fails without any scenario: none repeats it.
    ...(ended === 'baseline' ? [] : repeatLines(failure, repeat)),
  ]
}

/** The reason of a failure, if its title does not say it. */
export function reasonBelow({
  title,
  reason,
}: Pick<ExploreFailure, 'title' | 'reason'>): string | undefined {
  return title.endsWith(reason) ? undefined : reason
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
