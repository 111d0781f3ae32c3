import { Server, type AddressInfo } from 'node:net'
import express from 'express'
import { expect, it, onTestFinished, vi } from 'vitest'
import { closePort, openPort, type PortOptions } from '../../../src/emulator/adapters/port.js'
import { bind, portOf } from '../../../src/emulator/adapters/bind.js'
import { BackgroundErrors } from '../../../src/base/text/background-errors.js'
import { createEmulator } from '../../../src/index.js'
import { bearer } from '../../support/api-client.js'

const port = { host: '127.0.0.1', port: 0 }

it.each<[string, PortOptions]>([
  ['with the control API and the dashboard', { ...port, isControlled: true }],
  ['without them', port],
])(
  'a port is an Express application (%s), and an API call passes at most three layers',
  async (_name, options) => {
    const layers = vi.spyOn(express.application, 'use')
    const served = vi.spyOn(express.application as unknown as { handle: () => void }, 'handle')
    const emulator = createEmulator()
    const server = await openPort(emulator.handle, 'training', options)
    onTestFinished(async () => {
      vi.restoreAllMocks()
      await closePort(server)
    })
    expect(layers.mock.calls.length).toBeGreaterThan(1)
    expect(layers.mock.calls.length).toBeLessThanOrEqual(3)
    const response = await fetch(`http://127.0.0.1:${portOf(server)}/v1/preview/base-models`, {
      headers: bearer(),
    })
    expect(response.status).toBe(200)
    expect(served).toHaveBeenCalledTimes(1)
    expect(response.headers.get('x-powered-by')).toBeNull()
  },
)

it('a request that comes before both ports are bound is answered when they are', async () => {
  const listen = Reflect.get(Server.prototype, 'listen') as (...args: unknown[]) => Server
  const servers = new Set<Server>()
  let early: Promise<unknown> | undefined
  const spy = vi.spyOn(Server.prototype, 'listen').mockImplementation(function (
    this: Server,
    ...args: unknown[]
  ) {
    if (args[1] === '127.0.0.1') servers.add(this)
    const [training, inference] = [...servers]
    if (this !== inference || early) return Reflect.apply(listen, this, args)
    training!.once('request', () => Reflect.apply(listen, this, args))
    const { port: bound } = training!.address() as AddressInfo
    early = fetch(`http://127.0.0.1:${bound}/v1/health`, { headers: bearer() }).then(
      ({ status }) => ({ status, isInferenceOpen: inference.listening }),
    )
    return this
  })
  const emulator = createEmulator()
  onTestFinished(async () => {
    spy.mockRestore()
    await emulator.close()
  })
  await emulator.listen()
  expect(await early).toEqual({ status: 200, isInferenceOpen: true })
})

it('errors of an open port are shown, and it goes on answering', async () => {
  const shown: string[] = []
  const background = new BackgroundErrors({ show: ({ text }) => shown.push(text) })
  const server = await openPort(createEmulator().handle, 'training', { ...port, background })
  onTestFinished(() => closePort(server))
  for (const each of ['one', 'two']) server.emit('error', new Error(`too many open files: ${each}`))
  expect(shown).toEqual([
    'Failed to accept a connection on 127.0.0.1: too many open files: one',
    'Failed to accept a connection on 127.0.0.1: too many open files: two',
  ])
  const url = `http://127.0.0.1:${portOf(server)}/v1/health`
  expect((await fetch(url, { headers: bearer() })).status).toBe(200)
})

it('a port that is bound again shows each error once', async () => {
  const background = new BackgroundErrors({ show: () => {} })
  const server = new Server()
  onTestFinished(() => void server.close())
  await bind(server, { host: '127.0.0.1', port: 0, background })
  await new Promise((closed) => server.close(closed))
  await bind(server, { host: '127.0.0.1', port: 0, background })
  expect(server.listenerCount('error')).toBe(1)
})
