import type { PlayReport } from '../../play/report.js'
import { type Paint, printable } from '../terminal.js'
import { jobSummary } from './job-summary.js'
import { timelineLines } from './timeline-lines.js'

/** The report for people: a timeline, and a summary of each job. */
export function reportText(report: PlayReport, paint: Paint): string {
  const { scenario, seed, timeline, jobs, duplicates } = report
  const description = scenario.description === '' ? '' : `: ${printable(scenario.description)}`
  const again = duplicates === 1 ? '1 event arrived' : `${duplicates} events arrived`
  return [
    `${paint('bold', printable(scenario.name))}${description}`,
    `Seed ${seed}, in virtual time`,
    '',
    ...timelineLines(timeline, paint),
    ...jobs.flatMap((job) => ['', ...jobSummary(job, paint)]),
    ...(duplicates === 0 ? [] : ['', paint('yellow', `${again} more than once.`)]),
  ].join('\n')
}
