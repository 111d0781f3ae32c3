import { expect, it } from 'vitest'
import {
  exploredFailure,
  exploredSuite,
} from '../../../../src/cli/tools/explore/explored-failures.js'
import { htmlReport } from '../../../../src/cli/tools/explore/html-report.js'
import { junitXml } from '../../../../src/cli/failure/junit.js'
import type { CommandExploration, Finding } from '../../../../src/cli/tools/explore/findings.js'
import type { ExploreFailure } from '../../../../src/tools/explore/exploration.js'
import { junitProblems, parseXml } from '../../failure/read-junit.js'
import { failureWith } from './failure-with.js'

const explored: CommandExploration = {
  command: ['sh', '-c', 'node loop.mjs && echo "<done>"'],
  report: {
    seed: 7,
    runs: [
      { number: 1, name: 'happy-path', kind: 'scenario', seed: 7, verdict: 'passed', took: 412.4 },
      {
        number: 2,
        name: 'chat-hangs',
        kind: 'scenario',
        seed: 7,
        verdict: 'hung',
        reason: 'a < b & c',
        failure: 1,
        took: 30_000,
      },
      {
        number: 3,
        name: 'faults 1',
        kind: 'faults',
        seed: 7,
        verdict: 'failed',
        reason: 'Error: "x"',
        took: 20,
      },
    ],
    failures: [
      failureWith({
        verdict: 'hung',
        title: 'a chat "hangs"\nforever',
        reason: 'a < b & c',
        seed: 7,
      }),
    ],
    skipped: [{ name: 'two-jobs', reason: 'The code creates <two> jobs.' }],
    ended: 'all_runs',
    took: 31_000,
  },
  findings: [],
  evidenceOf: (run) =>
    run === 3
      ? { code: 1, stdout: 'red \u001b[31m]]>\u0000\ud800', stderr: '', trace: '' }
      : undefined,
}

it('writes JUnit XML that CI systems can read', () => {
  const xml = junitXml(exploredSuite(explored))
  const root = parseXml(xml)
  expect(junitProblems(root)).toEqual([])
  const [suite] = root.children
  expect(suite!.attributes).toMatchObject({
    tests: '4',
    failures: '2',
    skipped: '1',
    time: '31.000',
  })
  const cases = suite!.children.filter(({ name }) => name === 'testcase')
  expect(cases.map(({ attributes }) => attributes.name)).toEqual([
    '1 happy-path',
    '2 chat-hangs',
    '3 faults 1',
    'two-jobs',
  ])
  expect(cases[0]!.children).toEqual([])
  const [hung] = cases[1]!.children
  expect(hung!.attributes).toEqual({ message: 'a < b & c', type: 'hung' })
  const [failed, output] = cases[2]!.children
  expect(failed!.text).toBe('Error: "x"')
  expect(output).toMatchObject({ name: 'system-out', text: 'red ]]>\ufffd\ufffd' })
  expect(cases[3]!.children[0]!.attributes.message).toBe('The code creates <two> jobs.')
})

const finding: Finding = {
  failure: explored.report.failures[0]!,
  file: 'x.yaml',
  log: undefined,
  again: 'npx again',
  repeated: true,
  evidence: undefined,
}

it('calls no scenario the smallest one if there was no time to find it', () => {
  const headingOf = (failure: ExploreFailure) => {
    return exploredFailure({ ...finding, failure }).parts![0]!.heading
  }
  const { failure } = finding
  expect(headingOf(failure)).toBe('The smallest scenario that fails')
  const unfinished = { ...failure, shrinking: { trials: 3, finished: false } }
  expect(headingOf(unfinished)).toBe('A scenario that fails')
})

it('names the failure of a run, with the smallest scenario', () => {
  const root = parseXml(junitXml(exploredSuite({ ...explored, findings: [finding] })))
  const [, , hung] = root.children[0]!.children
  expect(hung!.children[0]!.attributes.message).toBe('a chat "hangs"\nforever')
  expect(hung!.children[0]!.text).toBe(
    'a < b & c\n\nThe smallest scenario that fails:\nname: small\n\nRun it again:\nnpx again',
  )
})

it('says that the command names a file which could not be written', () => {
  const noted = (changes: Partial<Finding>) => exploredFailure({ ...finding, ...changes }).notes
  expect(noted({})).toEqual([])
  expect(noted({ file: undefined, repeated: undefined })).toEqual([
    expect.stringMatching(
      /^Its scenario could not be written to a file\. To run it again, save it/,
    ),
  ])
})

it('says on a page which runs found a failure, and that one was stopped', () => {
  const failure = { ...finding.failure, runs: [2, 3] }
  const evidence = { code: undefined, stdout: '', stderr: '', trace: '' }
  const page = htmlReport({ ...explored, findings: [{ ...finding, failure, evidence }] })
  expect(page).toContain('Found by runs 2, 3.')
  expect(page).toContain('What the command printed (it was stopped)')
})
