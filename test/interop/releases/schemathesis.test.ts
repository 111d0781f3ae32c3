import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { createEmulator, operations } from '../../../src/index.js'
import { describeApi } from '../../../src/service/api/openapi.js'
import { runPython } from '../python.js'
import { report, REPORT } from '../report.js'

/**
 * Schemathesis creates valid and invalid requests from an OpenAPI document, and checks the answers
 * against the document. A problem that it also finds in the framework is a behavior of the framework,
 * mostly the conversion of texts to numbers.
 */

const { framework: python } = inject('pythons')
const hosts = ['training', 'inference'] as const
type Host = (typeof hosts)[number]
const documents = {
  training: describeApi(operations, 'training'),
  inference: describeApi(operations, 'inference'),
}

interface Found {
  complete: boolean
  operations: { tested: number }
  test_cases: { generated: number }
  failures: { type: string; title: string; operations: string[] }[]
  errors: unknown[]
}

interface Judged {
  name: string
  document: object
  /** Without a slash at its end. */
  url: string
  /** Further arguments. */
  more?: readonly string[]
}

/** What the framework does, too, although a check fails. A failure for no reason that is known fails the test. */
const known: Readonly<Record<string, string>> = {
  'AcceptedNegativeData: DELETE /v1/preview/models/{model_id}/checkpoints':
    '`false` is 0 in `steps`',
  'AcceptedNegativeData: POST /v1/preview/models/{model_id}/log': 'a number is a `start_time`',
  'AllowHeaderMismatch: OPTIONS /v1/preview/models/{model_id}/checkpoints':
    '`Allow` has one method',
}

// With one worker: CPython 3.11 fails where two threads compile source at once, as Hypothesis does
// ("AST constructor recursion depth mismatch"), and the cases come in another order each time.
async function judge(command: string, { name, document, url, more = [] }: Judged): Promise<Found> {
  const [described, found] = ['openapi', 'found'].map((part) => join(REPORT, `${name}.${part}`))
  writeFileSync(described!, JSON.stringify(document))
  const options = `--workers 1 --url ${url} --no-color --checks all --continue-on-failure
    --no-shrink --suppress-health-check all --generation-deterministic --max-examples 5 --report json`
  // The paths may have spaces.
  const paths = [described!, '--report-json-path', found!]
  const header = ['--header', 'Authorization: Bearer k']
  const ran = await runPython(join(dirname(command), 'schemathesis'), [
    'run',
    ...options.split(/\s+/),
    ...paths,
    ...header,
    ...more,
  ])
  writeFileSync(join(REPORT, `${name}.log`), ran.stdout)
  if (ran.code > 1) throw new Error(`schemathesis broke off: ${ran.stdout.slice(-2000)}`)
  return JSON.parse(readFileSync(found!, 'utf8')) as Found
}

/** Runs the oracle on a separate port while `work` runs. */
async function withOracle<T>(command: string, work: (url: string) => Promise<T>): Promise<T> {
  const cwd = join(import.meta.dirname, '..', 'oracle')
  const server = spawn(command, ['serve.py'], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [port] = (await once(createInterface(server.stdout), 'line')) as [string]
    return await work(`http://127.0.0.1:${port}`)
  } finally {
    server.kill()
  }
}

function rootOf(url: string): string {
  return url.replace(/\/v1$/, '')
}

/** Each kind of failure with each operation that shows it. */
function failuresOf({ failures }: Found): string[] {
  return failures.flatMap(({ type, operations: shown }) => shown.map((each) => `${type}: ${each}`))
}

describe.skipIf(python.why !== undefined)('schemathesis', () => {
  const command = python.command!
  let found: Record<Host, Found>
  let oracle: Found | undefined
  beforeAll(async () => {
    // Only this key is accepted, so that a missing check of the key is noticed.
    // It sends messages that the document does not allow, and expects a refusal.
    const scenario = { name: 'checked', message_arrays: 'checked' as const }
    await using emulator = createEmulator({ clock: 'instant', apiKeys: ['k'], scenario })
    await emulator.listen()
    const { trainingUrl, inferenceUrl } = emulator
    const [training, inference] = await Promise.all([
      judge(command, { name: 'training', document: documents.training, url: rootOf(trainingUrl) }),
      judge(command, {
        name: 'inference',
        document: documents.inference,
        url: rootOf(inferenceUrl),
      }),
    ])
    found = { training, inference }
    // Runs only the comparable checks: bad requests to the operations that accepted them.
    const only = [...new Set(failuresOf(training).map((failure) => failure.split(' ').at(-1)!))]
    if (only.length === 0) return
    const paths = only.flatMap((path) => ['--include-path', path])
    const more = ['--mode', 'negative', '--phases', 'coverage', ...paths]
    oracle = await withOracle(command, async (url) =>
      judge(command, { name: 'oracle', document: documents.training, url, more }),
    )
  }, 600_000)

  it.each(hosts)('runs to its end over every operation of the %s API', (host) => {
    const { complete, errors, operations: counted } = found[host]
    expect(complete).toBe(true)
    expect(errors).toEqual([])
    const listed = operations.filter((row) => row.host === host && !row.unlisted)
    expect(counted.tested).toBe(listed.length)
  })

  it.each(hosts)('finds nothing in the %s API that it does not find in the framework', (host) => {
    const shared = new Set(oracle ? failuresOf(oracle) : [])
    expect(failuresOf(found[host]).filter((failure) => !shared.has(failure))).toEqual([])
  })

  it.each(hosts)('finds only known differences in the %s API', (host) => {
    expect(failuresOf(found[host]).filter((failure) => !(failure in known))).toEqual([])
  })

  it('is in the table of the documentation', () => {
    const failures = hosts.flatMap((host) => failuresOf(found[host]))
    const cases = found.training.operations.tested + found.inference.operations.tested
    const same = cases - new Set(failures.map((failure) => failure.split(': ')[1])).size
    const told = [...new Set(failures.map((failure) => known[failure]))].join('; ')
    const reasons = `as in the framework: ${told}`
    const check = 'Operations under every check of Schemathesis'
    expect(report('4-schemathesis', [{ check, cases, same, reasons }])).toEqual([])
  })
})
