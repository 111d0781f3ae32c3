import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, inject, it } from 'vitest'
import { createEmulator, operations } from '../../src/index.js'
import { describeHost } from '../../src/operations/openapi.js'
import { runPython } from './python.js'
import { report, REPORT } from './report.js'

/**
 * Schemathesis derives requests from an OpenAPI document, good ones and bad ones, and checks that the
 * answers are such as the document promises. What it holds against the framework itself, with the
 * same document, is the framework's way: coercion of texts to numbers, above all.
 */

const python = inject('python')

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
}

async function judge(command: string, { name, document, url }: Judged): Promise<Found> {
  const [described, found] = ['openapi', 'found'].map((part) => join(REPORT, `${name}.${part}`))
  writeFileSync(described!, JSON.stringify(document))
  const ran = await runPython(join(dirname(command), 'schemathesis'), [
    ...['run', described!, '--url', url, '--header', 'Authorization: Bearer k', '--no-color'],
    ...['--checks', 'all', '--continue-on-failure', '--no-shrink', '--generation-deterministic'],
    ...['--max-examples', '20', '--report', 'json', '--report-json-path', found!],
  ])
  if (ran.code > 1) throw new Error(`schemathesis broke off: ${ran.stdout.slice(-2000)}`)
  return JSON.parse(readFileSync(found!, 'utf8')) as Found
}

/** The oracle on a port of its own, for as long as `work` takes. */
async function withOracle<T>(command: string, work: (url: string) => Promise<T>): Promise<T> {
  const cwd = join(import.meta.dirname, 'oracle')
  const server = spawn(command, ['serve.py'], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [port] = (await once(createInterface(server.stdout), 'line')) as [string]
    return await work(`http://127.0.0.1:${port}`)
  } finally {
    server.kill()
  }
}

/** Each kind of failure with each operation that shows it. */
function failuresOf({ failures }: Found): string[] {
  return failures.flatMap(({ type, operations: shown }) => shown.map((each) => `${type}: ${each}`))
}

if (python.why !== undefined) {
  it.skip(`schemathesis: ${python.why}`, () => {
    expect.unreachable()
  })
} else {
  const { command } = python
  // Only this key is accepted, so that a key which is not looked at is noticed.
  const emulator = createEmulator({ clock: 'instant', apiKeys: ['k'] })
  await emulator.listen()
  const urls = { training: emulator.trainingUrl, inference: emulator.inferenceUrl }
  const judged = async (host: 'training' | 'inference'): Promise<Found> =>
    judge(command, {
      name: host,
      document: describeHost(operations, host),
      url: urls[host].replace(/\/v1$/, ''),
    })
  const [training, inference, oracle] = await Promise.all([
    judged('training'),
    judged('inference'),
    withOracle(command, async (url) =>
      judge(command, { name: 'oracle', document: describeHost(operations, 'training'), url }),
    ),
  ])
  await emulator.close()

  describe.each([
    ['training', training],
    ['inference', inference],
  ] as const)('schemathesis on the %s API', (host, found) => {
    it('runs to its end, over every operation', () => {
      expect(found.complete).toBe(true)
      expect(found.errors).toEqual([])
      const listed = operations.filter((row) => row.host === host && !row.unlisted)
      expect(found.operations.tested).toBe(listed.length)
    })

    it('finds nothing that the framework does not show, too', () => {
      const shared = new Set(failuresOf(oracle))
      expect(failuresOf(found).filter((failure) => !shared.has(failure))).toEqual([])
    })
  })

  it('is in the table', () => {
    const failing = new Set(failuresOf(training).map((failure) => failure.split(': ')[1]))
    const kinds = training.failures.map(({ type }) => `\`${type}\``).sort()
    const cases = training.operations.tested + inference.operations.tested
    report('4-schemathesis', [
      {
        check: 'Operations under every check of Schemathesis, stateful included',
        cases,
        same: cases - failing.size,
        reasons: kinds.length === 0 ? '' : `the framework shows the same: ${kinds.join(', ')}`,
      },
    ])
  })
}
