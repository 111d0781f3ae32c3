import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createEmulator, type Emulator } from '../../../src/index.js'
import type { HandlersOptions } from '../../../src/msw.js'
import { majors, msw2, type MswMajor, type Server } from '../../support/msw.js'
import { bearer, jsonHeaders } from '../../support/api-client.js'
import { served } from '../../support/served.js'
import { addressOf, openArtifact, put } from '../../support/platform-client.js'

/** Starts a mock server that refuses requests that no handler answers. */
function listening({ setupServer }: MswMajor, ...all: object[]): Server {
  const server = setupServer(...all)
  server.listen({ strict: true })
  onTestFinished(() => server.close())
  return server
}

/** Receives requests on a real port. Before it answers the first one, it does some work. */
async function receiver(work = async (): Promise<unknown> => undefined) {
  const heard: { headers: object; body: string }[] = []
  const url = await served((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      heard.push({ headers: request.headers, body })
      const worked = heard.length === 1 ? work() : Promise.resolve()
      void worked.then(() => response.end('taken in'))
    })
  })
  return { heard, url: `${url}/hook` }
}

function deliver({ transport }: Emulator, url: string): Promise<Response> {
  const headers = { 'x-service-signature': 'abc' }
  return transport.fetch(url, { method: 'POST', headers, body: '{"event_type":"RUN_STATE"}' })
}

const chat = {
  method: 'POST',
  headers: jsonHeaders(),
  body: JSON.stringify({
    model: 'example/base-8b-instruct',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
  }),
}

it.each([
  ['documentd', 'Did you mean "documented"?'],
  [{ trainng: 'https://a.example/v1' }, 'Did you mean "training"?'],
  [{ training: 'https://a.example' }, 'option "hosts.training" cannot be used. The address'],
  [{ platform: ['https://a.example', 7] }, 'is 7; expected an address, or a list of addresses'],
  [['training=https://a.example/v1'], 'is an array; expected an object'],
])('hosts of handlers refuse %j', async (hosts, why) => {
  const { handlers } = await msw2()
  expect(() => handlers(createEmulator(), { hosts } as HandlersOptions)).toThrow(why)
})

