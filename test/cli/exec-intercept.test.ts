import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
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
  const headers = { authorization: 'Bearer any-key', 'content-type': 'application/json' }
  const body = JSON.stringify({ model: '${model}', messages: [{ role: 'user', content: 'Hello' }] })
  const answer = await fetch('${url}/chat/completions', { method: 'POST', headers, body })
  console.log((await answer.json()).model)`

describe('exec --intercept', { timeout: 30_000 }, () => {
  it('answers a program that calls the real host', async () => {
    const command = intercepted(calls('https://api.training.test/v1/health'))
    expect(await command.ended()).toBe(0)
    expect(command.stdout).toBe('200\n')
    expect(command.stderr).toBe(
      'Hosts that the command called:\n  api.training.test  1 answered by the emulator\n',
    )
  })

  it('knows the hosts of the documented service', async () => {
    const command = intercepted(calls('https://api.wandb.ai/v1/health'), ['--intercept'])
    expect(await command.ended()).toBe(0)
    expect(command.stdout).toBe('200\n')
    expect(command.stderr).toContain('api.wandb.ai  1 answered by the emulator')
  })

  it('answers a judge at another host, and any model name', async () => {
    const judge = [
      '--intercept',
      'documented',
      '--intercept',
      'inference=https://api.judge.test/v1',
    ]
    const command = intercepted(chats('https://api.judge.test/v1', 'judge-5'), judge)
    expect(await command.ended()).toBe(0)
    expect(command.stdout).toBe('judge-5\n')
  })

  it('refuses other hosts, and says how to allow them', async () => {
    const command = intercepted(calls('https://elsewhere.test/'))
    expect(await command.ended()).toBe(0)
    expect(command.stdout).not.toMatch(/^\d/)
    expect(command.stderr).toContain(
      'elsewhere.test  1 refused; to allow it: --allow-host-out elsewhere.test',
    )
  })

  it('says that nothing was called', async () => {
    const command = intercepted('console.log(1)')
    expect(await command.ended()).toBe(0)
    expect(command.stderr).toMatch(/^No host was called through the proxy\. /)
  })

  it('replaces each variable that would lead past it, and the own key of the user', async () => {
    const env = {
      WANDB_API_KEY: 'a-real-key-of-the-user-that-must-never-leave-this-machine',
      HTTPS_PROXY: 'http://proxy.test:3128',
      no_proxy: 'api.training.test',
      WANDB_MODE: 'disabled',
    }
    const command = intercepted('console.log(JSON.stringify(process.env))', HOST, { env })
    expect(await command.ended()).toBe(0)
    const variables = JSON.parse(command.stdout) as Record<string, string>
    expect(command.stdout).not.toMatch(/a-real-key|proxy\.test/)
    expect(variables['WANDB_API_KEY']!.length).toBeGreaterThanOrEqual(40)
    expect(variables['HTTPS_PROXY']).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(variables['no_proxy']).toBe('127.0.0.1,::1,localhost')
    expect(variables['WANDB_MODE']).toBe('online')
  })

  it('leaves no files, also after a kill', async () => {
    const folder = join(tmpdir(), 'svtrain-emulator-intercept-1999999999-aaaaaa')
    mkdirSync(folder, { recursive: true })
    const command = intercepted('console.log(process.env.SSL_CERT_FILE)')
    expect(await command.ended()).toBe(0)
    const [own = ''] = /svtrain-emulator-intercept-\d+-\w+/.exec(command.stdout) ?? []
    expect(own).not.toBe('')
    const left = readdirSync(tmpdir())
    expect(left).not.toContain(own)
    expect(left).not.toContain('svtrain-emulator-intercept-1999999999-aaaaaa')
  })

  it.each([
    [
      ['--intercept', 'trianing=https://a.test/v1'],
      '--intercept: "trianing=https://a.test/v1" is not an API and its address, such as training=https://api.example.test/v1. The APIs are training, inference, platform; documented stands for all addresses of the documented service. Did you mean "training"?',
    ],
    [
      ['--allow-host-out', 'pypi.org'],
      '--allow-host-out needs --intercept. Without it, the command may call all hosts.',
    ],
  ])('refuses %j', async (options, why) => {
    const command = intercepted('', options)
    expect(await command.ended()).toBe(2)
    expect(command.stderr).toContain(why)
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

  it('is refused beside a host that may be called', async () => {
    const command = intercepted('', ['--no-network', '--allow-host-out', 'pypi.org'])
    expect(await command.ended()).toBe(2)
    expect(command.stderr).toContain('Leave one of them out.')
  })
})
