import { expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../../src/index.js'
import { jsonHeaders } from '../../support/api-client.js'
import { timelineWith } from '../../support/job-timelines.js'

const headers = jsonHeaders('a-key')
const repeat = (count: number, part: string): string => part.repeat(count)
const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))

/** A request by its path, and the status and the beginning of the answer. */
type Case = [name: string, path: string, body: unknown, status: number, answer: RegExp]

const chat = (more: object): [string, object] => [
  '/v1/chat/completions',
  {
    model: 'example/base-8b-instruct',
    messages: [{ role: 'user', content: 'Hi' }],
    ...more,
  },
]
const mcp = (params: object): [string, object] => [
  '/_emulator/mcp',
  { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
]

const unreadable = /There was an error parsing the body/
const tool = (at: number): object => ({
  type: 'function',
  function: { name: `f${at}`, parameters: { type: 'object' } },
})

const cases: Case[] = [
  ['an answer without end', ...chat({ max_completion_tokens: 1e15 }), 400, /cannot be greater/],
  [
    '200,000 tokens with a bias',
    ...chat({ logit_bias: Object.fromEntries(times(200_000, (at) => [at, 1])) }),
    200,
    /"object":"chat.completion"/,
  ],
  ['100,000 stops', ...chat({ stop: times(100_000, (at) => `s${at}`) }), 400, /at most 16 texts/],
  [
    '20,000 tools',
    ...chat({ tools: times(20_000, tool), tool_choice: 'required' }),
    400,
    /maximum context length is 32768 tokens/,
  ],
  [
    '200,000 messages',
    ...chat({ messages: times(200_000, () => ({ role: 'user', content: 'x' })) }),
    400,
    /maximum context length is 32768 tokens/,
  ],
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
  ['a large message of MCP', ...mcp({ name: repeat(5e6, 'x') }), 413, /must not exceed 4194304/],
  ['half a message of MCP', '/_emulator/mcp', '{"jsonrpc":"1.0"', 400, /Invalid JSON/],
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

it('a job of a million steps is read in pages, and ends', async () => {
  await using emulator = createEmulator({
    clock: 'manual',
    scenario: {
      name: 'long',
      jobs: [{ num_sequences: 1e6, timeline: timelineWith({ every: '1ms', count: 1e6 }) }],
    },
  })
  const { id } = await emulator.jobs.start({ model: 'big' })
  emulator.clock.advance('10s')
  const get = async (path: string): Promise<[number, string]> => {
    const answer = await emulator.fetch(new URL(path, emulator.trainingUrl), { headers })
    return [answer.status, await answer.text()]
  }
  const most = 'Input should be less than or equal to'
  for (const [path, status, said] of [
    [`/v1/preview/training-jobs/${id}/events?limit=1000000000`, 422, `${most} 100`],
    [`/_emulator/jobs/${id}/events?limit=1000000`, 400, `${most} 1000.`],
    [`/_emulator/jobs/${id}/metrics?points=1000000`, 400, `${most} 100000.`],
    [`/_emulator/jobs/${id}`, 200, '"name":"big"'],
    ['/_emulator/timeline', 200, '"entries"'],
  ] as const) {
    expect([path, ...(await get(path))]).toEqual([path, status, expect.stringContaining(said)])
  }
  const finished = await post(emulator, `/_emulator/jobs/${id}/finish`, {})
  expect(finished.status).toBe(200)
  expect(emulator.job(id).status).toBe('ended')
})

it('500 calls of MCP at once all get their answer', async () => {
  await using emulator = createEmulator({ clock: 'manual' })
  const answers = await Promise.all(
    times(500, async () => (await post(emulator, ...mcp({ name: 'list_faults' }))).json()),
  )
  expect(answers).toHaveLength(500)
  for (const answer of answers) expect(answer).toHaveProperty('result.content')
})
