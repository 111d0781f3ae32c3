import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { createEmulator, type EmulatorOptions } from '../../src/index.js'
import { runPython, type EnvironmentName } from './python.js'
import { report } from './report.js'

/**
 * Real clients, unmodified, against a port. What they do stands in clients/*.py; each of their
 * examples is a test here. Time is real and fast: a client that waits a second before it looks again
 * finds its job at the end.
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

interface Example {
  name: string
  error: string | null
}

interface Used {
  examples: Example[]
  /** The called operations, with the number of calls. */
  calls: Record<string, number>
  /** The requests that the emulator does not know. */
  unknown: string[]
}

async function use(command: string, program: string, options: EmulatorOptions): Promise<Used> {
  await using emulator = createEmulator({ clock: 'real', speed: 10, ...options })
  await emulator.listen()
  const calls: Record<string, number> = {}
  const unknown: string[] = []
  emulator.journal.subscribe((entry) => {
    if (entry.kind !== 'request') return
    if (entry.operation !== undefined) {
      calls[entry.operation] = (calls[entry.operation] ?? 0) + 1
    } else if (entry.status === 404) unknown.push(`${entry.method} ${entry.path}`)
  })
  const ran = await runPython(command, [join('clients', program)], {
    SVTRAIN_BASE_URL: emulator.trainingUrl,
    SVTRAIN_INFERENCE_URL: emulator.inferenceUrl,
    SVTRAIN_API_KEY: emulator.apiKey,
    // The client brings a price list along and would look for a newer one.
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    // The storage that SFT data goes to is not emulated.
    WANDB_MODE: 'disabled',
  })
  const last = ran.stdout.trim().split('\n').at(-1)!
  if (!last.startsWith('[')) throw new Error(`${program} broke off: ${ran.stderr.slice(-2000)}`)
  return { examples: JSON.parse(last) as Example[], calls, unknown }
}

const clients = [
  {
    program: 'art_newest.py',
    environment: 'newest',
    named: '`openpipe-art` 0.5.23, the newest (Python 3.12)',
    options: {},
    operations: [
      'createChatCompletion',
      'createModel',
      'createRlTrainingJob',
      'createSftTrainingJob',
      'deleteCheckpoints',
      'deleteModel',
      'listCheckpoints',
      'listTrainingJobEvents',
      'logTrajectories',
    ],
  },
  {
    program: 'wires_client.py',
    environment: 'newest',
    named: 'Extension wires (`openai`, `anthropic`)',
    options: { extensions: true },
    operations: [
      'countMessageTokens',
      'createCompletion',
      'createMessage',
      'createModel',
      'createResponse',
      'createRlTrainingJob',
      'listCheckpoints',
      'listTrainingJobEvents',
    ],
  },
  {
    program: 'art_client.py',
    environment: 'framework',
    named: '`openpipe-art` 0.5.18',
    options: {},
    operations: [
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
    ],
  },
  {
    program: 'openai_client.py',
    environment: 'framework',
    named: 'Official Python library (`openai` 2.54.0)',
    options: { scenario: failures },
    operations: [
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
    ],
  },
] as const

describe.skipIf(pythons.newest.why !== undefined).each(clientsOf('newest'))(
  '$program',
  (client) => {
    check(client)
  },
)
describe.skipIf(pythons.framework.why !== undefined).each(clientsOf('framework'))(
  '$program',
  (client) => {
    check(client)
  },
)

function clientsOf(environment: EnvironmentName) {
  return clients.filter((client) => client.environment === environment)
}

function check({ program, environment, named, options, operations }: (typeof clients)[number]) {
  const { command } = pythons[environment]
  const source = readFileSync(join(import.meta.dirname, 'clients', program), 'utf8')
  const names = [...source.matchAll(/^@example\("(.*)"\)$/gm)].map(([, name]) => name!)
  let used: Used
  beforeAll(async () => {
    used = await use(command!, program, options)
  }, 300_000)

  it.each(names)('%s', (name) => {
    const example = used.examples.find((each) => each.name === name)
    expect(example?.error).toBeNull()
  })

  it('calls the expected operations, and no unknown ones', () => {
    expect(used.unknown).toEqual([])
    expect(Object.keys(used.calls).sort()).toEqual(operations)
  })

  it('is in the table of the documentation', () => {
    const { examples } = used
    expect(examples.map(({ name }) => name)).toEqual(names)
    const same = examples.filter(({ error }) => error === null).length
    const row = { check: named, cases: examples.length, same, reasons: '' }
    expect(report(`1-${program}`, [row])).toEqual([])
  })
}
