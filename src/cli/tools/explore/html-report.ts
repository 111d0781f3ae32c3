import type { ExploredRun, Verdict } from '../../../tools/explore/exploration.js'
import { markup, type Content } from '../../../tools/report/markup.js'
import {
  badge,
  code,
  facts,
  foldable,
  notice,
  page,
  table,
  type Mood,
} from '../../../tools/report/page.js'
import { counted } from '../../../base/text/counted.js'
import { exploredFailure } from './explored-failures.js'
import { failureContent } from '../../failure/html.js'
import { formatDuration } from '../../report/format.js'
import type { CommandExploration, Finding } from './findings.js'
import { verdictText } from '../../../tools/explore/report.js'
import { countsText } from './report-lines.js'

const MOODS: Readonly<Record<Verdict, Mood>> = {
  passed: 'good',
  failed: 'bad',
  hung: 'bad',
  client_check: 'warn',
}

/** Formats an exploration as one self-contained page. */
export function htmlReport({ command, report, findings }: CommandExploration): string {
  const { runs, skipped, seed, took, untried } = report
  const failed = findings.length > 0
  const found = untried ? '' : `${failed ? counted(findings.length, 'failure') : 'No failure'}. `
  return page({
    title: `Explored ${counted(runs.length, 'run')}`,
    intro: [
      notice(found + countsText(report), { bad: failed || untried !== undefined }),
      facts([
        ['Command', markup`<code>${command.join(' ')}</code>`],
        ['Seed', String(seed)],
        ['Took', formatDuration(took)],
      ]),
    ],
    sections: [
      ...findings.map((finding) => ({
        id: `failure-${finding.failure.number}`,
        title: `Failure ${finding.failure.number}: ${finding.failure.title}`,
        content: findingContent(finding),
      })),
      { id: 'runs', title: 'Runs', content: runTable(runs) },
      ...(skipped.length > 0
        ? [
            {
              id: 'not-tried',
              title: 'Not tried',
              content: table({
                label: 'What was not tried',
                columns: ['Name', 'Why'],
                rows: skipped.map(({ name, reason }) => [name, reason]),
              }),
            },
          ]
        : []),
    ],
  })
}

function findingContent(finding: Finding): Content {
  const { failure, evidence } = finding
  const content = failureContent(exploredFailure(finding), MOODS[failure.verdict])
  if (!evidence) return content
  const { trace, code: exitCode, stdout, stderr } = evidence
  const end = exitCode === undefined ? 'it was stopped' : `exit code ${exitCode}`
  const printed = [stdout, stderr].filter((text) => text !== '').join('\n')
  return [
    content,
    foldable('What happened in the emulator', code(trace)),
    foldable(`What the command printed (${end})`, code(printed || 'Nothing.')),
  ]
}

function runTable(runs: readonly ExploredRun[]): Content {
  const rank = ({ verdict }: ExploredRun): number => (verdict === 'passed' ? 1 : 0)
  return table({
    label: 'Runs',
    columns: [
      { name: 'Run', is: 'number' },
      'What was tried',
      { name: 'Verdict', is: 'short' },
      { name: 'Time', is: 'number' },
      'Why',
    ],
    rows: [...runs]
      .sort((one, other) => rank(one) - rank(other))
      .map(({ number, name, verdict, took, reason, remark, failure }) => [
        number,
        name,
        badge(verdictText(verdict), MOODS[verdict]),
        formatDuration(took),
        failure === undefined
          ? (reason ?? remark ?? '')
          : markup`<a href="#failure-${failure}">failure ${failure}</a>: ${reason}`,
      ]),
  })
}
