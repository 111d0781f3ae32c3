import { expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../../src/index.js'

const headers = { authorization: 'Bearer a-key', 'content-type': 'application/json' }
const repeat = (count: number, part: string): string => part.repeat(count)
const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))

/** A request by its path, and the status and the beginning of the answer. */
type Case = [name: string, path: string, body: unknown, status: number, answer: RegExp]

const mcp = (params: object): [string, object] => [
  '/_emulator/mcp',
  { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
]

const unreadable = /There was an error parsing the body/
const cases: Case[] = [
  ['deep lists', '/v1/chat/completions', repeat(1e5, '[') + repeat(1e5, ']'), 400, unreadable],
  [
    'deep objects',
    '/v1/preview/models',
    `${repeat(1e5, '{"a":')}1${repeat(1e5, '}')}`,
    400,
    unreadable,
  ],
  [
    'a deep message of MCP',
    '/_emulator/mcp',
    `${repeat(1e5, '{"a":')}1${repeat(1e5, '}')}`,
    400,
    /not a valid JSON-RPC mess/,
  ],
  [
    '5,000 messages of MCP',
    '/_emulator/mcp',
    times(5000, (id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })),
    400,
    /Batch must not exceed 100 messages/,
  ],
  ['a command over HTTP', ...mcp({ name: 'run_command' }), 200, /Unknown tool \\"run_command\\"/],
  ['a tool of the prototype', ...mcp({ name: '__proto__' }), 200, /Unknown tool \\"__proto__\\"/],
  ['an eternity', '/_emulator/clock/advance', { by: 1e300 }, 200, /"now":"9999-12-31T00:00:00/],
]

async function post(emulator: Emulator, path: string, body: unknown): Promise<Response> {
  const { trainingUrl, inferenceUrl } = emulator
  const url = path === '/v1/chat/completions' ? inferenceUrl : trainingUrl
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return emulator.fetch(new URL(path, url), { method: 'POST', headers, body: text })
}

it.each(cases)(
  '%s: one answer, and the next call works',
  async (_name, path, body, ...expected) => {
    await using emulator = createEmulator({ clock: 'manual' })
    const answer = await post(emulator, path, body)
    const [status, said] = expected
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringMatching(said)])
    const health = await emulator.fetch(`${emulator.trainingUrl}/health`, { headers })
    expect(health.status).toBe(200)
  },
)
