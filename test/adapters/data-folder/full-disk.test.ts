import { expect, it, onTestFinished } from 'vitest'
import { composeEmulator } from '../../../src/compose/create-emulator.js'
import { nodePlatform } from '../../../src/compose/node-platform.js'
import { loadedChecks } from '../../../src/emulator/checks.js'
import type { WorldStorage } from '../../../src/emulator/world-keeper.js'
import { BASE_MODEL, clientOf, type Answer } from '../../support/api-client.js'

it('on a full disk, changes are refused and the journal has the reason', async () => {
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
  const create = (name: string): Promise<Answer> => {
    const model = { project: 'my-project', name, base_model: BASE_MODEL }
    return clientOf(emulator).post('/preview/models', model)
  }
  expect((await create('one')).status).toBe(200)
  full = true
  expect((await create('two')).status).toBe(500)
  expect(emulator.trace()).toContain('Failed to save the world: ENOSPC: no space left on device')
  full = false
  await create('three')
  expect(written.join()).toContain('"name":"two"')
})
