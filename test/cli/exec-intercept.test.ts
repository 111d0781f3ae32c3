import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import getPort from 'get-port'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { served } from '../support/served.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'
import { assertBuilt, Command, type CommandOptions } from './command.js'

beforeAll(assertBuilt)

const HOST = ['--intercept', 'training=https://api.training.test/v1']

/** Runs a program of Node's by `exec --intercept`. */
function intercepted(
  program: string,
  options: readonly string[] = HOST,
  started?: CommandOptions,
): Command {
  return new Command(['exec', ...options, '--', process.execPath, '--eval', program], started)
}

/** Calls a URL, and prints the status or why there is none. */
const calls = (url: string): string => `
  const headers = { authorization: 'Bearer ' + process.env.WANDB_API_KEY }
  await fetch('${url}', { headers }).then(
    ({ status }) => console.log(status),
    ({ cause }) => console.log(cause.message),
  )`

/** Asks a model, and prints who answered. */
const chats = (url: string, model: string): string => `
  const key = 'Bearer ' + process.env.OPENAI_API_KEY
  const headers = { authorization: key, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: '${model}', messages: [{ role: 'user', content: 'Hello' }] })
  const answer = await fetch('${url}/chat/completions', { method: 'POST', headers, body })
  console.log((await answer.json()).model)`

/** Calls a URL with a module of Node. Resolves with the status, or why there is none. */
const viaNode = `
  const [http, https] = [require('http'), require('https')]
  const get = (module, url) => new Promise((resolve) => {
    const headers = { authorization: 'Bearer any-key' }
    module.get(url, { headers }, (answer) => resolve(answer.resume().statusCode))
      .on('error', ({ message }) => resolve(message))
  })`

