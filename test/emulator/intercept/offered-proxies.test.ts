import { expect, it } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { offerProxies, proxiesFor } from '../../../src/emulator/intercept/offered-proxies.js'
import type { WorldProxies } from '../../../src/emulator/intercept/world-proxies.js'

it('proxies are loaded once, and again if that failed', async () => {
  const emulator = createEmulator()
  const proxies = {} as WorldProxies
  let loads = 0
  offerProxies(emulator, async () => {
    if (loads++ === 0) throw new Error('no certificate')
    return proxies
  })
  await expect(proxiesFor(emulator)).rejects.toThrow('no certificate')
  expect(await proxiesFor(emulator)).toBe(proxies)
  expect(await proxiesFor(emulator)).toBe(proxies)
  expect(loads).toBe(2)
  await emulator.close()
})
