import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { expect, it, onTestFinished } from 'vitest'
import { handlers } from '../../src/msw.js'
import { createEmulator } from '../../src/index.js'
import { costOf } from '../bench/cost.js'

const MOST = 1.15

it(`costs at most ${MOST} of a static handler that gives the same bytes`, async () => {
  const emulator = createEmulator()
  const url = `${emulator.trainingUrl}/health`
  const headers = { authorization: 'Bearer k' }
  const bytes = await (await emulator.fetch(url, { headers })).text()
  const json = { headers: { 'content-type': 'application/json' } }
  const still = http.get(url, () => new HttpResponse(bytes, json))
  const ours = handlers(emulator)
  const server = setupServer()
  server.listen({ onUnhandledRequest: 'error' })
  onTestFinished(() => server.close())
  const run = async (): Promise<void> => {
    await (await fetch(url, { headers })).text()
  }
  const rows = [
    { name: 'static', prepare: () => server.resetHandlers(still), run },
    { name: 'ours', prepare: () => server.resetHandlers(...ours), run },
  ]
  // The least of many rounds: what else the machine does only ever adds to it.
  const least = { static: Infinity, ours: Infinity }
  for (let batch = 0; batch < 30; batch++) {
    const costs = await costOf(rows, { rounds: 10, times: 20 })
    least.static = Math.min(least.static, ...costs.get('static')!)
    least.ours = Math.min(least.ours, ...costs.get('ours')!)
    if (batch > 2 && least.ours <= MOST * least.static) break
  }
  expect(least.ours / least.static).toBeLessThanOrEqual(MOST)
}, 120_000)
