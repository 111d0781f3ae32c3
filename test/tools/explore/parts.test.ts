import { expect, it } from 'vitest'
import { assertNames } from '../../../src/cli/tools/explore/names.js'
import type { TrialResult } from '../../../src/tools/explore/exploration.js'
import { runExploration } from '../../../src/tools/explore/explore.js'
import type { DrawnKind, DrawnPart, Part } from '../../../src/tools/explore/part.js'
import { allParts, namesIn } from '../../../src/tools/explore/parts/index.js'
import { mayBecome } from '../../../src/tools/explore/recoverable.js'
import { formatReport } from '../../../src/tools/explore/report.js'
import { observation } from './observation.js'

const observed = observation({ calls: { createModel: 1 } })

/** A kind of run that the project does not have. */
const storms: DrawnPart = {
  kind: 'storms' as string as DrawnKind,
  share: 0.5,
  counted: ['storm', 'storms'],
  *plan() {
    for (let number = 1; ; number++) {
      const name = `storms ${number}`
      const faults = [{ fault: 'drop' as const, calls: [number, number + 1] }]
      yield { name, scenario: { name, faults }, expects: 'success' }
    }
  },
  mayBecome,
  remarkOn: ({ name }) => `${name} was mild`,
}

const withStorms: readonly Part[] = [...allParts, storms]

it('plans, runs, judges and shrinks a kind of run, and names its runs in the report', async () => {
  const report = await runExploration(
    { runs: 20, skip: ['faults', 'fields'] },
    ({ kind, scenario, number }): Promise<TrialResult> => {
      const isStorm = kind === 'shrink' || (kind as string) === 'storms'
      const fails = isStorm && number !== 20 && scenario.faults?.[0]?.fault === 'drop'
      const ended = fails ? { ended: 'error', error: 'It sank' } : { ended: 'success' }
      return Promise.resolve({ ...ended, took: 5, observed } as TrialResult)
    },
    withStorms,
  )
  // The list leaves half of the runs.
  const stormRuns = report.runs.filter(({ name }) => /^storms \d+$/.test(name))
  expect(stormRuns.map(({ number }) => number)).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20])
  expect(stormRuns.at(-1)).toMatchObject({ verdict: 'passed', remark: 'storms 10 was mild' })
  expect(report.failures).toMatchObject([
    {
      runs: [11, 12, 13, 14, 15, 16, 17, 18, 19],
      scenario: { faults: [{ fault: 'drop', calls: 1 }] },
    },
  ])
  const text = formatReport(report)
  expect(text).toMatch(/^ {2}11 {2}storms 1 +failed +It sank \(failure 1\)$/m)
  expect(text).toMatch(/^ {2}20 {2}storms 10 +passed +storms 10 was mild$/m)
})

it('takes the names of each kind of run in --only, and suggests them', () => {
  const names = namesIn(withStorms, [{ scenario: { name: 'mine' } }])
  const only = ['mine', 'equal-events', 'chat-hangs', 'faults', 'fields', 'storms']
  expect(() => assertNames({ only, skip: undefined }, names)).not.toThrow()
  expect(() => assertNames({ only: ['storm'], skip: undefined }, names)).toThrow(
    '--only takes names of scenarios, or faults for the drawn faults, fields for the changed fields of answers, crashes for the kills of the command, not "storm". Did you mean "storms"?',
  )
})
