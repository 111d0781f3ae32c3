import { describe, expect, it } from 'vitest'
import { operations } from '../../../src/service/api/table.js'
import { variationsOf } from '../../../src/service/contract/variations.js'
import { checkScenario } from '../../../src/service/scenario/check-scenario.js'
import type { Trial, TrialResult } from '../../../src/tools/explore/exploration.js'
import { runExploration } from '../../../src/tools/explore/explore.js'
import { fields } from '../../../src/tools/explore/parts/fields.js'
import { observation } from './observation.js'

function allowed(operation: string, kind: string): string[] {
  const { response } = operations.find(({ id }) => id === operation)!
  return variationsOf(response).flatMap((each) => (each.kind === kind ? each.path : []))
}

describe('what a contract lets differ in an answer', () => {
  it('is absent if it is optional or not documented', () => {
    expect(allowed('createModel', 'absent')).toEqual(['run_id'])
    expect(allowed('getTrainingJob', 'absent')).toContain('status')
    expect(allowed('getTrainingJob', 'absent')).not.toContain('id')
    // A map promises none of its keys.
    expect(allowed('listCheckpoints', 'absent')).toContain('data.*.metrics.*')
  })

  it('is null or anything if its type says so', () => {
    expect(allowed('createModel', 'null')).toEqual(['run_id'])
    expect(allowed('createChatCompletion', 'null')).toContain('choices.*.message.content')
    expect(allowed('listTrainingJobEvents', 'any')).toEqual(['data.*.data.*'])
    expect(allowed('listTrainingJobEvents', 'absent')).not.toContain('data.*.data.*')
  })

  it('has unknown fields in each object, and nothing in a list of texts', () => {
    expect(allowed('listCheckpoints', 'added')).toEqual(['added_later', 'data.*.added_later'])
    expect(allowed('listBaseModels', 'added')).toEqual([])
  })
})

const observed = observation({
  calls: { createModel: 1, createRlTrainingJob: 3, listTrainingJobEvents: 9, platformGraphql: 4 },
})

const planned = (seed: number) => [...fields.plan({ observed, problems: [], own: [], seed })]

describe('runs with changed fields', () => {
  it('change one answer of each operation, and only as the contract allows', () => {
    for (const { scenario } of planned(1)) {
      for (const rule of checkScenario(scenario).faults) {
        if (rule.fault !== 'edit') throw new Error(`There is a ${rule.fault}.`)
        const { match, calls, remove = [], set = {} } = rule
        expect(calls).toEqual(expect.any(Number))
        const operation = String(Object(match).operation)
        const of = (...kinds: string[]) => kinds.flatMap((kind) => allowed(operation, kind))
        expect(of('absent', 'any')).toEqual(expect.arrayContaining([remove].flat()))
        expect(of('null', 'added', 'any')).toEqual(expect.arrayContaining(Object.keys(set)))
      }
    }
  })

  it('try each kind of change first, and then parts of it', () => {
    const texts = planned(1).map(({ scenario }) => JSON.stringify(scenario.faults))
    expect(texts[0]).toContain('"remove":["run_id"]')
    expect(texts[1]).toContain('{"run_id":null}')
    expect(texts[2]).toContain('{"added_later":true}')
    expect(texts[3]).toContain('"data.*.data.*"')
    expect(new Set(texts).size).toBeGreaterThan(20)
    expect(planned(1)).toEqual(planned(1))
  })

  it('shrink to the one field that a client needs', async () => {
    const needsStatus = ({ scenario }: Trial): Promise<TrialResult> => {
      const isGone = checkScenario(scenario).faults.some((rule) => {
        return rule.fault === 'edit' && [rule.remove ?? []].flat().includes('status')
      })
      const ended = isGone ? { ended: 'error', error: "KeyError: 'status'" } : { ended: 'success' }
      return Promise.resolve({ ...ended, took: 5, observed } as TrialResult)
    }
    const { failures } = await runExploration({ runs: 6, only: ['fields'] }, needsStatus)
    expect(failures.map(({ yaml }) => yaml)).toEqual([
      [
        'name: call-edited',
        'description: "Call 1 of any operation: an answer without status."',
        'faults:',
        '  - { fault: edit, calls: 1, remove: status }',
        '',
      ].join('\n'),
    ])
  })
})
