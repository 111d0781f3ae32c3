import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { operations } from '../../../src/compose/control-table.js'
import { runs } from '../../support/runs.js'
import { request, talk } from './talk.js'

const HEADERS: readonly Record<string, string>[] = [
  { host: 'evil.test' },
  { host: 'localhost.' },
  { host: 'localhost.evil.test' },
  { host: '192.168.1.20' },
  { host: '10.0.0.1:80' },
  { host: 'localhost:4600:4600' },
  { host: '127.0.0.1@evil.test' },
  { host: 'ann:secret@localhost' },
  { host: '[::1].evil.test' },
  { host: '[::ffff:10.0.0.1]' },
  { host: '2130706433.evil.test' },
  { host: 'a.%%.localhost' },
  { host: '127.999.0.1' },
  { host: 'evil.test\r\nHost: localhost' },
  { origin: 'null' },
  { origin: 'http://127.0.0.1.evil.test' },
  { origin: 'HTTP://127.0.0.1' },
  { origin: 'http://localhost:3000' },
  { origin: 'https://localhost' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
  { origin: 'https://evil.test', upgrade: 'websocket', connection: 'upgrade, close' },
]

const changing = operations.filter(({ host, method }) => host === 'control' && method !== 'GET')

it.each(HEADERS)('no operation changes anything for %j', async (headers) => {
  await using emulator = createEmulator({ clock: 'manual' })
  const { port } = await emulator.listen({ corsOrigins: ['*'] })
  const job = await emulator.jobs.start({})
  const before = await emulator.snapshot()
  for (const { method, path } of changing) {
    const line = `${method} ${path.replace('{job_id}', job.id).replace(/\{\w+\}/, 'a')}`
    const [answer] = await talk(port, request(line, { connection: 'close', ...headers }, '{}'))
    expect([line, answer?.status]).toEqual([line, 403])
  }
  expect(await emulator.snapshot()).toEqual(before)
  const [read] = await talk(port, request('GET /_emulator/info', headers))
  expect(read!.status).toBe(403)
  expect(read!.body).not.toContain('base_path')
})

it('no CORS header allows a page of another origin', async () => {
  await using emulator = createEmulator({ clock: 'manual' })
  const { port } = await emulator.listen({ corsOrigins: ['*'] })
  for (const { path } of changing) {
    const asked = { origin: 'https://evil.test', 'access-control-request-method': 'POST' }
    const [answer] = await talk(port, request(`OPTIONS ${path}`, asked))
    expect(answer!.status).toBe(403)
    expect(Object.keys(answer!.headers).filter((name) => name.startsWith('access-'))).toEqual([])
  }
})

it.each(['a\r\nX-Made-Up: b', 'a\nX-Made-Up: b', 'a%0d%0aX-Made-Up:%20b', 'a\u00e9'])(
  'no response has a header that a request injects with %j',
  async (text) => {
    await using emulator = createEmulator({ clock: 'manual', isolate: 'api-key' })
    const { port } = await emulator.listen()
    const calls = [
      request('GET /_emulator/info', { 'svtrain-world': text }),
      request(`GET /v1/preview/models/?x=${text}`, { authorization: 'Bearer k' }),
      request(`GET /v1/preview/base-models/?x=${text}`, { authorization: `Bearer ${text}` }),
      request('GET /v1/preview/base-models/', { authorization: 'Bearer k', host: text }),
    ]
    for (const call of calls) {
      const answers = await talk(port, call)
      for (const { headers } of answers) expect(headers).not.toHaveProperty('x-made-up')
    }
    expect((await talk(port, request('GET /v1/preview/base-models')))[0]!.status).toBe(200)
  },
)

const oddHost = fc.oneof(
  fc.constantFrom('a.%%.localhost', '127.999.0.1', '%', '[::1', '[]', 'localhost:', ':80', '127.1'),
  fc.constantFrom(
    'localhost:65536',
    '%6cocalhost',
    'a..localhost',
    'xn--.localhost',
    '*.localhost',
  ),
  fc
    .array(
      fc.constantFrom(
        'localhost',
        '127.0.0.1',
        '.',
        ':',
        '%',
        '[',
        ']',
        '::1',
        '@',
        '4600',
        '*',
        '~',
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join('')),
  fc.string({
    unit: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)),
  }),
)

it('no host or origin makes a call fail', async () => {
  await using emulator = createEmulator({ clock: 'manual' })
  const { port, inferencePort } = await emulator.listen()
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const calls: [port: number, line: string, body: string][] = [
    [port, 'POST /_emulator/mcp', body],
    [port, 'GET /_emulator/info', ''],
    [port, 'GET /v1/preview/base-models/', ''],
    [inferencePort, 'GET /v1/models/', ''],
  ]
  const origin = fc.option(
    oddHost.map((host) => `http://${host}`),
    { nil: undefined },
  )
  await fc.assert(
    fc.asyncProperty(oddHost, origin, async (host, from) => {
      const headers = { host, origin: from, authorization: 'Bearer a-key' }
      for (const [at, line, content] of calls) {
        const [answer] = await talk(at, request(line, headers, content))
        expect([line, answer?.status]).toEqual([line, expect.toBeOneOf([200, 307, 400, 403])])
      }
    }),
    runs(40),
  )
})