for (const { name, load, runs } of majors) {
  describe.skipIf(!runs)(`handlers for ${name}`, () => {
    it('answer in a network that is built from sources', async () => {
      const msw = await load()
      const emulator = createEmulator()
      const network = msw.defineNetwork(...msw.handlers(emulator))
      await network.enable()
      onTestFinished(() => void network.disable())
      const listed = await fetch(`${emulator.trainingUrl}/preview/base-models`)
      expect(await listed.json()).toContain('example/base-8b-instruct')
    })

    it('refuse calls of a closed emulator in a way that clients do not retry', async () => {
      const msw = await load()
      const emulator = createEmulator()
      const { trainingUrl, inferenceUrl } = emulator
      listening(msw, ...msw.handlers(emulator))
      await emulator.close()
      const refused = await fetch(`${trainingUrl}/health`)
      expect(refused.status).toBe(410)
      expect(await refused.json()).toEqual({
        detail:
          'Failed: this emulator is closed. Close it after the last request, or create another one.',
      })
      const chatRefused = await fetch(`${inferenceUrl}/chat/completions`, chat)
      expect(await chatRefused.json()).toMatchObject({ error: { code: 410 } })
    })

    it('answer only at the addresses that the code under test calls', async () => {
      const msw = await load()
      const emulator = createEmulator()
      const urls = {
        trainingUrl: 'https://api.example.com/training/v1',
        inferenceUrl: 'https://api.example.com/inference/v1/',
      }
      const yours = msw.mock('https://api.example.com/*', () => new Response('yours'))
      listening(msw, ...msw.handlers(emulator, urls), yours)
      const listed = await fetch('https://api.example.com/training/v1/preview/base-models')
      expect(await listed.json()).toContain('example/base-8b-instruct')
      const headers = bearer()
      const models = await fetch('https://api.example.com/inference/v1/models', { headers })
      expect((await models.json()) as object).toMatchObject({ object: 'list' })
      for (const path of ['/training/v10/preview/base-models', '/training', '/elsewhere']) {
        expect(await (await fetch(`https://api.example.com${path}`)).text()).toBe('yours')
      }
    })

    it('answer code that names the hosts of the documented service', async () => {
      const msw = await load()
      const emulator = createEmulator()
      const yours = msw.mock('https://*', () => new Response('yours'))
      listening(msw, ...msw.handlers(emulator, { hosts: 'documented' }), yours)
      for (const host of ['training', 'inference']) {
        const answer = await fetch(`https://api.${host}.wandb.ai/v1/chat/completions`, chat)
        expect(await answer.text()).toMatch(/data: \[DONE\]\n\n$/)
      }
      const models = 'https://api.training.wandb.ai/v1/preview/models'
      const body = JSON.stringify({
        project: 'p',
        name: 'poet',
        base_model: 'example/base-8b-instruct',
      })
      const created = await fetch(models, { method: 'POST', headers: jsonHeaders(), body })
      expect(created.status).toBe(200)
      // A call of the other API is told that one, by the address that the code knows.
      await fetch(models.replace('training', 'inference'), { headers: bearer() })
      expect(emulator.requests.all().at(-1)).toMatchObject({
        status: 404,
        hint: 'this is the inference API, and the call belongs to the training API, which is at https://api.training.wandb.ai/v1',
      })
      const unknown = await fetch('https://api.training.wandb.ai/v1/jobs', { headers: bearer() })
      expect([unknown.status, await unknown.json()]).toEqual([404, { detail: 'Not Found' }])
      const forge = 'https://forge.coreweave.com'
      const listed = await fetch(`${forge}:8443/api/training/v1/preview/base-models`)
      expect(listed.status).toBe(200)
      const web = await fetch(`${forge}/wandb/home`)
      expect(web.status).toBe(404)
      expect(await web.text()).toContain('/wandb/home of forge.coreweave.com belongs to no API')
      expect(await (await fetch('https://wandb.ai/home')).text()).toBe('yours')
      const plain = 'http://api.training.wandb.ai/v1/preview/base-models'
      expect((await fetch(plain)).status).toBe(200)
      expect((await fetch(`${emulator.trainingUrl}/preview/base-models`)).status).toBe(200)
    })

    it('answer one port of this machine, by each of its names', async () => {
      const msw = await load()
      const yours = msw.mock('http://*', () => new Response('yours'))
      const hosts = { inference: 'http://localhost:11434/v1' }
      listening(msw, ...msw.handlers(createEmulator(), { hosts }), yours)
      for (const host of ['localhost', '127.0.0.1', '[::1]']) {
        const answer = await fetch(`http://${host}:11434/v1/chat/completions`, chat)
        expect(await answer.text()).toMatch(/data: \[DONE\]\n\n$/)
        expect(await (await fetch(`http://${host}:11435/v1/models`)).text()).toBe('yours')
      }
    })

    it.each([
      ['https://api.wandb.ai', { hosts: 'documented' }, ''],
      ['https://api.forge.coreweave.com', { hosts: 'documented' }, '/api'],
      ['https://forge.coreweave.com/api/wandb', { hosts: 'documented' }, ''],
      ['https://x.test/runs', { hosts: { platform: 'x.test/runs/' } }, '/api'],
      ['https://x.test', { trainingUrl: 'https://x.test/v1' }, ''],
      ['https://x.test/deep/training', { trainingUrl: 'https://x.test/deep/training/v1' }, '/api'],
    ] as const)('answer runs and artifacts at %s, for %j', async (root, options, basePath) => {
      const msw = await load()
      const emulator = createEmulator({ basePath })
      const yours = msw.mock('https://*', () => new Response('yours'))
      listening(msw, ...msw.handlers(emulator, options), yours)
      const api = {
        emulator,
        // The SDK takes the address of the host.
        fetch: ((url: string | URL, init?: RequestInit) => {
          const { origin, pathname } = new URL(url)
          const isOwn = origin === new URL(emulator.trainingUrl).origin
          return fetch(isOwn ? root + pathname : url, init)
        }) as typeof fetch,
      }
      const { url, commit } = await openArtifact(api, 'hello')
      expect(new URL(url).origin).toBe(new URL(root).origin)
      expect(new URL(url).pathname).toContain(`${basePath}/storage/`)
      expect((await put(api, url, 'hello')).status).toBe(200)
      expect((await commit()).data.commitArtifact.artifact.state).toBe('COMMITTED')
      expect(await (await fetch(await addressOf(api))).text()).toBe('hello')
      const dropped = await fetch(`${root}/sdk/otel/v1/metrics`, { method: 'POST', body: 'x' })
      expect(await dropped.json()).toEqual({})
      expect(await (await fetch('https://x.test/graphs')).text()).toBe('yours')
    })

    it.each([
      { hosts: { training: 'https://api.example.com/deep/training/v1' } },
      { trainingUrl: 'https://api.example.com/deep/training/v1' },
    ])('redirect to the address that was called: %j', async (options) => {
      const msw = await load()
      listening(msw, ...msw.handlers(createEmulator({ basePath: '/api' }), options))
      const url = 'https://api.example.com/deep/training/v1/preview/base-models'
      const shown = await fetch(`${url}/`, { redirect: 'manual' })
      expect([shown.status, shown.headers.get('location')]).toEqual([307, url])
      expect((await fetch(`${url}/`)).status).toBe(200)
    })

    it('work whether the emulator or the mock server is created first', async () => {
      const msw = await load()
      const server = listening(msw)
      const emulator = createEmulator()
      server.use(...msw.handlers(emulator))
      expect((await fetch(`${emulator.trainingUrl}/preview/base-models`)).status).toBe(200)
    })

    it('follow an emulator that begins to listen', async () => {
      const msw = await load()
      await using emulator = createEmulator()
      listening(msw, ...msw.handlers(emulator))
      await emulator.listen()
      expect((await fetch(`${emulator.trainingUrl}/preview/base-models`)).status).toBe(200)
    })

    it('keep two emulators at different addresses apart', async () => {
      const msw = await load()
      const urls = ['https://one.example/v1', 'https://two.example/v1']
      const emulators = urls.map(() => createEmulator())
      listening(
        msw,
        ...emulators.flatMap((emulator, index) => {
          return msw.handlers(emulator, { trainingUrl: urls[index]! })
        }),
      )
      for (const url of [urls[0], urls[1], urls[1]]) await fetch(`${url}/preview/base-models`)
      expect(emulators.map(({ journal }) => journal.entries.length)).toEqual([1, 2])
    })

    it('let only the requests of the emulator through, without a mark', async () => {
      const msw = await load()
      const { heard, url } = await receiver()
      const emulator = createEmulator({ isolate: 'api-key' })
      listening(msw, ...msw.handlers(emulator))
      expect(await (await deliver(emulator, url)).text()).toBe('taken in')
      expect(await (await deliver(emulator.world('k'), url)).text()).toBe('taken in')
      expect(heard.map(({ body }) => body)).toEqual(Array(2).fill('{"event_type":"RUN_STATE"}'))
      expect(heard[0]!.headers).toMatchObject({ 'x-service-signature': 'abc' })
      expect(JSON.stringify(heard)).not.toMatch(/msw|emulator/)

      // The warnings of MSW about refused requests.
      const printed = vi.spyOn(console, 'error').mockReturnValue()
      onTestFinished(() => printed.mockRestore())
      const [, somebodyElses] = await Promise.allSettled([
        deliver(emulator, url),
        fetch(url, { method: 'POST', body: 'another' }),
      ])
      expect(somebodyElses.status).toBe('rejected')
      await expect(deliver(createEmulator(), url)).rejects.toBeInstanceOf(Error)
      expect(heard).toHaveLength(3)
    })

    it('let no other request through that has the bytes of a delivery on its way', async () => {
      const msw = await load()
      // The warnings of MSW about refused requests.
      const printed = vi.spyOn(console, 'error').mockReturnValue()
      onTestFinished(() => printed.mockRestore())
      let elsewhere: unknown
      const { heard, url } = await receiver(async () => {
        const init = { method: 'POST', body: '{"event_type":"RUN_STATE"}' }
        elsewhere = await fetch(`${url}/elsewhere`, init).catch((error: unknown) => error)
      })
      const emulator = createEmulator()
      listening(msw, ...msw.handlers(emulator))
      expect(await (await deliver(emulator, url)).text()).toBe('taken in')
      expect(elsewhere).toBeInstanceOf(Error)
      expect(heard).toHaveLength(1)
    })

    it('leave the requests of the emulator to a mock that is listed before or added later', async () => {
      const msw = await load()
      const emulator = createEmulator()
      const hooks = ['listed', 'added'].map((how) => `https://${how}.example/hook`)
      const mocks = hooks.map((url) => msw.mock(url, () => new Response('yours')))
      const server = listening(msw, mocks[0]!, ...msw.handlers(emulator))
      server.use(mocks[1]!)
      for (const url of hooks) expect(await (await deliver(emulator, url)).text()).toBe('yours')
    })

    it('tell the emulator that its requests are intercepted', async () => {
      const { handlers } = await load()
      const emulator = createEmulator()
      expect(emulator.transport.intercepted).toBe(false)
      handlers(emulator)
      expect(emulator.transport.intercepted).toBe(true)
    })
  })
}
