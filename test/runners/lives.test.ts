import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createEmulator } from '../../src/index.js'
import { Life } from '../../src/runners/lives.js'

it('code that was killed gets no answer anymore, however it calls', async () => {
  const life = new Life(createEmulator({ isolate: 'api-key' }))
  const { emulator } = life
  const url = `${emulator.trainingUrl}/preview/base-models`
  const { origin: base, pathname: path } = new URL(url)
  const request = { method: 'GET', base, path, query: '', headers: {}, body: new Uint8Array() }
  const calls = [
    () => emulator.fetch(url),
    () => emulator.handle('training', request),
    () => emulator.world('a-key').fetch(url),
    () => emulator.world('a-key').handle('training', request),
  ]
  for (const call of calls) expect(await call()).toMatchObject({ status: 200 })
  life.kill()
  for (const call of calls) {
    expect(await Promise.race([call(), setImmediate('no answer')])).toBe('no answer')
  }
})
