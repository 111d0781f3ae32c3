import { expect, it } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { clientOf, withKey } from '../../support/api-client.js'

it('a trace has the world of calls without a key, however many keys were used', async () => {
  await using emulator = createEmulator({ isolate: 'api-key' })
  const { get } = clientOf(emulator)
  for (let key = 1; key <= 12; key++) await get('/preview/base-models', withKey(`key-${key}`))
  await get('/preview/training-jobs/none', { headers: { authorization: '' } })
  const trace = emulator.trace()
  expect(trace).toContain('… 3 worlds before these')
  expect(trace).toContain('GET /v1/preview/training-jobs/none 401')
  expect(trace.match(/GET \/v1\/preview\/base-models 200/g)).toHaveLength(9)
})
