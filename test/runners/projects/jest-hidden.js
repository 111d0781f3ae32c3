import { expect, test } from '@jest/globals'

const entries = ['', '/msw', '/client', '/jest', '/assert', '/explore', '/webhooks']

test.each(entries)('imports svtrain-emulator%s', async (entry) => {
  expect(await import(`svtrain-emulator${entry}`)).toBeDefined()
})

test('answers in process', async () => {
  const { createEmulator } = await import('svtrain-emulator')
  const { apiKey, fetch, trainingUrl } = createEmulator()
  const headers = { authorization: `Bearer ${apiKey}` }
  expect((await fetch(`${trainingUrl}/health`, { headers })).status).toBe(200)
})
