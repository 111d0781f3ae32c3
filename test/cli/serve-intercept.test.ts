import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { ProxyAgent, request } from 'undici'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { allBlocks } from '../support/pages.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { assertBuilt, start } from './command.js'
import { refusal, settings } from './parsed.js'

beforeAll(assertBuilt)

const ANY_PORT = ['--intercept-port', '0', '--log', 'json']

/** An address of this machine that is not loopback: who calls it seems to be in another container. */
const address = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

interface Service {
  environment: Record<string, string>
  volumes: string[]
}

interface Compose {
  services: Record<string, Service>
}

interface Ready {
  proxyUrl: string
  certificates: string
  variables: Record<string, string>
}

describe('--intercept', { timeout: 30_000 }, () => {
  it('opens a proxy for other programs, and leaves none of its files', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'ready.json')
    const shared = join(folder, 'certificates')
    const options = ['--intercept', ...ANY_PORT, '--certificates', shared, '--ready-file', file]
    const env = { WANDB_API_KEY: 'a-real-key-of-the-user-that-must-never-leave' }
    const command = start(options, { env })
    await command.says(/"kind":"ready"/)
    const {
      proxyUrl: uri,
      certificates,
      variables,
    } = JSON.parse(readFileSync(file, 'utf8')) as Ready
    expect(certificates).toBe(shared)
    expect(variables).toMatchObject({
      HTTPS_PROXY: uri,
      SSL_CERT_FILE: join(shared, 'bundle.pem'),
      WANDB_API_KEY: expect.not.stringContaining('real-key'),
    })
    const requestTls = { ca: readFileSync(join(shared, 'bundle.pem'), 'utf8') }
    const dispatcher = new ProxyAgent({ uri, requestTls, proxyTunnel: true })
    onTestFinished(() => dispatcher.destroy())
    const { statusCode } = await request('https://api.training.wandb.ai/v1/health', {
      dispatcher,
      headers: { authorization: 'Bearer any-key' },
    })
    expect(statusCode).toBe(200)
    const hosts = await fetch(`${variables['SVTRAIN_CONTROL_URL']}/called-hosts`)
    expect(await hosts.json()).toMatchObject({ hosts: [{ answered: 1 }] })
    command.process.kill('SIGTERM')
    expect(await command.ended()).toBe(0)
    expect(readdirSync(shared)).toEqual([])
    expect(existsSync(file)).toBe(false)
  })

  it.skipIf(address === undefined)('serves the containers of the page', async () => {
    const [block] = allBlocks().filter(({ code }) => code.includes('SVTRAIN_EMULATOR_INTERCEPT:'))
    const { services } = parse(block!.code) as Compose
    const volume = temporaryFolder()
    const [emulator, program] = [services['emulator']!, services['program']!]
    const mount = ({ environment, volumes }: Service) => {
      const [, path = ''] = volumes[0]!.split(':')
      const variables = Object.entries(environment).map(([name, value]) => {
        return [name, value.replace(`${path}/`, `${volume}/`)]
      })
      return Object.fromEntries(variables) as Record<string, string>
    }
    const command = start(['--host', '0.0.0.0', ...ANY_PORT], { env: mount(emulator) })
    await command.says(/"kind":"ready"/)
    const { port } = new URL((JSON.parse(command.lines[0]!) as Ready).proxyUrl)
    const env = mount(program)
    env['HTTPS_PROXY'] = env['HTTPS_PROXY']!.replace('emulator:4602', `${address}:${port}`)
    const url = 'https://api.training.wandb.ai/v1/health'
    const { PATH = '' } = process.env
    const call = (own: Record<string, string>) => {
      const header = `authorization: Bearer ${env['WANDB_API_KEY']}`
      return spawnSync('curl', ['-sS', url, '-H', header], { env: { PATH, ...env, ...own } })
    }
    expect(String(call({}).stdout)).toBe('{"status":"ok"}')
    const stranger = env['HTTPS_PROXY'].replace('only-for-these-tests', 'guessed')
    expect(String(call({ HTTPS_PROXY: stranger }).stderr)).toContain('407')
    command.process.kill('SIGTERM')
    expect(await command.ended()).toBe(0)
  })

  it('refuses a folder that has something else', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'mine.txt'), '')
    const command = start(['--intercept', ...ANY_PORT, '--certificates', folder])
    expect(await command.ended()).toBe(2)
    expect(command.stderr).toContain('has mine.txt, which is something else. Nothing was changed.')
    expect(readdirSync(folder)).toEqual(['mine.txt'])
  })

  it('refuses to allow what is not a host, also from a variable', async () => {
    const env = { SVTRAIN_EMULATOR_ALLOW_HOST_OUT: 'pypi.org,huggingface.co:443' }
    expect(await refusal('--intercept', env)).toMatch(
      /^SVTRAIN_EMULATOR_ALLOW_HOST_OUT takes a host name .+, not "huggingface\.co:443"\.$/,
    )
  })

  it('takes addresses, also from a variable', async () => {
    const api = 'training=https://api.example.test/v1'
    for (const { proxy } of [
      await settings(`--intercept ${api}`),
      await settings('', { SVTRAIN_EMULATOR_INTERCEPT: api }),
    ]) {
      expect(proxy?.addresses).toEqual([api])
    }
  })
})
