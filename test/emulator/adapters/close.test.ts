import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hasIpv6 } from './ipv6.js'
import type { Middleware } from '../../../src/index.js'
import { until } from '../../support/until.js'
import { bearer } from '../../support/api-client.js'
import { openHandles } from './talk.js'
import { openEmulator } from '../open-emulator.js'

/** Creates middleware that holds each request until `letGo` is called. */
function gatekeeper(): { layer: Middleware; entered: Promise<void>; letGo: () => void } {
  const { promise: entered, resolve: enter } = deferred()
  const { promise: gone, resolve: letGo } = deferred()
  const layer: Middleware = (_request, _response, next) => {
    enter()
    void gone.then(() => setImmediate(next))
  }
  return { layer, entered, letGo }
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let settle: () => void
  const promise = new Promise<void>((resolve) => {
    settle = resolve
  })
  return { promise, resolve: () => settle() }
}

const headers = bearer()

describe('close', () => {
  it('does not wait for clients that keep their connection open', async () => {
    const closing = openEmulator()
    const { port } = await closing.listen()
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    const call = httpRequest({ port, agent, path: '/v1/health', headers }).end()
    const [response] = (await once(call, 'response')) as [IncomingMessage]
    const socket = response.socket
    response.resume()
    await once(response, 'end')
    await closing.close()
    if (!socket.closed) await once(socket, 'close')
    expect(socket.closed).toBe(true)
  })

  it('finishes responses in progress, and does not wait for clients that sent nothing', async () => {
    const closing = openEmulator()
    const { layer, entered, letGo } = gatekeeper()
    const { port } = await closing.listen({ use: [layer] })
    const silent = connect(port, '127.0.0.1')
    await once(silent, 'connect')
    const asked = fetch(`http://127.0.0.1:${port}/v1/health`, { headers })
    await entered
    const closed = closing.close()
    await once(silent, 'close')
    // At the end of its patience, it would have closed both connections.
    letGo()
    expect((await asked).status).toBe(200)
    await closed
  })

  it('does not wait for clients that leave a refused tunnel half open', async () => {
    const closing = openEmulator()
    const { port } = await closing.listen()
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    onTestFinished(() => void socket.destroy())
    socket.write('CONNECT a.test:443 HTTP/1.1\r\nhost: a.test\r\n\r\n')
    await once(socket, 'data')
    await expect(closing.close()).resolves.toBeUndefined()
  })

  it('leaves nothing open', async () => {
    const before = openHandles('TCPServerWrap')
    const closing = openEmulator()
    await closing.listen()
    expect(openHandles('TCPServerWrap')).toBe(before + (hasIpv6 ? 4 : 2))
    await closing.close()
    // The list contains a closed handle for some turns of the event loop.
    await until('the port is closed', () => openHandles('TCPServerWrap') <= before)
  })

  it('may be called twice, and before anything was opened', async () => {
    const closing = openEmulator()
    await closing.close()
    await closing.listen()
    await Promise.all([closing.close(), closing.close()])
    await expect(closing.close()).resolves.toBeUndefined()
  })

  it('frees the first port if the second is taken', async () => {
    const holder = openEmulator()
    const taken = await holder.listen()
    const free = await openEmulator().listen()
    const { port } = free
    await free.close()
    const failing = openEmulator()
    const opened = failing.listen({ port, inferencePort: taken.inferencePort })
    await expect(opened).rejects.toMatchObject({
      name: 'ListenError',
      code: 'SVTRAIN_PORT_TAKEN',
      port: taken.inferencePort,
    })
    expect((await openEmulator().listen({ port })).port).toBe(port)
  })
})
