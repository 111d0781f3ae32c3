import { expect, it } from 'vitest'
import { describeTransports } from '../../../support/transports.js'
import { until } from '../../../support/until.js'
import { bearer, withKey } from '../../../support/api-client.js'

describeTransports('limits', (open) => {
  it('of the rate refuse further requests, and say when to retry', async () => {
    const fault = { fault: 'rate_limit', requests: 2, within: '1s', per: 'key' } as const
    const api = await open({ scenario: { name: 'x', faults: [fault] } })
    const first = await api.get('/health')
    expect(first.status).toBe(200)
    expect(first.headers.get('x-ratelimit-limit-requests')).toBe('2')
    expect(first.headers.get('x-ratelimit-remaining-requests')).toBe('1')
    expect((await api.get('/health')).status).toBe(200)
    const refused = await api.get('/health')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.headers.get('retry-after-ms')).toBe('500')
    expect(refused.headers.get('x-ratelimit-reset-requests')).toBe('500ms')
    const other = withKey('other')
    expect((await api.get('/health', other)).status).toBe(200)
    api.emulator.clock.advance('500ms')
    expect((await api.get('/health')).status).toBe(200)
    expect((await api.get('/health')).status).toBe(429)
  })

  it('of the rate say how many fit at once, and times as the service writes them', async () => {
    const fault = { fault: 'rate_limit', requests: 3, burst: 5, within: '10m' } as const
    const api = await open({ scenario: { name: 'x', faults: [fault] } })
    const { headers } = await api.get('/health')
    const shown = ['limit', 'remaining', 'reset'].map((name) => {
      return headers.get(`x-ratelimit-${name}-requests`)
    })
    expect(shown).toEqual(['5', '4', '3m20s'])
  })

  it('of concurrent requests refuse one above the limit, and accept the next when one ends', async () => {
    const faults = [
      { fault: 'concurrency' as const, most: 1 },
      { fault: 'delay' as const, delay: '10s', match: { operation: 'systemCheck' } },
    ]
    const api = await open({ scenario: { name: 'x', faults } })
    const slow = api.get('/system-check')
    await until('the clock has a task', () => api.emulator.clock.pending > 0)
    expect((await api.get('/health')).status).toBe(429)
    api.emulator.clock.advance('10s')
    expect((await slow).status).toBe(200)
    expect((await api.get('/health')).status).toBe(200)
  })

  it('of concurrent requests accept the next when a client aborts', async () => {
    const faults = [
      { fault: 'concurrency' as const, most: 1 },
      { fault: 'hang' as const, match: { operation: 'systemCheck' } },
    ]
    const api = await open({ scenario: { name: 'x', faults } })
    const leaving = new AbortController()
    const headers = bearer('key')
    const url = `${api.emulator.trainingUrl}/system-check`
    const hanging = api.fetch(url, { headers, signal: leaving.signal })
    await api.emulator.requests.waitFor({ operation: 'systemCheck' })
    expect((await api.get('/health')).status).toBe(429)
    leaving.abort()
    await expect(hanging).rejects.toThrow('abort')
    // On a port, the abort arrives a moment later.
    const status = async () => (await api.get('/health')).status
    await expect.poll(status, { timeout: 4000 }).toBe(200)
  })

  it('move a clock that skips time by the wait, so that no client waits forever', async () => {
    const fault = { fault: 'rate_limit', requests: 1, within: '60s' } as const
    const api = await open({ scenario: { name: 'x', faults: [fault] }, clock: 'auto' })
    const statuses: number[] = []
    for (let call = 0; call < 4; call++) statuses.push((await api.get('/health')).status)
    expect(statuses).toEqual([200, 429, 200, 429])
  })
})

describeTransports('the probability of a fault', (open) => {
  it('is the share of the calls that it hits', async () => {
    const fault = { fault: 'status', status: 500, probability: 0.3 } as const
    const api = await open({ scenario: { name: 'x', faults: [fault] } })
    let hits = 0
    for (let call = 0; call < 60; call++) {
      if ((await api.get('/health')).status === 500) hits++
    }
    expect(hits).toBeGreaterThan(8)
    expect(hits).toBeLessThan(30)
  })
})

describeTransports('faults that are added at run time', (open) => {
  it('count their effects, and can be removed', async () => {
    const api = await open()
    const fault = api.emulator.faults.add({ fault: 'status', status: 503, calls: 1 })
    expect(fault.hits).toBe(0)
    expect((await api.get('/health')).status).toBe(503)
    expect((await api.get('/health')).status).toBe(200)
    expect(fault.hits).toBe(1)
    api.emulator.faults.add({ fault: 'status', status: 500 })
    expect((await api.get('/health')).status).toBe(500)
    api.emulator.faults.clear()
    expect((await api.get('/health')).status).toBe(200)
  })

  it('have separate scopes', async () => {
    const api = await open()
    const mine = api.emulator.faults.for({ key: 'mine' })
    const yours = api.emulator.faults.for({ key: 'yours' })
    mine.add({ fault: 'status', status: 500 })
    yours.add({ fault: 'status', status: 502 })
    const as = (key: string) => api.get('/health', withKey(key))
    expect([(await as('mine')).status, (await as('yours')).status]).toEqual([500, 502])
    expect((await as('other')).status).toBe(200)
    mine.clear()
    expect([(await as('mine')).status, (await as('yours')).status]).toEqual([200, 502])
  })

  it('are refused if they are invalid', async () => {
    const { emulator } = await open()
    expect(() => emulator.faults.add({ fault: 'status', status: 200 })).toThrow(
      'The fault cannot be used:\n  status: expected at least 400, got 200',
    )
    expect(() => emulator.faults.add({ fault: 'stats' } as never)).toThrow('Did you mean "status"')
  })
})
