import { describe, expect, it } from 'vitest'
import { createEmulator as createInBrowser } from '../../src/browser.js'
import { compose } from '../../src/compose/compose.js'
import { control } from '../../src/compose/control.js'
import { nodeRuntime } from '../../src/compose/node-runtime.js'
import { loadedChecks } from '../../src/emulator/checks.js'
import { createEmulator, Emulator } from '../../src/index.js'
import { bearer } from '../support/api-client.js'
import { temporaryFolder } from '../support/temporary-folder.js'

describe('an emulator in a browser', () => {
  it('has no ports, no sink and no folders', () => {
    const emulator = createInBrowser()
    expect('listen' in emulator).toBe(false)
    expect('createSink' in emulator).toBe(false)
    expect(() => createInBrowser({ data: 'folder' } as object)).toThrow('unknown option "data"')
    expect(() => createInBrowser({ dataRoot: '.' } as object)).toThrow('unknown option "dataRoot"')
  })

  it('works in all other ways', async () => {
    const emulator = createInBrowser({ clock: 'manual', isolate: 'api-key' })
    const world = emulator.world('a-key')
    const job = await world.jobs.start()
    world.jobs.finish(job)
    expect(job.status).toBe('ended')
    expect('listen' in world).toBe(false)
    await emulator.close()
  })
})

describe('an emulator in Node', () => {
  it('is an instance of the class that the package exports', () => {
    expect(createEmulator()).toBeInstanceOf(Emulator)
  })

  it('has worlds that listen on their own ports, until it closes', async () => {
    const emulator = createEmulator({ isolate: 'api-key' })
    const world = emulator.world('a-key')
    await world.listen()
    const url = `${world.trainingUrl}/health`
    const headers = bearer('a-key')
    expect((await fetch(url, { headers })).status).toBe(200)
    expect(emulator.trainingUrl).not.toBe(world.trainingUrl)
    await emulator.close()
    await expect(fetch(url, { headers })).rejects.toThrow('fetch failed')
  })

  it('closes its connections when it closes', async () => {
    const connections = { opened: 0, closed: 0 }
    const runtime = {
      ...nodeRuntime,
      checks: loadedChecks,
      control,
      connect: () => {
        connections.opened++
        return {
          send: () => Promise.resolve({ status: 200, body: '' }),
          close: () => Promise.resolve(void connections.closed++),
        }
      },
    }
    const emulator = compose(runtime)({ isolate: 'api-key' })
    emulator.world('one')
    emulator.world('two')
    await emulator.close()
    expect(connections).toEqual({ opened: 1, closed: 1 })
  })
})

describe('compose', () => {
  it('loads no checks for a built-in scenario', async () => {
    const checks = {
      load: () => Promise.reject(new Error('loaded')),
      get loaded(): never {
        throw new Error('loaded')
      },
    }
    const emulator = compose({ ...nodeRuntime, checks, control })({
      scenario: 'failing-job',
      seed: 3,
      clock: 'manual',
      webhooks: ['http://127.0.0.1:9/hook'],
      send: () => Promise.resolve({ status: 200, body: '' }),
    })
    await emulator.jobs.start()
    await emulator.settle()
    expect(emulator.job().status).toBe('failed')
    emulator.reset('happy-path')
    expect(() => emulator.faults.add({ fault: 'hang' })).toThrow('loaded')
    await emulator.close()
  })
})

it('a start that fails leaves the data folder', async () => {
  const data = temporaryFolder()
  const webhook = { url: 'http://127.0.0.1:1/', name: 'twice' }
  expect(() => createEmulator({ data, webhooks: [webhook, webhook] })).toThrow('"twice"')
  await createEmulator({ data }).close()
})

describe('ports that are opened', () => {
  it('are one pair, also for two calls at the same time', async () => {
    await using emulator = createEmulator()
    const [first, second] = await Promise.allSettled([emulator.listen(), emulator.listen()])
    expect(first.status).toBe('fulfilled')
    expect(second).toMatchObject({ reason: { code: 'SVTRAIN_ALREADY_LISTENING' } })
  })

  it('leave no control token behind if one is taken', async () => {
    await using taken = createEmulator()
    const { port } = await taken.listen()
    await using emulator = createEmulator()
    await expect(emulator.listen({ port, controlToken: 'a-token' })).rejects.toThrow('in use')
    expect(emulator.controlToken).toBeUndefined()
    await emulator.listen()
  })
})