describe('exec --intercept', { timeout: 30_000 }, () => {
  it('answers a program that calls the real host, with and without fetch', async () => {
    const url = 'https://api.training.test/v1/health'
    const command = intercepted(`
      ${viaNode}
      ;(async () => {
        ${calls(url)}
        console.log(await get(https, '${url}'))
        console.log(await get(http, '${url.replace('https', 'http')}'))
        console.log(await get(http, process.env.SVTRAIN_BASE_URL + '/health'))
      })()`)
    expect(await command.ended()).toBe(0)
    expect(command.stdout).toBe('200\n200\n200\n200\n')
    expect(command.stderr).toBe(
      'Hosts that the command called:\n  api.training.test  3 answered by the emulator\n',
    )
  })

  it('answers a judge at another host, with a key that the scenario accepts, and any model name', async () => {
    const scenario = join(temporaryFolder(), 'keys.yaml')
    writeFileSync(scenario, 'name: keys\nauth: { keys: { key-of-the-team: { user: red } } }\n')
    const judge = ['--intercept=documented', '--intercept=inference=https://api.judge.test/v1']
    const program = chats('https://api.judge.test/v1', 'judge-5')
    const command = intercepted(program, [...judge, '--scenario', scenario])
    expect(await command.ended()).toBe(0)
    expect(command.stdout).toBe('judge-5\n')
  })

  it('answers a port of this machine, and passes calls to its other ports', async () => {
    const other = await served((_request, response) => response.writeHead(201).end())
    const named = await getPort()
    const command = intercepted(
      `
      ${viaNode}
      const other = '${other}/'
      ;(async () => {
        for (const host of ['localhost:${named}', '127.0.0.1:${named}', new URL(process.env.SVTRAIN_INFERENCE_URL).host]) {
          { ${calls("http://' + host + '/v1/models")} }
          console.log(await get(http, 'http://' + host + '/v1/models'))
        }
        { ${calls("' + other + '")} }
        console.log(await get(http, other))
        console.log(await get(http, 'http://elsewhere.test/'))
      })()`,
      ['--intercept', `inference=http://localhost:${named}/v1`],
    )
    expect(await command.ended()).toBe(0)
    expect(command.stdout.trim().split('\n')).toEqual([
      ...Array<string>(6).fill('200'),
      '201',
      '201',
      expect.stringContaining('403') as string,
    ])
    expect(command.stderr).toBe(
      `Hosts that the command called:\n  localhost:${named}  4 answered by the emulator\n  elsewhere.test   1 refused; to allow it: --allow-host-out elsewhere.test; to answer its chats: --intercept documented --intercept inference=http://elsewhere.test/v1 (pytest: svtrain_addresses)\n`,
    )
  })

  it('says what to do about a client that cannot be caught', async () => {
    const named = await getPort()
    const url = `http://localhost:${named}/v1`
    const program = `
      const http = require('http')
      http.get('${url}/models', { agent: new http.Agent() }).on('error', ({ code }) => console.log(code))`
    const command = intercepted(program, ['--intercept', `inference=${url}`])
    expect(await command.ended()).toBe(0)
    expect(command.stdout).toBe('ECONNREFUSED\n')
    expect(command.stderr).toContain(
      `Nothing called ${url} through the proxy. A client that uses no proxy, or none for this machine, cannot be caught`,
    )
    expect(command.stderr).toContain(
      'Give such a client the address in SVTRAIN_INFERENCE_URL, which is set.\n',
    )
  })

  it('says that nothing was called', async () => {
    const command = intercepted('console.log(1)')
    expect(await command.ended()).toBe(0)
    expect(command.stderr).toMatch(/^No host was called through the proxy\. /)
  })

  it('replaces settings of the user that would lead past it', async () => {
    const env = { WANDB_MODE: 'disabled', LITELLM_LOCAL_MODEL_COST_MAP: '' }
    const names = `${Object.keys(env).join(', ')}, HTTPS_PROXY`
    const command = intercepted(`const { ${names} } = process.env; console.log(${names})`, HOST, {
      env: { ...env, HTTPS_PROXY: 'http://proxy.test:3128' },
    })
    expect(await command.ended()).toBe(0)
    expect(command.stdout).toMatch(/^online True http:\/\/127\.0\.0\.1:\d+\n$/)
  })

  it('lets no key of the user out, even if the program sends all that it knows', async () => {
    const folder = temporaryFolder()
    const keys = ['a1b2c3d4e5'.repeat(4), 'f6a7b8c9d0'.repeat(4)]
    writeFileSync(
      join(folder, '.netrc'),
      `machine api.training.test login user password ${keys[1]}`,
    )
    let seen = ''
    const upstream = createServer((socket) => {
      socket.on('data', (bytes) => {
        const isTunnel = String(bytes).startsWith('CONNECT ')
        seen += String(bytes)
        if (isTunnel) socket.write('HTTP/1.1 200 OK\r\n\r\n')
        else if (seen.includes('WANDB_API_KEY')) socket.end('HTTP/1.1 204 No Content\r\n\r\n')
      })
      socket.on('error', () => {})
    })
    onTestFinished(() => void upstream.close())
    upstream.listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    const { port } = upstream.address() as AddressInfo
    const command = intercepted(
      `
      const { readFileSync } = require('fs')
      const body = JSON.stringify({ ...process.env, logins: readFileSync(process.env.NETRC, 'utf8') })
      const authorization = 'Bearer ' + process.env.WANDB_API_KEY
      const options = { method: 'POST', headers: { authorization }, body }
      const urls = ['https://api.training.test/v1/health', 'http://outside.test/', 'https://refused.test/']
      Promise.allSettled(urls.map((url) => fetch(url, options))).then(() => console.log(body))`,
      [...HOST, '--allow-host-out=outside.test', '--log=json', '--har', join(folder, 'all.har')],
      { env: { WANDB_API_KEY: keys[0]!, HOME: folder, https_proxy: `http://127.0.0.1:${port}` } },
    )
    expect(await command.ended()).toBe(0)
    const files = readFileSync(join(folder, 'all.har'), 'utf8')
    const all = seen + command.output + files
    for (const key of keys) expect(all).not.toContain(key)
    // The same form: 40 hexadecimal digits.
    expect(seen).toContain(`"WANDB_API_KEY":"${'0'.repeat(40)}"`)
    expect(command.stderr).toMatch(/outside\.test +1 passed on/)
    expect(command.stderr).toMatch(/refused\.test +1 refused/)
  })

  it('may be killed at any moment: the program reaches nobody, and the next start cleans up', async () => {
    const TMPDIR = temporaryFolder()
    // The call never ends by itself. Afterwards, the program tries the real host once more.
    const program = `
      ${viaNode}
      const url = 'https://api.training.test/v1/health'
      const call = https.request(url, { method: 'POST', headers: { 'content-length': 9 } })
      call.on('error', async ({ code }) => console.log(code, await get(https, url)))
      call.on('finish', () => console.log('sent')).write('x')
      call.on('socket', (socket) => socket.on('secure', () => console.log('calling')))
      console.log('started')`
    const start = () => intercepted(program, HOST, { env: { TMPDIR } })
    const moments = [
      async () => {},
      () => until('its files are there', () => readdirSync(TMPDIR).length > 0),
      async (command: Command) => void (await command.says(/started/)),
      async (command: Command) => void (await command.says(/calling/)),
    ]
    for (const moment of moments) {
      const command = start()
      await moment(command)
      command.process.kill('SIGKILL')
      // Its output ends when the program has ended, too.
      await command.ended()
      if (command.stdout.includes('calling')) {
        // The second call meets nobody, or the end of the program.
        expect(command.stdout).toMatch(/^ECONNRESET .*(?:ECONNREFUSED 127\.0\.0\.1|ECONNRESET)/m)
      }
    }
    expect(readdirSync(TMPDIR).length).toBeGreaterThan(0)
    expect(await intercepted('', HOST, { env: { TMPDIR } }).ended()).toBe(0)
    expect(readdirSync(TMPDIR)).toEqual([])
  })
})

