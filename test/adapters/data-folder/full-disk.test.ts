import { expect, it, onTestFinished } from 'vitest'
import { composeEmulator } from '../../../src/compose/create-emulator.js'
import { nodePlatform } from '../../../src/compose/node-platform.js'
import { loadedChecks } from '../../../src/emulator/checks.js'
import type { WorldStorage } from '../../../src/emulator/world-keeper.js'

it('where nothing can be written, a client is told of nothing, and the journal says why', async () => {
  let full = false
  const write = (): boolean => {
    if (full) throw new Error('ENOSPC: no space left on device')
    return false
  }
  const written: string[] = []
  const replace: WorldStorage['replace'] = (records) => {
    write()
    written.splice(0, Infinity, JSON.stringify(records))
  }
  const storage: WorldStorage = { append: write, replace, close: () => {} }
  const platform = { ...nodePlatform, openStorage: () => storage }
  const createEmulator = composeEmulator({ platform, checks: loadedChecks })
  const emulator = createEmulator({ clock: 'manual' })
  onTestFinished(() => emulator.close())
  await emulator.ready()
  const create = async (name: string): Promise<Response> => {
    const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }
    const body = JSON.stringify({ project: 'p', name, base_model: 'example/base-8b-instruct' })
    const url = `${emulator.trainingUrl}/preview/models`
    return emulator.fetch(url, { method: 'POST', headers, body })
  }
  expect((await create('one')).status).toBe(200)
  full = true
  expect((await create('two')).status).toBe(500)
  expect(emulator.trace()).toContain('Failed to save the world: ENOSPC: no space left on device')
  full = false
  await create('three')
  expect(written.join()).toContain('"name":"two"')
})
