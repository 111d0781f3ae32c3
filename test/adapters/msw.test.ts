import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { expect, it, onTestFinished } from 'vitest'
import { handlers } from '../../src/adapters/msw.js'
import { createEmulator } from '../../src/index.js'

function listen(...mocks: Parameters<typeof setupServer>): void {
  const server = setupServer(...mocks)
  server.listen({ onUnhandledRequest: 'error' })
  onTestFinished(() => server.close())
}

it('answers at the addresses that the code under test calls, and at no other', async () => {
  const emulator = createEmulator()
  const urls = {
    trainingUrl: 'https://api.example.com/training/v1',
    inferenceUrl: 'https://api.example.com/inference/v1/',
  }
  listen(
    ...handlers(emulator, urls),
    http.get('https://api.example.com/*', () => new HttpResponse('yours')),
  )
  const listed = await fetch('https://api.example.com/training/v1/preview/base-models')
  expect(await listed.json()).toContain('example/base-8b-instruct')
  const headers = { authorization: 'Bearer k' }
  const served = await fetch('https://api.example.com/inference/v1/models', { headers })
  expect((await served.json()) as object).toMatchObject({ object: 'list' })
  for (const path of ['/training/v10/preview/base-models', '/training', '/elsewhere']) {
    expect(await (await fetch(`https://api.example.com${path}`)).text()).toBe('yours')
  }
})

it('shows a lost connection as an unreachable host', async () => {
  const emulator = createEmulator({ scenario: { name: 'x', faults: [{ fault: 'drop' }] } })
  listen(...handlers(emulator))
  await expect(fetch(`${emulator.trainingUrl}/preview/base-models`)).rejects.toThrow(TypeError)
})
