import { beforeAll, describe, expect, inject, it } from 'vitest'
import { createEmulator, operations, type Emulator } from '../../src/index.js'
import { describeApi } from '../../src/service/api/openapi.js'
import { operationsIn } from '../../src/service/api/table.js'
import { NEWEST_CONTRACT, type ContractVersion } from '../../src/service/contract/versions.js'
import { report, type Row } from './report.js'
import { answerOf, compare, type Answer, type Compared } from './requests/compare.js'
import { answersOfFramework } from './requests/framework.js'
import { categories, generateRequests } from './requests/generate.js'
import { UUID } from './requests/odd-values.js'
import { JSON_TYPE, type GeneratedRequest } from './requests/recipe.js'

/** Thousands of generated requests, answered by the framework and by us. */

const SEED = 1
const { framework: python } = inject('pythons')
const document = describeApi(operations, 'training')

/** How both read arrays in messages. The first one checks most, so the table of the documentation shows it. */
type Reading = 'checked' | 'clients' | 'unchecked' | 'any'

interface Comparison {
  readonly reading?: Reading
  readonly contract?: ContractVersion
  /** Which of the generated requests to compare. Default: all. */
  readonly isAffected?: (request: GeneratedRequest) => boolean
}

async function compareAll(
  command: string,
  { reading = 'checked', contract = NEWEST_CONTRACT, isAffected = () => true }: Comparison = {},
): Promise<Compared[]> {
  // The documented interface needs no key here. The emulator needs one by default.
  await using emulator = createEmulator({
    clock: 'manual',
    contract,
    scenario: {
      name: 'as-documented',
      auth: { open: ['health', 'system-check'] },
      message_arrays: reading,
    },
  })
  const generated = generatedFor(contract).filter(isAffected)
  const model = await modelWithoutCheckpoints(emulator)
  const requests = generated.map((request) => {
    return { ...request, path: request.path.replace(`/${UUID}/`, `/${model}/`) }
  })
  const answers = await answersOfFramework(command, {
    name: `${reading}-${contract}`,
    requests,
    variables: { SVTRAIN_MESSAGE_ARRAYS: reading, SVTRAIN_CONTRACT: contract },
  })
  const compared: Compared[] = []
  for (const [index, request] of requests.entries()) {
    const theirs = answers[index]!
    const ours = await answerOf(emulator, request)
    compared.push(compare({ request, theirs, ours }))
  }
  return compared
}

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

/** The id of a new model. The framework program has no checkpoints either. */
async function modelWithoutCheckpoints(emulator: Emulator): Promise<string> {
  const call = async (method: string, path: string, body: object): Promise<Answer> =>
    answerOf(emulator, {
      category: '',
      method,
      path,
      headers: JSON_TYPE,
      body: JSON.stringify(body),
    })
  const fields = { project: 'known', name: 'model', base_model: 'b' }
  const created = await call('POST', '/v1/preview/models', fields)
  const { id } = JSON.parse(created.body) as { id: string }
  await call('DELETE', `/v1/preview/models/${id}/checkpoints`, { steps: [0] })
  return id
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
    compared = await compareAll(python.command!)
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
      const others = cases.filter(({ isSame }) => !isSame)
      expect(1 - others.length / cases.length).toBeGreaterThanOrEqual(0.97)
    },
  )

  it('give the same answer to 99.5 % of all requests', () => {
    const others = compared.filter(({ isSame }) => !isSame)
    expect(1 - others.length / compared.length).toBeGreaterThanOrEqual(0.995)
  })

  it('differ only for known reasons', () => {
    const unknown = compared.filter(({ isSame, reason }) => !isSame && reason === undefined)
    expect(unknown.slice(0, 5)).toEqual([])
  })

  it('are in the table of the documentation', () => {
    const rows = [
      rowOf('Generated bodies', /^body/),
      rowOf('Generated queries', /^query/),
      rowOf('Operations that take neither', /^(?:GET|DELETE)/),
      rowOf('Documented refusals, row by row', /^refusal/),
      rowOf('Keys, content types, encodings, broken JSON', /^(?:keys|content|encodings|JSON)/),
    ]
    expect(rows.reduce((sum, { cases }) => sum + cases, 0)).toBe(compared.length)
    expect(report('2-answers', rows)).toEqual([])
  })

  const rowOf = (check: string, pattern: RegExp): Row => {
    const cases = compared.filter(({ request }) => pattern.test(request.category))
    const others = cases.filter(({ isSame }) => !isSame)
    const reasons = [...new Set(others.map(({ reason }) => reason))].join('; ')
    return { check, cases: cases.length, same: cases.length - others.length, reasons }
  }
})

describe.skipIf(python.why !== undefined)('the contract 2026-01', () => {
  let compared: Compared[]
  beforeAll(async () => {
    // What it changed is in these bodies. openapi.test.ts compares the rest of its document.
    const isAffected = ({ path }: GeneratedRequest): boolean => /(?:-jobs|\/log)$/.test(path)
    compared = await compareAll(python.command!, { contract: '2026-01', isAffected })
  }, 600_000)

  it('has the same answers as the framework with the older models', () => {
    const others = compared.filter(({ isSame }) => !isSame)
    expect(others.filter(({ reason }) => reason === undefined).slice(0, 5)).toEqual([])
    expect(1 - others.length / compared.length).toBeGreaterThanOrEqual(0.995)
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
    const others = compared.filter(({ isSame }) => !isSame)
    const reasons = others.length === 0 ? '' : 'those of the rows above'
    const row = { check, cases: compared.length, same: compared.length - others.length, reasons }
    expect(report('2b-answers-2026-01', [row])).toEqual([])
  })
})

describe.skipIf(python.why !== undefined)('another reading of message arrays', () => {
  it.each(['clients', 'unchecked', 'any'] as const)(
    '%s has the same answers, except for known reasons',
    async (reading) => {
      const isAffected = ({ body = '' }: GeneratedRequest): boolean => body.includes('messages')
      const compared = await compareAll(python.command!, { reading, isAffected })
      expect(compared.length).toBeGreaterThan(2000)
      const others = compared.filter(({ isSame }) => !isSame)
      expect(others.filter(({ reason }) => reason === undefined).slice(0, 5)).toEqual([])
      expect(1 - others.length / compared.length).toBeGreaterThanOrEqual(0.995)
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
