import { expect, it } from 'vitest'
import { closePort, openPort, portOf } from '../../src/adapters/listen.js'
import { createEmulator } from '../../src/index.js'
import { operations } from '../../src/control/table.js'
import { request, talk } from './talk.js'

const HEADERS: readonly Record<string, string>[] = [
  { host: 'evil.test' },
  { host: 'localhost.' },
  { host: 'localhost:4600:4600' },
  { host: '127.0.0.1@evil.test' },
  { host: 'ann:secret@localhost' },
  { host: '[::1].evil.test' },
  { host: '[::ffff:10.0.0.1]' },
  { host: '2130706433.evil.test' },
  { host: 'evil.test\r\nHost: localhost' },
  { origin: 'null' },
  { origin: 'http://127.0.0.1.evil.test' },
  { origin: 'HTTP://127.0.0.1' },
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

it('an answer that cannot be written becomes a 500, and the next ones are sent', async () => {
  const outcome = { kind: 'response', status: 200, body: '' } as const
  const broken = { ...outcome, headers: { 'x-a': 'a\r\nb: c' } }
  const server = await openPort(
    (_host, { path }) => (path === '/broken' ? broken : { ...outcome, headers: {} }),
    'training',
    { host: '127.0.0.1', port: 0 },
  )
  const answers = await Promise.all(
    ['/broken', '/fine', '/broken', '/fine'].map((path) =>
      talk(portOf(server), request(`GET ${path}`)),
    ),
  )
  expect(answers.map((each) => each.map(({ status }) => status))).toEqual([
    [500],
    [200],
    [500],
    [200],
  ])
  await closePort(server)
})
