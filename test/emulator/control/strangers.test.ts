import { describe, expect, it } from 'vitest'
import cors from 'cors'
import { createEmulator } from '../../../src/index.js'
import { listening } from '../adapters/listening.js'
import { request, talk } from '../adapters/talk.js'

const body = JSON.stringify({ by: '1h' })
const START = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000

function advance(headers: Record<string, string | undefined>): string {
  return request('POST /_emulator/clock/advance', headers, body)
}

describe('the control API', () => {
  it.each(['localhost:4600', '127.0.0.1', '[::1]:4600', 'a.localhost'])(
    'accepts calls to the host %s',
    async (host) => {
      const { emulator, port } = await listening()
      expect((await talk(port, advance({ host })))[0]!.status).toBe(200)
      expect(emulator.clock.now()).toBe(START + HOUR)
    },
  )

  it('does nothing for a page of another origin, whatever middleware allows', async () => {
    const { emulator, port } = await listening({ use: [cors({ origin: '*' })] })
    const headers = { host: 'localhost', origin: 'https://evil.test' }
    expect((await talk(port, advance(headers)))[0]!.status).toBe(403)
    expect(emulator.clock.now()).toBe(START)
  })

  it('accepts calls from its own pages', async () => {
    const { emulator, port } = await listening()
    const own = { host: 'localhost', origin: 'http://localhost', 'sec-fetch-site': 'same-origin' }
    expect((await talk(port, advance(own)))[0]!.status).toBe(200)
    expect(emulator.clock.now()).toBe(START + HOUR)
    const link = { host: 'localhost', 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' }
    expect((await talk(port, request('GET /_emulator/info', link)))[0]!.status).toBe(200)
  })

  it.each([
    '/%5femulator/clock/advance',
    '/_emulator%2fclock%2fadvance',
    '//_emulator/clock/advance',
  ])('is not reachable as %s', async (path) => {
    const { emulator, port } = await listening()
    const [answer] = await talk(port, request(`POST ${path}`, { host: 'localhost' }, body))
    expect(answer!.status).toBe(404)
    expect(emulator.clock.now()).toBe(START)
  })
})

describe('the control token', () => {
  it.each([undefined, 'Bearer wrong', 'Bearer secret-and-more', 'Bearer secre', 'Basic secret'])(
    'is required for changes, if there is one: %s',
    async (authorization) => {
      const { emulator, port } = await listening({ controlToken: 'secret' })
      const headers = { host: 'localhost', authorization }
      const [refused] = await talk(port, advance(headers))
      expect(refused).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } })
      expect(emulator.clock.now()).toBe(START)
      expect((await talk(port, request('GET /_emulator/clock', headers)))[0]!.status).toBe(200)
    },
  )

  it('is generated for each emulator that other machines can call', async () => {
    const { emulator, port } = await listening({ host: '0.0.0.0' })
    const { emulator: other } = await listening({ host: '0.0.0.0' })
    const { controlToken } = emulator
    expect(controlToken).toMatch(/^[0-9a-f]{32}$/)
    expect(other.controlToken).not.toBe(controlToken)
    const host = '192.168.1.20:80'
    expect((await talk(port, advance({ host })))[0]!.status).toBe(401)
    expect(emulator.clock.now()).toBe(START)
    const authorization = `Bearer ${controlToken}`
    expect((await talk(port, advance({ host, authorization })))[0]!.status).toBe(200)
    expect(emulator.clock.now()).toBe(START + HOUR)
    const [evil] = await talk(port, advance({ host: 'evil.test', authorization }))
    expect(evil!.status).toBe(403)
  })

  it('is required from other machines, also in an application of yours', async () => {
    const emulator = createEmulator({ clock: 'manual' })
    const outcome = await emulator.handle('training', {
      method: 'POST',
      base: 'http://localhost',
      path: '/_emulator/clock/advance',
      query: '',
      headers: { host: 'localhost' },
      body: new TextEncoder().encode(body),
      distant: true,
    })
    expect(outcome).toMatchObject({ status: 403 })
    expect(emulator.clock.now()).toBe(START)
  })
})
