import type { PlayReport } from '../../../tools/play/report.js'
import { withDescription } from '../../../base/text/with-description.js'
import { type Output, printable } from '../../terminal.js'
import { wrapped } from '../../text-width.js'
import { jobSummary } from './job-summary.js'
import { timelineLines } from './timeline-lines.js'

/** The report for people: a timeline, and a summary of each job. */
export function reportText(
  report: PlayReport,
  { paint, columns }: Pick<Output, 'paint' | 'columns'>,
): string {
  const width = columns?.()
  const { seed, timeline, jobs, duplicates, unused } = report
  const { name, description } = report.scenario
  const title = withDescription(paint('bold', printable(name)), printable(description))
  const again = duplicates === 1 ? '1 event arrived' : `${duplicates} events arrived`
  return [
    ...wrapped(title, width, 0),
    `Seed ${seed}, in virtual time`,
    '',
    ...timelineLines(timeline, { paint, width }),
    ...jobs.flatMap((job) => ['', ...jobSummary(job, { paint, width })]),
    ...(duplicates === 0 ? [] : ['', paint('yellow', `${again} more than once.`)]),
    ...unused.flatMap((text) => ['', ...wrapped(paint('yellow', printable(text)), width, 0)]),
  ].join('\n')
}
