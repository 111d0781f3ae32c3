import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { describe, it, type TestContext } from 'vitest'
import { closePort, openPort } from '../../../src/emulator/adapters/port.js'
import { portOf } from '../../../src/emulator/adapters/bind.js'
import { createEmulator, type Emulator, type ListenOptions } from '../../../src/index.js'
import { request, talk } from './talk.js'
import { bearer } from '../../support/api-client.js'

const limits = { headers: 600, request: 900, idle: 600, stalled: 600, headerBytes: 8192 }
const key = bearer()

/** What tests that run at once get from Vitest. */
type Test = Pick<TestContext, 'onTestFinished'>

async function listening(
  { onTestFinished }: Test,
  options: ListenOptions = {},
): Promise<{ emulator: Emulator; port: number }> {
  const emulator = createEmulator({ clock: 'manual' })
  onTestFinished(() => emulator.close())
  const { port } = await emulator.listen({ limits, ...options })
  return { emulator, port }
}

/** Opens a connection, sends the bytes, and reads nothing until `said` is called. */
async function sent({ onTestFinished }: Test, port: number, bytes: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(bytes, 'latin1')
  return socket
}

async function said(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return text
}

async function serves(port: number): Promise<boolean> {
  const [answer] = await talk(port, request('GET /v1/health', key))
  return answer?.status === 200
}

// These wait for the limits of their ports, all at once.
describe.concurrent('a port closes', { timeout: 60_000 }, () => {
  it.for([
    ['one that says nothing', ''],
    ['headers that never end', 'GET /v1/health HTTP/1.1\r\nHost: a\r\nX-A: '],
    [
      'a body that never comes',
      request('POST /v1/preview/models', { ...key, 'content-length': '9' }),
    ],
    [
      'a chunk that never ends',
      `${request('POST /v1/preview/models', { ...key, 'transfer-encoding': 'chunked' })}ffff\r\na`,
    ],
  ] as const)('%s', async ([_name, bytes], { expect, ...test }) => {
    const { port } = await listening(test)
    const text = await said(await sent(test, port, bytes))
    expect(text).toMatch(/^(?:HTTP\/1\.1 408|$)/)
    expect(await serves(port)).toBe(true)
  })

  it('a request that arrives one byte at a time', async ({ expect, ...test }) => {
    const { port } = await listening(test)
    const socket = await sent(
      test,
      port,
      request('POST /', { ...key, 'content-length': '1000000' }),
    )
    const beat = setInterval(() => void socket.write('x'), 20)
    const text = await said(socket)
    clearInterval(beat)
    expect(text).toMatch(/^HTTP\/1\.1 40[48]/)
  })

  it('a connection that is idle after its answer', async ({ expect, ...test }) => {
    const { port } = await listening(test)
    const open = request('GET /v1/health', { ...key, connection: 'keep-alive' })
    expect(await said(await sent(test, port, open))).toContain('{"status":"ok"}')
  })

  it('a connection whose client reads nothing of a stream', async ({ expect, ...test }) => {
    let made = 0
    let ended = false
    const chunk = 'x'.repeat(65_536)
    const endless = (function* () {
      try {
        for (; made < 100_000; made++) yield chunk
      } finally {
        ended = true
      }
    })()
    const outcome = { kind: 'stream', status: 200, headers: {}, chunks: endless } as const
    const server = await openPort(() => outcome, 'training', { host: '127.0.0.1', port: 0, limits })
    test.onTestFinished(() => closePort(server))
    const gone = once(server, 'connection').then(([socket]) => once(socket as Socket, 'close'))
    const socket = await sent(test, portOf(server), request('GET /'))
    socket.pause()
    await gone
    await new Promise((resolve) => setImmediate(resolve))
    expect(ended).toBe(true)
    // What the kernel and one buffer hold, and no more: 6.5 GB were there to be had.
    expect(made).toBeLessThan(2000)
  })

  it('a connection above its limit', async ({ expect, ...test }) => {
    const { port } = await listening(test, {
      limits: { ...limits, headers: 5000, stalled: 5000, connections: 2 },
    })
    const first = await sent(test, port, '')
    const second = await sent(test, port, '')
    expect(await said(await sent(test, port, request('GET /v1/health', key)))).toBe('')
    first.destroy()
    second.destroy()
  })

  it('no connection that waits for the world', async ({ expect, ...test }) => {
    const { emulator, port } = await listening(test)
    emulator.faults.add({ fault: 'delay', delay: '1h', calls: 1 })
    const waiting = talk(port, request('GET /v1/health', key))
    const cut = await sent(test, port, 'GET /v1/health HTTP/1.1\r\n')
    await said(cut)
    // By then all limits have passed for the other as well.
    await said(await sent(test, port, ''))
    emulator.clock.advance('1h')
    expect((await waiting)[0]!.status).toBe(200)
  })
})

describe('a port continues to serve', { timeout: 60_000 }, () => {
  it('with 2,000 open connections that send nothing', async ({ expect, ...test }) => {
    const { port } = await listening(test, { limits: {} })
    const idle = await Promise.all(Array.from({ length: 2000 }, () => sent(test, port, '')))
    expect(await serves(port)).toBe(true)
    for (const socket of idle) socket.destroy()
  })

  it('after 10,000 requests on one connection, sent without waiting', async ({
    expect,
    ...test
  }) => {
    const { port } = await listening(test, { limits: {} })
    const one = request('GET /v1/health', { ...key, connection: 'keep-alive' })
    const socket = await sent(test, port, one.repeat(9999) + request('GET /v1/health', key))
    const answers = (await said(socket)).split('HTTP/1.1 200').length - 1
    expect(answers).toBe(10_000)
  })

  it('with 100 clients of the stream that read nothing', async ({ expect, ...test }) => {
    const { emulator, port } = await listening(test)
    const line = request('GET /_emulator/stream')
    const readers = await Promise.all(Array.from({ length: 100 }, () => sent(test, port, line)))
    for (const reader of readers) reader.pause()
    for (let call = 0; call < 1000; call++) {
      await emulator.fetch(`${emulator.trainingUrl}/health`, { headers: key })
    }
    expect(await serves(port)).toBe(true)
    for (const reader of readers) reader.destroy()
  })

  it('with headers up to its limit, and answers 431 above it', async ({ expect, ...test }) => {
    const { port } = await listening(test)
    const [above] = await talk(port, request('GET /v1/health', { ...key, 'x-a': 'a'.repeat(9000) }))
    expect(above!.status).toBe(431)
    const [below] = await talk(port, request('GET /v1/health', { ...key, 'x-a': 'a'.repeat(7000) }))
    expect(below!.status).toBe(200)
  })
})
