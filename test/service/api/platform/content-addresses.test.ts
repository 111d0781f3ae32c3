import { describe, expect, it } from 'vitest'
import type { Emulator, EmulatorOptions } from '../../../../src/index.js'
import { openEmulator } from '../../../emulator/open-emulator.js'
import { basic, type Caller } from '../../../support/graphql.js'
import { describeTransports } from '../../../support/transports.js'
import { addressOf, openArtifact, put } from '../../../support/platform-client.js'

const REFUSED = { status: 404, message: expect.stringContaining('no content at this address') }

/** Calls an emulator with one key. Addresses of contents get none, as with the SDK. */
function callerOf(emulator: Emulator, key = 'any-key'): Caller {
  const fetch: typeof globalThis.fetch = (input, init) => {
    const headers = new Headers(init?.headers)
    if (headers.has('authorization')) headers.set('authorization', basic(key))
    return emulator.fetch(input, { ...init, headers })
  }
  return { emulator, fetch }
}

/** Logs an artifact with one file. Returns where it was uploaded to, and where it can be read. */
async function log(api: Caller, content: string) {
  const { url: upload, commit } = await openArtifact(api, content)
  await put(api, upload, content)
  await commit()
  return { upload, download: await addressOf(api) }
}

describeTransports('the address of a content', (open) => {
  it('is refused without its signature, and with that of another content', async () => {
    const api = await open()
    const { upload, download } = await log(api, 'hello')
    const read = async (address: string) => (await api.fetch(address)).status
    expect(await read(download.replace(/\?.*/, ''))).toBe(404)
    expect(await read(download.replace(/\?.*/, new URL(upload).search))).toBe(404)
  })

  it('has a signature that no log shows', async () => {
    const api = await open()
    const { download } = await log(api, 'hello')
    await (await api.fetch(download)).text()
    const shown = api.emulator.trace() + (await api.emulator.report())
    expect(shown).not.toContain(new URL(download).searchParams.get('signature'))
  })
})

describe('contents belong to their world', () => {
  it('one key cannot compute the addresses of another', async () => {
    const emulator = openEmulator({ isolate: 'api-key' })
    const ada = callerOf(emulator, 'key-of-ada')
    const bob = callerOf(emulator, 'key-of-bob')
    const { upload, download } = await log(ada, 'of Ada')
    const { url } = await openArtifact(bob, 'of Bob')
    expect(new URL(url).pathname).toBe(new URL(upload).pathname.replace('world-1', 'world-2'))
    expect(await put(ada, upload.replace('world-1', 'world-2'), 'by Ada')).toEqual(REFUSED)
    expect((await bob.fetch(download)).status).toBe(200)
    expect((await ada.fetch(download.replace('world-1', 'world-2'))).status).toBe(404)
  })

  it('another emulator with the same seed has other addresses', async () => {
    const { upload } = await log(callerOf(openEmulator()), 'hello')
    const api = callerOf(openEmulator())
    const { url } = await openArtifact(api, 'hello')
    expect(new URL(url).pathname).toBe(new URL(upload).pathname)
    expect(await put(api, upload, 'hello')).toEqual(REFUSED)
  })

  it.each<EmulatorOptions>([{}, { apiKeys: ['key-of-ada'] }])(
    'an address ends with its world, with %j',
    async (options) => {
      const emulator = openEmulator(options)
      const api = callerOf(emulator, 'key-of-ada')
      const { url } = await openArtifact(api, 'hello')
      emulator.reset()
      await openArtifact(api, 'hello')
      expect(await put(api, url, 'hello')).toEqual(REFUSED)
    },
  )
})
