import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../../src/index.js'
import type { ListenOptions } from '../../../src/emulator/adapters/listen-options.js'
import { BASE_MODEL, bearer, jsonHeaders } from '../../support/api-client.js'
import { served } from '../../support/served.js'
import { answerOf, errorOf, readable, type Reproductions } from './reproduction.js'

const model = { project: 'demo', name: 'poet', base_model: BASE_MODEL }

/** An emulator on two ports, until the end of the test. */
async function listening(options: EmulatorOptions = {}, on: ListenOptions = {}): Promise<Emulator> {
  const emulator = createEmulator(options)
  await emulator.listen(on)
  onTestFinished(() => emulator.close())
  return emulator
}

function post(url: string, body: unknown, headers: Record<string, string> = jsonHeaders()) {
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** Calls an emulator under another name than its own. Node's fetch does not allow that, curl does. */
async function curl(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { PATH } = process.env
  const { stdout } = await promisify(execFile)('curl', ['-s', ...args], { env: { PATH, ...env } })
  return stdout
}

export const calls: Reproductions = {
  'getaddrinfo ENOTFOUND training.svtrain.test': async () => {
    const emulator = createEmulator()
    const said = await errorOf(() => fetch(`${emulator.trainingUrl}/health`))
    const inProcess = await emulator.fetch(`${emulator.trainingUrl}/preview/base-models`)
    await emulator.listen()
    onTestFinished(() => emulator.close())
    const overPort = await fetch(`${emulator.trainingUrl}/preview/base-models`)
    return { said, isFixed: inProcess.ok && overPort.ok }
  },

  'Not authenticated': async () => {
    const { trainingUrl } = await listening()
    const said = await answerOf(fetch(`${trainingUrl}/health`))
    return { said, isFixed: (await fetch(`${trainingUrl}/health`, { headers: bearer() })).ok }
  },

  'The model `my-base` does not exist.': async () => {
    const chat = { model: 'my-base', messages: [{ role: 'user', content: 'Hello' }] }
    const ask = (emulator: Emulator): Promise<Response> =>
      post(`${emulator.inferenceUrl}/chat/completions`, chat)
    const said = await answerOf(ask(await listening()))
    const listed = await listening({
      scenario: { name: 'mine', base_models: ['example/base-8b-instruct', 'my-base'] },
    })
    const any = await listening({ serveAnyModel: true })
    return { said, isFixed: (await ask(listed)).ok && (await ask(any)).ok }
  },

  '{"detail":"Not Found"}': async () => {
    const { trainingUrl } = await listening()
    const said = await answerOf(post(trainingUrl.replace('/v1', '/preview/models'), model))
    return { said, isFixed: (await post(`${trainingUrl}/preview/models`, model)).ok }
  },

  'Field required': async () => {
    const { trainingUrl } = await listening()
    const { base_model: _, ...incomplete } = model
    const said = await answerOf(post(`${trainingUrl}/preview/models`, incomplete))
    return { said, isFixed: (await post(`${trainingUrl}/preview/models`, model)).ok }
  },

  'Input should be a valid dictionary or object': async () => {
    const { trainingUrl } = await listening()
    const said = await answerOf(post(`${trainingUrl}/preview/models`, model, bearer()))
    return { said, isFixed: (await post(`${trainingUrl}/preview/models`, model)).ok }
  },

  'Host "emu.local" is not allowed': async () => {
    const ask = async (on?: ListenOptions): Promise<string> => {
      const { trainingUrl } = await listening({}, on)
      const url = `${trainingUrl}/preview/base-models`
      return curl(['-w', ' %{http_code}', '-H', 'Host: emu.local', url])
    }
    const said = readable(await ask())
    return { said, isFixed: (await ask({ allowedHosts: ['emu.local'] })).endsWith(' 200') }
  },

  'Origin "http://app.example" is not allowed': async () => {
    const ask = async (on?: ListenOptions): Promise<Response> => {
      const { trainingUrl } = await listening({}, on)
      const headers = { origin: 'http://app.example' }
      return fetch(`${trainingUrl}/preview/base-models`, { headers })
    }
    const said = await answerOf(ask())
    return { said, isFixed: (await ask({ corsOrigins: ['http://app.example'] })).ok }
  },

  'This call needs the control token': async () => {
    const { trainingUrl } = await listening({}, { controlToken: 'a-token' })
    const reset = (headers: Record<string, string>): Promise<Response> =>
      fetch(new URL('/_emulator/reset', trainingUrl), { method: 'POST', headers })
    const said = await answerOf(reset({}))
    return { said, isFixed: (await reset(bearer('a-token'))).ok }
  },

  '502': async () => {
    // curl reads only the name in small letters.
    const http_proxy = await served((_request, response) => response.writeHead(502).end())
    const emulator = await listening()
    const ask = (env: Record<string, string>): Promise<string> =>
      curl(['-w', '%{http_code}', '-o', '/dev/null', `${emulator.trainingUrl}/health`], {
        http_proxy,
        ...env,
      })
    const said = await ask({})
    const isUnseen = emulator.requests.count('healthCheck') === 0
    const fixed = await ask({ NO_PROXY: '127.0.0.1,localhost' })
    return { said, isFixed: isUnseen && fixed === '401' }
  },

  'requests.count()': async () => {
    const emulator = await listening({ isolate: 'api-key' })
    await fetch(`${emulator.trainingUrl}/health`, { headers: bearer('key-of-this-test') })
    const said = `requests.count() is ${emulator.requests.count('healthCheck')}`
    const { requests } = emulator.world('key-of-this-test')
    return { said, isFixed: requests.count('healthCheck') === 1 }
  },
}
