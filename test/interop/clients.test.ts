import { join } from 'node:path'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import type { EmulatorOptions } from '../../src/index.js'
import { art, artParts, examplesIn } from './matrix/clients.js'
import { readResult, rowOf } from './matrix/table.js'
import type { EnvironmentName, Python } from './python.js'
import { report } from './report.js'
import { use, type Used } from './use.js'

/**
 * Real clients, unmodified, against a port. What they do stands in clients/*.py; each of their
 * examples is a test here.
 */

const pythons = inject('pythons')

/** A scenario that fails the first attempt of a call as its `x-fail-first` header says. */
const failures: NonNullable<Exclude<EmulatorOptions['scenario'], string>> = {
  name: 'failing-first',
  auth: { keys: { 'one-key': { user: 'ann', entity: 'local-team' } } },
  faults: [
    ...[400, 401, 402, 403, 404, 408, 409, 422, 425, 429, 500, 502, 503, 504, 524].map(
      (status) => ({
        fault: 'status' as const,
        status,
        headers: { 'retry-after-ms': '1' },
        match: { headers: { 'x-fail-first': String(status), 'x-stainless-retry-count': '0' } },
      }),
    ),
    {
      fault: 'drop',
      match: { headers: { 'x-fail-first': 'drop', 'x-stainless-retry-count': '0' } },
    },
  ],
}

/** The operations that openpipe-art calls. */
const operationsOfArt = [
  'createChatCompletion',
  'createInferenceChatCompletion',
  'createModel',
  'createRlTrainingJob',
  'createSftTrainingJob',
  'deleteCheckpoints',
  'deleteModel',
  'listCheckpoints',
  'listTrainingJobEvents',
  'logTrajectories',
]

/** The operations that the examples of openai call. */
const operationsOfOpenai = [
  'createChatCompletion',
  'createInferenceChatCompletion',
  'createModel',
  'createRlTrainingJob',
  'createSftTrainingJob',
  'getTrainingJob',
  'listBaseModels',
  'listCheckpoints',
  'listServedModels',
  'listTrainingJobEvents',
]

interface Client {
  program: string
  environment: EnvironmentName
  named: string
  options?: EmulatorOptions
  operations: readonly string[]
  /** The mistakes that it makes. Default: none. */
  found?: readonly string[]
}

const inference = ['createInferenceChatCompletion']

const clients: readonly Client[] = [
  {
    program: 'art_client.py',
    environment: 'newest',
    named: '`openpipe-art` 0.5.23, the newest (Python 3.12)',
    operations: operationsOfArt,
    // Its answers have 20 tokens, and it trains on the same groups with two penalties.
    found: ['cutOffAnswers', 'duplicateTrajectories'],
  },
  {
    program: 'openai_client.py',
    environment: 'framework',
    named: 'Official Python library (`openai` 2.54.0)',
    options: { scenario: failures },
    operations: operationsOfOpenai,
  },
  {
    program: 'openai_client.py',
    environment: 'clients',
    named: 'Official Python library, the newest (`openai` 3.54.0)',
    options: { scenario: failures },
    operations: operationsOfOpenai,
  },
  {
    program: 'litellm_client.py',
    environment: 'litellm',
    named: '`litellm` 1.106.2',
    operations: inference,
  },
  {
    program: 'pydantic_ai_client.py',
    environment: 'clients',
    named: '`pydantic-ai` 2.68.0',
    operations: inference,
  },
  {
    program: 'openai_agents_client.py',
    environment: 'clients',
    named: '`openai-agents` 0.24.0',
    operations: inference,
  },
  {
    program: 'langchain_client.py',
    environment: 'clients',
    named: '`langchain-openai` 1.7.3',
    operations: inference,
  },
]

for (const client of clients) {
  const python = pythons[client.environment]
  describe.skipIf(python.why !== undefined)(`${client.program}: ${client.named}`, () => {
    check(client, python)
  })
}

function check(client: Client, python: Python) {
  const { program, environment, named, options, operations, found = [] } = client
  const names = examplesIn(join('clients', program))
  let used: Used
  beforeAll(async () => {
    used = await use(python, program, options)
  }, 300_000)

  it.each(names)('%s', (name) => {
    const example = used.examples.find((each) => each.name === name)
    expect(example?.error).toBeNull()
  })

  it('calls the expected operations, and no unknown ones', () => {
    expect(used.unknown).toEqual([])
    expect(Object.keys(used.calls).sort()).toEqual(operations)
  })

  it('makes the mistakes that are known, and no others', () => {
    expect(used.found).toEqual(found)
  })

  it('is in the table of the documentation', () => {
    expect(used.examples.map(({ name }) => name)).toEqual(names)
    const examples = used.examples.filter(({ missing }) => missing === null)
    const same = examples.filter(({ error }) => error === null).length
    const row = { check: named, cases: examples.length, same, reasons: '' }
    expect(report(`1-${environment}-${program}`, [row])).toEqual([])
  })

  it.runIf(environment === 'newest')('does what the matrix recorded', () => {
    const [recorded] = readResult(art).rows
    expect(rowOf(recorded!.version, artParts(used.examples))).toEqual(recorded)
  })
}
