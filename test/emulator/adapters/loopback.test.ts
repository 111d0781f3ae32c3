import { createServer, Server, type AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createEmulator, createWebhookSink } from '../../../src/index.js'
import { hasIpv6 } from './ipv6.js'
import { bearer } from '../../support/api-client.js'
import { listening } from './listening.js'

const headers = bearer()

describe.runIf(hasIpv6)('the default host is reached at [::1] as well', () => {
  it('for both APIs, the control API and the dashboard', async () => {
    const { port, inferencePort } = await listening()
    const status = async (url: string): Promise<number> => (await fetch(url, { headers })).status
    expect(await status(`http://[::1]:${port}/v1/health`)).toBe(200)
    expect(await status(`http://[::1]:${inferencePort}/v1/models`)).toBe(200)
    expect(await status(`http://[::1]:${port}/_emulator/ready`)).toBe(200)
    expect(await status(`http://[::1]:${port}/_emulator/`)).toBe(200)
    expect(await status(`http://127.0.0.1:${port}/v1/health`)).toBe(200)
  })

  it('for a webhook sink', async () => {
    await using sink = createWebhookSink()
    const { port } = await sink.listen()
    await fetch(`http://[::1]:${port}/hook`, { method: 'POST', body: '{}' })
    expect(sink.deliveries).toHaveLength(1)
  })

  it('until the emulator is closed', async () => {
    const emulator = createEmulator()
    const { port } = await emulator.listen()
    await fetch(`http://[::1]:${port}/v1/health`, { headers })
    await emulator.close()
    await expect(fetch(`http://[::1]:${port}/v1/health`)).rejects.toThrow('fetch failed')
  })

  it('and a port that another program uses there counts as taken', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => void other.listen(0, '::1', resolve))
    onTestFinished(() => new Promise<void>((resolve) => void other.close(() => resolve())))
    const { port } = other.address() as AddressInfo
    const emulator = createEmulator()
    await expect(emulator.listen({ port })).rejects.toMatchObject({
      code: 'SVTRAIN_PORT_TAKEN',
      message: `Failed to listen on port ${port} of ::1: it is in use by another program.`,
    })
    const { port: another } = await emulator.listen()
    await emulator.close()
    expect(another).not.toBe(port)
  })
})

describe('the default host', () => {
  /** Makes binding to `::1` fail with that code, the given number of times. */
  function failing(code: string, times: number): () => number {
    const listen = Reflect.get(Server.prototype, 'listen') as (...args: unknown[]) => Server
    let failed = 0
    const spy = vi.spyOn(Server.prototype, 'listen').mockImplementation(function (
      this: Server,
      ...args: unknown[]
    ) {
      if (args[1] !== '::1' || failed === times) return Reflect.apply(listen, this, args)
      failed++
      process.nextTick(() => this.emit('error', Object.assign(new Error(code), { code })))
      return this
    })
    onTestFinished(() => spy.mockRestore())
    return () => failed
  }

  it.each(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])(
    'is only IPv4 on a machine without IPv6: %s',
    async (code) => {
      const failed = failing(code, Infinity)
      const { port } = await listening()
      expect(failed()).toBe(2)
      expect((await fetch(`http://127.0.0.1:${port}/v1/health`, { headers })).status).toBe(200)
    },
  )

  it('tries another free port if the first is taken at ::1', async () => {
    const failed = failing('EADDRINUSE', 3)
    const { port, inferencePort } = await listening()
    expect(failed()).toBe(3)
    for (const url of [`${port}/v1/health`, `${inferencePort}/v1/models`]) {
      expect((await fetch(`http://127.0.0.1:${url}`, { headers })).status).toBe(200)
    }
  })

  it('gives up if no port is free there', async () => {
    failing('EADDRINUSE', Infinity)
    await expect(listening()).rejects.toMatchObject({ code: 'SVTRAIN_PORT_TAKEN' })
  })
})
