import { existsSync, readFileSync } from 'node:fs'
import { ProxyAgent, request } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEmulator as createInBrowser } from '../../../src/browser.js'
import { createClient } from '../../../src/client.js'
import { HOSTS } from './world.js'
import { openEmulator } from '../open-emulator.js'

const HEALTH = 'https://api.training.test/v1/health'

/** An emulator with a world for each key, and a client for each of two worlds. */
function twoWorlds() {
  const emulator = openEmulator({ isolate: 'api-key' })
  const [one, other] = ['key-of-one', 'key-of-other'].map((key) => {
    const { trainingUrl: url, fetch } = emulator
    return { key, world: emulator.world(key), client: createClient({ url, fetch, world: key }) }
  })
  return { emulator, one: one!, other: other! }
}

/** Calls URLs with the variables of a proxy, as a program would. */
function programWith({ HTTPS_PROXY: uri = '', SSL_CERT_FILE: bundle = '' }) {
  const requestTls = { ca: readFileSync(bundle, 'utf8') }
  const dispatcher = new ProxyAgent({ uri, requestTls, proxyTunnel: true })
  onTestFinished(() => dispatcher.destroy())
  return async (url: string, key = 'any-key'): Promise<number> => {
    const headers = { authorization: `Bearer ${key}` }
    const { statusCode, body } = await request(url, { dispatcher, headers })
    await body.dump()
    return statusCode
  }
}

describe('a proxy that leads to a world', () => {
  it('answers there, whatever key the program sends', async () => {
    const { one, other } = twoWorlds()
    const { variables } = await one.client.openProxy({ addresses: HOSTS })
    const call = programWith(variables)
    expect(await call(HEALTH, 'a-key-of-the-program')).toBe(200)
    expect(await call(HEALTH, other.key)).toBe(200)
    expect(one.world.requests.count('healthCheck')).toBe(2)
    expect(other.world.requests.count('healthCheck')).toBe(0)
  })

  it('leads the same program to another world, also over a connection that is open', async () => {
    const { one, other } = twoWorlds()
    const opened = await one.client.openProxy({ addresses: HOSTS })
    const call = programWith(opened.variables)
    await call(HEALTH)
    const led = await other.client.openProxy({ proxy_url: opened.proxy_url })
    expect(led).toEqual(opened)
    await call(HEALTH)
    expect(one.world.requests.count('healthCheck')).toBe(1)
    expect(other.world.requests.count('healthCheck')).toBe(1)
  })

  it('tells each world which hosts were called for it', async () => {
    const { one, other } = twoWorlds()
    const { variables, proxy_url } = await one.client.openProxy({
      addresses: HOSTS,
      allow_with: 'ask for {host}',
    })
    const call = programWith(variables)
    await call(HEALTH)
    await expect(call('https://elsewhere.test/')).rejects.toThrow('403')
    await other.client.openProxy({ proxy_url, allow_hosts_out: ['nowhere.invalid'] })
    await expect(call('https://nowhere.invalid/')).rejects.toThrow('502')
    expect(await one.client.calledHosts()).toMatchObject([
      { host: 'api.training.test', answered: 1, refused: 0, failures: [] },
      {
        host: 'elsewhere.test',
        refused: 1,
        failures: [
          expect.stringMatching(/^to allow it: ask for elsewhere\.test; to answer its chats: /),
        ],
      },
    ])
    const [called] = await other.client.calledHosts()
    expect(called).toMatchObject({ host: 'nowhere.invalid', refused: 0 })
    expect(called!.failures).toEqual([expect.stringContaining('nowhere.invalid')])
  })

  it.each(['https://hf.co', 'hf.co:443', '*.hf.co', 'h f.co', '[::1', ':::::'])(
    'refuses to allow "%s", which no host is called',
    async (host) => {
      const { one } = twoWorlds()
      await expect(one.client.openProxy({ allow_hosts_out: ['pypi.org', host] })).rejects.toThrow(
        `allow_hosts_out takes a host name without scheme or port, .example.com for all below it, or all, not "${host}".`,
      )
    },
  )

  it.each(['huggingface.co', '.huggingface.co', 'all', '10.0.0.7', '::1', '[::1]'])(
    'can allow %s',
    async (host) => {
      const { one } = twoWorlds()
      expect(await one.client.openProxy({ allow_hosts_out: [host] })).toHaveProperty('proxy_url')
    },
  )

  it('closes with the emulator, and leaves no files', async () => {
    const { emulator, one } = twoWorlds()
    const { variables } = await one.client.openProxy({ addresses: HOSTS })
    const call = programWith(variables)
    await call(HEALTH)
    await emulator.close()
    expect(existsSync(variables['SSL_CERT_FILE']!)).toBe(false)
    await expect(call(HEALTH)).rejects.toThrow('ECONNREFUSED')
  })

  it.each([
    [{ proxy_url: 'http://127.0.0.1:1' }, 404, 'No proxy is open at http://127.0.0.1:1'],
    [{ addresses: ['trianing=a.test/v1'] }, 400, 'Did you mean "training"?'],
  ])('refuses %j', async (wanted, status, message) => {
    const { one } = twoWorlds()
    const refused = one.client.openProxy(wanted)
    await expect(refused).rejects.toMatchObject({ status })
    await expect(refused).rejects.toThrow(message)
  })

  it('is not there in a browser', async () => {
    const { trainingUrl: url, fetch } = createInBrowser()
    const client = createClient({ url, fetch })
    await expect(client.openProxy()).rejects.toThrow('An emulator in a browser has no proxy.')
    expect(await client.calledHosts()).toEqual([])
  })
})
