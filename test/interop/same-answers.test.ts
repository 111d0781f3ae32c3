import { beforeAll, describe, expect, inject, it } from 'vitest'
import { operations } from '../../src/index.js'
import { describeApi } from '../../src/service/api/openapi.js'
import { operationsIn } from '../../src/service/api/table.js'
import { NEWEST_CONTRACT, type ContractVersion } from '../../src/service/contract/versions.js'
import { compareAll, differentIn, problemsIn, reportCompared } from './compare-all.js'
import type { Answer, Compared } from './requests/compare.js'
import { categories, generateRequests } from './requests/generate.js'
import type { GeneratedRequest } from './requests/recipe.js'

/** Thousands of generated requests, answered by the framework and by us. */

const SEED = 1
const { framework: python } = inject('pythons')
const document = describeApi(operations, 'training')

const generatedBefore = new Map<ContractVersion, readonly GeneratedRequest[]>()

/** The requests of a contract. To generate them takes longer than to answer many of them. */
function generatedFor(contract: ContractVersion): readonly GeneratedRequest[] {
  const before = generatedBefore.get(contract)
  if (before) return before
  const generated = generateRequests(describeApi(operationsIn(contract), 'training'), SEED)
  // Bodies with the fields that an older contract ignores.
  if (contract !== NEWEST_CONTRACT) generated.push(...generateRequests(document, SEED + 1))
  generatedBefore.set(contract, generated)
  return generated
}

/** The expected error type of each documented refusal. */
const told: Readonly<Record<string, string>> = {
  'bad JSON': 'json_invalid',
  'no body': 'missing',
  'body is no object': 'model_attributes_type',
  'missing field': 'missing',
  'no string': 'string_type',
  'return_existing is null': 'bool_type',
  'model_id is no UUID': 'uuid_parsing',
  'limit below 1': 'greater_than_equal',
  'limit above 100': 'less_than_equal',
  'limit is no number': 'int_parsing',
  'order is neither': 'literal_error',
  'step is no integer': 'int_from_float',
  'exception without its fields': 'missing',
  'no object where one is needed': 'dict_type',
  'metric of no kind': 'float_parsing',
  'assistant_turns is neither': 'literal_error',
  'message of no kind': 'literal_error',
}

describe.skipIf(python.why !== undefined)('the framework and the emulator', () => {
  let compared: Compared[]
  const of = (category: string): Compared[] =>
    compared.filter(({ request }) => request.category === category)
  beforeAll(async () => {
    compared = await compareAll(python.command!, { requests: generatedFor(NEWEST_CONTRACT) })
  }, 600_000)

  it('get 20,000 requests, and accept at most a fifth of them', () => {
    expect(compared.length).toBe(20_000)
    const accepted = compared.filter(({ theirs }) => theirs.status === 200).length
    expect(accepted / compared.length).toBeLessThanOrEqual(0.2)
    expect(accepted).toBeGreaterThan(1000)
  })

  it.each(Object.entries(told))('return "%s" at least 200 times, as %s', (row, type) => {
    const met = of(`refusal: ${row}`).filter(({ theirs }) => typesOf(theirs).includes(type))
    expect(met.length).toBeGreaterThanOrEqual(200)
  })

  it('get at least 200 requests for each operation', () => {
    for (const { method, path } of operations.filter(isJudged)) {
      const pattern = new RegExp(`^${path.replaceAll(/{\w+}/g, '[^/]+')}$`)
      const asked = compared.filter(({ request }) => {
        return request.method === method && pattern.test(request.path.split('?')[0]!)
      })
      expect(asked.length, `${method} ${path}`).toBeGreaterThanOrEqual(200)
    }
  })

  it.each(Object.keys(categories(document)))(
    'give the same answer to nearly all of "%s"',
    (category) => {
      const cases = of(category)
      expect(1 - differentIn(cases).length / cases.length).toBeGreaterThanOrEqual(0.97)
    },
  )

  it('give the same answer to 99.5 % of all requests, and differ only for known reasons', () => {
    expect(problemsIn(compared)).toEqual([])
  })

  it('are in the table of the documentation', () => {
    const rows = Object.entries({
      'Generated bodies': /^body/,
      'Generated queries': /^query/,
      'Operations that take neither': /^(?:GET|DELETE)/,
      'Documented refusals, row by row': /^refusal/,
      'Keys, content types, encodings, broken JSON': /^(?:keys|content|encodings|JSON)/,
    }).map(([check, pattern]) => {
      return { check, compared: compared.filter(({ request }) => pattern.test(request.category)) }
    })
    expect(rows.reduce((sum, row) => sum + row.compared.length, 0)).toBe(compared.length)
    expect(reportCompared('2-answers', rows)).toEqual([])
  })
})

describe.skipIf(python.why !== undefined)('the contract 2026-01', () => {
  let compared: Compared[]
  beforeAll(async () => {
    // What it changed is in these bodies. openapi.test.ts compares the rest of its document.
    const requests = generatedFor('2026-01').filter(({ path }) => /(?:-jobs|\/log)$/.test(path))
    compared = await compareAll(python.command!, { contract: '2026-01', requests })
  }, 600_000)

  it('has the same answers as the framework with the older models', () => {
    expect(problemsIn(compared)).toEqual([])
  })

  it('refuses at least 200 groups without trajectories, and 200 trajectories for their metadata', () => {
    const refused = (place: RegExp): number =>
      compared.filter(({ theirs }) => theirs.status === 422 && place.test(theirs.body)).length
    expect(
      refused(/"missing","loc":\["body","trajectory_groups",\d+,"trajectories"\]/),
    ).toBeGreaterThan(200)
    expect(refused(/"metadata","[^"]*","float"\]/)).toBeGreaterThan(200)
  })

  it('is in the table of the documentation', () => {
    const check = 'Generated jobs and logs, contract 2026-01'
    const row = { check, compared, reasons: 'those of the rows above' }
    expect(reportCompared('2b-answers-2026-01', [row])).toEqual([])
  })
})

describe.skipIf(python.why !== undefined)('another reading of message arrays', () => {
  it.each(['clients', 'unchecked', 'any'] as const)(
    '%s has the same answers, except for known reasons',
    async (reading) => {
      const requests = generatedFor(NEWEST_CONTRACT).filter(({ body }) => {
        return body?.includes('messages')
      })
      const compared = await compareAll(python.command!, { reading, requests })
      expect(compared.length).toBeGreaterThan(2000)
      expect(problemsIn(compared)).toEqual([])
    },
    600_000,
  )
})

function isJudged({ host, unlisted }: (typeof operations)[number]): boolean {
  return host === 'training' && !unlisted
}

function typesOf({ status, body }: Answer): unknown[] {
  if (status !== 422) return []
  const { detail } = JSON.parse(body) as { detail: { type: string }[] }
  return detail.map(({ type }) => type)
}
