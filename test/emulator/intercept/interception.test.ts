import { existsSync } from 'node:fs'
import { ProxyAgent, request } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import { createInterception } from '../../../src/emulator/intercept/interception.js'
import { rootsIn } from '../../../src/emulator/intercept/roots.js'
import { routesOf } from '../../../src/emulator/intercept/read-route.js'
import { openEmulator } from '../open-emulator.js'

const HEADERS = { authorization: 'Bearer key-key-key', 'content-type': 'application/json' }

function interception() {
  const created = createInterception({
    routes: routesOf(['training=https://api.training.test/v1']),
    allowed: [],
    environment: {},
    allowWith: (host) => `--allow-host-out ${host}`,
  })
  onTestFinished(() => created.end())
  return created
}

it('leads commands that run side by side each to its own emulator', async () => {
  const intercepting = interception()
  const names = ['one', 'two', 'three']
  const opened = await Promise.all(
    names.map(async (name) => {
      const emulator = openEmulator()
      const { variables } = await intercepting.openTo(emulator)
      const { HTTPS_PROXY: uri = '', SSL_CERT_FILE: bundle } = variables
      const dispatcher = new ProxyAgent({ uri, requestTls: { ca: rootsIn(bundle) } })
      onTestFinished(() => dispatcher.destroy())
      return { name, emulator, dispatcher, bundle }
    }),
  )
  // One certificate for all of them.
  expect(new Set(opened.map(({ bundle }) => bundle))).toHaveProperty('size', 1)
  await Promise.all(
    opened.map(async ({ name, dispatcher }) => {
      const model = { project: 'p', name, base_model: 'example/base-8b-instruct' }
      const { body } = await request('https://api.training.test/v1/preview/models', {
        dispatcher,
        method: 'POST',
        headers: { ...HEADERS },
        body: JSON.stringify(model),
      })
      await body.dump()
    }),
  )
  const models = opened.map(({ emulator }) => emulator.db.models.all().map(({ name }) => name))
  expect(models).toEqual([['one'], ['two'], ['three']])
  expect(intercepting.called).toMatchObject([{ host: 'api.training.test', answered: 3 }])
})

it('removes its files, and closes the proxies that are open', async () => {
  const intercepting = interception()
  const emulator = openEmulator()
  const { variables } = await intercepting.openTo(emulator)
  expect(existsSync(variables['SSL_CERT_FILE']!)).toBe(true)
  await intercepting.end()
  expect(existsSync(variables['SSL_CERT_FILE']!)).toBe(false)
  await expect(fetch(variables['HTTPS_PROXY']!)).rejects.toThrow('fetch failed')
})
