import type { ExploredRun } from '../../tools/explore/exploration.js'
import { verdictText } from '../../tools/explore/report.js'
import { junitXml, type JunitCase } from './junit.js'
import type { CommandExploration } from '../explore/findings.js'

/** Formats an exploration as JUnit XML: a test case for each run, and a skipped one for each scenario not tried. */
export function exploredXml(explored: CommandExploration): string {
  const { command, report } = explored
  const { runs, skipped, seed, took } = report
  return junitXml({
    name: 'svtrain-emulator explore',
    properties: { seed: String(seed), command: command.join(' ') },
    took,
    cases: [
      ...runs.map((run) => caseOf(run, explored)),
      ...skipped.map(({ name, reason }) => ({ name, skipped: reason })),
    ],
  })
}

function caseOf(run: ExploredRun, { findings, evidenceOf }: CommandExploration): JunitCase {
  const { number, verdict, reason = '', failure, took } = run
  const name = `${number} ${run.name}`
  if (verdict === 'passed') return { name, took }
  const finding = findings.find((each) => each.failure.number === failure)
  const text = [
    reason,
    ...(finding
      ? [
          '',
          'The smallest scenario that fails:',
          finding.failure.yaml.trimEnd(),
          '',
          'Run it again:',
          finding.again,
        ]
      : []),
  ].join('\n')
  const message = finding?.failure.title ?? reason
  const { stdout, stderr } = evidenceOf(number) ?? {}
  return { name, took, failure: { message, type: verdictText(verdict), text }, stdout, stderr }
}