const unshare = ['--user', '--map-current-user', '--keep-caps', '--net', 'true']
/** Why there is no network namespace here. Undefined if there is. */
const noNamespace =
  spawnSync('unshare', ['--net', 'true']).status === 0 || spawnSync('unshare', unshare).status === 0
    ? undefined
    : 'this system allows no network namespace'

describe.skipIf(noNamespace)(`exec --no-network ${noNamespace ?? ''}`, { timeout: 30_000 }, () => {
  it('runs a command that reaches the emulator, and nothing else', async () => {
    const program = `
      const headers = { authorization: 'Bearer ' + process.env.SVTRAIN_API_KEY }
      console.log((await fetch(process.env.SVTRAIN_BASE_URL + '/health', { headers })).status)
      await fetch('http://192.0.2.1/').catch(({ cause }) => console.log(cause.code))`
    const command = intercepted(program, ['--no-network'])
    expect(await command.ended()).toBe(0)
    expect(command.stdout).toBe('200\nENETUNREACH\n')
  })

  it('answers the real hosts there as well', async () => {
    const url = 'https://api.training.test/v1/health'
    const command = intercepted(calls(url), ['--no-network', ...HOST])
    expect(await command.ended()).toBe(0)
    expect(command.stdout).toBe('200\n')
  })

  it('exits as the command does, and says how to run it again', async () => {
    const command = intercepted('process.exit(7)', ['--no-network'])
    expect(await command.ended()).toBe(7)
    expect(command.stderr).toMatch(/ exec .*--no-network -- /)
  })

  it('stops with the command at a signal', async () => {
    const command = intercepted('console.log("started"); setInterval(() => {}, 1000)', [
      '--no-network',
    ])
    await command.says(/started/)
    command.process.kill('SIGTERM')
    expect(await command.ended()).toBe(143)
  })
})
