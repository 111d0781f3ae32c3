import { RUN_AGAIN } from '../../../base/text/evidence.js'
import { counted } from '../../../base/text/counted.js'
import { killText } from '../../../tools/explore/crash/kill.js'
import type { ExploredRun } from '../../../tools/explore/exploration.js'
import { reasonBelow, untriedText, verdictText } from '../../../tools/explore/report.js'
import type { CommandExploration, Finding } from './findings.js'
import type { Failure } from '../../failure/failure.js'
import type { JunitCase, JunitSuite } from '../../failure/junit.js'

/** A failure that an exploration found: its smallest scenario, and the command that repeats it. */
export function exploredFailure(finding: Finding): Failure {
  const { failure, file, again } = finding
  const { number, verdict, title, runs, yaml, kill, shrinking } = failure
  const kind = verdictText(verdict)
  return {
    title,
    kind,
    headline: {
      text: `Failure ${number}: ${title}`,
      facts: `(${kind}, ${counted(runs.length, 'run')})`,
    },
    reason: reasonBelow(failure),
    notes: notesOn(finding),
    parts: [
      kill
        ? {
            heading: 'What it does not survive',
            form: 'sentence',
            text: `a kill ${killText(kill)}`,
          }
        : {
            heading: `${shrinking.finished ? 'The smallest' : 'A'} scenario that fails`,
            form: 'code',
            text: yaml.trimEnd(),
            file,
            before: `Found by ${runs.length === 1 ? 'run' : 'runs'} ${runs.join(', ')}.`,
          },
      { heading: RUN_AGAIN, form: 'code', text: again },
    ],
  }
}

/** What limits a finding. */
function notesOn({ failure, file, repeated }: Finding): string[] {
  const { flaky = false, shrinking } = failure
  if (!failure.kill && file === undefined) {
    return [
      'Its scenario could not be written to a file. To run it again, save it under the name that the command has.',
    ]
  }
  if (flaky || repeated === false) {
    return ['It did not fail each time with this scenario, so it may depend on timing.']
  }
  if (!shrinking.finished) {
    // The last line of the report says it of scenarios, once for all.
    if (!failure.kill) return []
    return ['The time was over before it was tried again: a longer --time helps.']
  }
  return repeated === undefined ? ['The scenario was not run again.'] : []
}

/**
 * The test cases of an exploration: one for each run, and a skipped one for each scenario not tried. If nothing was tried,
 * one says so.
 */
export function exploredSuite(explored: CommandExploration): JunitSuite {
  const { command, report } = explored
  const { runs, skipped, seed, took, untried } = report
  const error = untried && { title: untriedText(untried, '--time'), kind: 'not tried' }
  return {
    name: 'svtrain-emulator explore',
    properties: { seed: String(seed), command: command.join(' ') },
    took,
    cases: [
      ...runs.map((run) => caseOf(run, explored)),
      ...(error ? [{ name: 'something is tried', error }] : []),
      ...skipped.map(({ name, reason }) => ({ name, skipped: reason })),
    ],
  }
}

function caseOf(run: ExploredRun, { findings, evidenceOf }: CommandExploration): JunitCase {
  const { number, verdict, reason = '', failure, took } = run
  const name = `${number} ${run.name}`
  if (verdict === 'passed') return { name, took }
  const finding = findings.find((each) => each.failure.number === failure)
  const found = finding ? exploredFailure(finding) : { title: reason }
  const { stdout, stderr } = evidenceOf(number) ?? {}
  return { name, took, failure: { ...found, kind: verdictText(verdict), reason }, stdout, stderr }
}
