import { expect, it } from 'vitest'
import type { Finding } from '../../../../src/cli/tools/explore/findings.js'
import { exploredLines } from '../../../../src/cli/tools/explore/report-lines.js'
import type { ExploredRun, ExploreFailure } from '../../../../src/tools/explore/exploration.js'
import { failureWith } from './failure-with.js'

const failure = failureWith()

const FINDING: Finding = {
  failure,
  file: 'small.yaml',
  log: undefined,
  again: 'npx again',
  repeated: true,
  evidence: undefined,
}

/** What explore prints about failures. */
function linesOf(findings: readonly Finding[], runs: readonly ExploredRun[] = []): string {
  const failures = findings.map((each) => each.failure)
  const report = { seed: 1, runs, failures, skipped: [], ended: 'all_runs', took: 1000 } as const
  const paint = (_style: unknown, text: string): string => text
  const explored = { command: ['npm'], report, findings, evidenceOf: () => undefined }
  return exploredLines(explored, { output: { write() {}, paint }, verbose: false }).join('\n')
}

/** The report about a failure whose smallest scenario was run again. */
function reported(
  found: ExploreFailure,
  repeated: boolean | undefined,
  runs: readonly ExploredRun[] = [],
): string {
  return linesOf([{ ...FINDING, failure: found, repeated }], runs)
}

it.each<[string, ExploreFailure, boolean | undefined, string]>([
  ['did not fail again', failure, false, 'so it may depend on timing'],
  ['failed only sometimes', { ...failure, flaky: true }, true, 'so it may depend on timing'],
  ['was not run again', failure, undefined, 'The scenario was not run again.'],
])('a report says if the smallest scenario %s', (_what, found, repeated, note) => {
  expect(reported(found, repeated)).toContain(note)
  expect(reported(failure, true)).not.toContain(note)
})

it('a report lists five runs of a failure, and counts the others', () => {
  const runs = Array.from({ length: 7 }, (_, at): ExploredRun => {
    const name = `faults ${at}`
    return { number: at + 1, name, kind: 'faults', seed: 1, verdict: 'failed', failure: 1, took: 9 }
  })
  const text = reported(failure, true, runs)
  expect(text.match(/faults \d/g)).toHaveLength(5)
  expect(text).toContain('… 2 more; --verbose lists all')
})

it('a report names the scenarios that passed, and counts what was drawn', () => {
  const names = ['happy-path', 'faults 1', 'faults 2', 'faults 17']
  const runs = names.map((name, at): ExploredRun => {
    const kind = at === 1 || at === 2 ? 'faults' : 'scenario'
    return { number: at + 1, name, kind, seed: 1, verdict: 'passed', took: 9 }
  })
  // The last one is a scenario of the user.
  expect(reported(failure, true, runs)).toContain(
    'Passed (4): happy-path, faults 17, 2 combinations of drawn faults\n',
  )
})

it('a report has no codes of terminals that a name has', () => {
  const remark = 'Model \u001b[31mred has the checkpoint of step 2'
  const run = { number: 1, name: 'mine', kind: 'scenario', seed: 1, took: 9, remark } as const
  const text = reported(failure, true, [{ ...run, verdict: 'passed' }])
  expect(text).toContain('mine: Model \\u001b[31mred')
})

/** The output of a program that raised an error in this line. */
function ownError(line: number): string {
  return `Traceback (most recent call last):
  File "/home/me/train.py", line ${line}, in main
RuntimeError: refused
`
}

/** The same, if a library raised it that the program called there. */
function errorOfLibrary(line: number): string {
  const frame = '  File "/usr/lib/python3.12/site-packages/art/backend.py", line 80, in train'
  return ownError(line).replace('RuntimeError', `${frame}\nRuntimeError`)
}

/** A report about failures, each with what the program printed, or with the line in which it called a library. */
function reportedFrom(...outputs: (number | string)[]): string {
  const findings = outputs.map((output, at): Finding => {
    const stderr = typeof output === 'string' ? output : errorOfLibrary(output)
    return {
      ...FINDING,
      failure: { ...failure, number: at + 1 },
      file: `${at + 1}.yaml`,
      evidence: { code: 1, stdout: '', stderr, trace: '' },
    }
  })
  return linesOf(findings)
}

it('a report groups failures by what raised the error, and by the line of the program', () => {
  expect(reportedFrom(21, 15, 21)).toContain(
    'Where an error of the library art ended the program, which can catch it there:\n  train.py:21: failures 1, 3\n  train.py:15: failure 2\n',
  )
  expect(reportedFrom(21, 15)).not.toContain('ended the program')
  expect(reportedFrom(21, ownError(15))).toContain(
    'of the library art ended the program, which can catch it there:\n  train.py:21: failure 1\nWhere the program gave up:\n  train.py:15: failure 2\n',
  )
})

it('a report shows the scenarios of up to five failures, and names the files of more', () => {
  expect(reportedFrom(1, 2, 3, 4, 5).match(/name: small/g)).toHaveLength(5)
  expect(reportedFrom(1, 2, 2).match(/name: small/g)).toHaveLength(2)
  expect(reportedFrom(1, 2, 2)).toContain(
    'The same call of a library, at the same line:\n  Failure 3: createModel was refused with 503: 3.yaml\n',
  )
  const many = reportedFrom(1, 2, 3, 4, 5, 6)
  expect(many).not.toContain('name: small')
  expect(many).toContain('The scenario: 6.yaml\n')
})
