import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { recordingOf } from '../tools/recording/recording-of.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { intercept } from '../emulator/intercept/world.js'
import { assertBuilt } from './command.js'
import { refused } from './commands.js'
import { endedInProcess } from './in-process.js'

beforeAll(assertBuilt)

const KEY = 'a-real-key-of-the-user-that-only-the-service-may-see'

/** The service behind a proxy and a certificate authority, as companies have them. */
async function service() {
  const { interceptor, authority } = await intercept({
    hosts: ['documented'],
  })
  const cwd = temporaryFolder()
  const NODE_EXTRA_CA_CERTS = join(cwd, 'company.pem')
  writeFileSync(NODE_EXTRA_CA_CERTS, authority)
  const env = { HTTPS_PROXY: interceptor.url, NODE_EXTRA_CA_CERTS, WANDB_API_KEY: KEY }
  return { interceptor, env, cwd, folder: join(cwd, 'recording') }
}

/** A program of Node's that names no address of the emulator, and records itself. */
function recording(program: string): string[] {
  const own = `
    const headers = { authorization: 'Bearer ' + process.env.WANDB_API_KEY, 'content-type': 'application/json' }
    const post = (url, body) => fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    ${program}`
  return ['record', '--to=recording', '--intercept', '--', process.execPath, '--eval', own]
}

const CHAT = `
  const messages = [{ role: 'user', content: 'My key is ' + process.env.WANDB_API_KEY }]
  const chat = { model: 'example/base-8b-instruct', messages }
  await post('https://api.training.wandb.ai/v1/chat/completions', chat).then((answer) => answer.text())`

describe('record --intercept', { timeout: 30_000 }, () => {
  it('records a program that names no address, with its own key, but not the key', async () => {
    const { interceptor, env, cwd, folder } = await service()
    const program = `${CHAT}
      const viewer = await post('https://api.wandb.ai/graphql', { query: '{ viewer { entity } }' })
      const elsewhere = await fetch('https://elsewhere.test/').catch(() => 'refused')
      const { WANDB_API_KEY: key = '', WANDB_MODE: mode } = process.env
      const isAsItWas = key.length === ${KEY.length} && mode === undefined
      process.exit(viewer.status === 200 && elsewhere === 'refused' && isAsItWas ? 7 : 1)`
    const args = recording(program)
    args.splice(2, 0, '--contents')
    const { code, stdout, stderr } = await endedInProcess(args, { cwd, env })
    expect(stderr).toMatch(
      /^Hosts that the command called:\n {2}api\.training\.wandb\.ai {2}1 recorded\n {2}api\.wandb\.ai {11}1 passed on\n {2}elsewhere\.test {9}1 refused; to allow it: --allow-host-out elsewhere\.test; to answer its chats: .*\n1 request; recording\.ndjson [\d.]+ kB\.\nNext: npx svtrain-emulator scenarios from recording --to incident\.yaml\n$/,
    )
    expect([code, stdout]).toEqual([7, ''])
    expect(interceptor.called).toMatchObject([{ answered: 1 }, { answered: 1 }])
    const { start, exchanges } = recordingOf(folder)
    expect(start).toMatchObject({
      training_url: 'https://api.training.wandb.ai/v1',
      inference_url: 'https://api.inference.wandb.ai/v1',
    })
    expect(exchanges).toMatchObject([
      { request: { host: 'training', path: '/chat/completions' }, response: { status: 200 } },
    ])
    const text = readFileSync(join(folder, 'recording.ndjson'), 'utf8')
    expect(text).toContain('My key is [not shown]')
    expect(text).not.toContain(KEY)
  })

  it('records the training API of a host, and passes on unread what else the host has', async () => {
    const { interceptor, env, cwd, folder } = await service()
    const forge = 'https://forge.coreweave.com'
    const { code, stderr } = await endedInProcess(
      recording(`
        const models = await fetch('${forge}/api/training/v1/preview/base-models', { headers })
        const viewer = await post('${forge}/api/wandb/graphql', { query: '{ viewer { entity } }' })
        const web = await fetch('${forge}/wandb/home')
        process.exit([models, viewer, web].map(({ status }) => status).join() === '200,200,404' ? 0 : 1)`),
      { cwd, env },
    )
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('  forge.coreweave.com  1 recorded; 2 passed on\n1 request;'),
    ])
    expect(interceptor.called).toMatchObject([{ answered: 3 }])
    const { exchanges } = recordingOf(folder)
    expect(exchanges).toMatchObject([{ request: { path: '/preview/base-models' } }])
  })

  it.each([
    ['silent', /^$/],
    [
      'json',
      /^\{"kind":"hosts","hosts":\[\]\}\n\{"kind":"end","requests":0,"jobs":0,"refused":0,"lost":0,"client_left":0\}\n$/,
    ],
  ])('prints nothing but what --log %s says', async (log, stderr) => {
    const { env, cwd } = await service()
    const args = recording('')
    args.splice(2, 0, `--log=${log}`)
    expect(await endedInProcess(args, { cwd, env })).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(stderr),
    })
  })

  it('removes a recording with nothing in it', async () => {
    const { env, cwd, folder } = await service()
    const args = ['record', '--to=recording', '--intercept', '--', 'no-such-command-here']
    const { code, stderr } = await endedInProcess(args, { cwd, env })
    expect(code).toBe(127)
    expect(stderr).toContain('Failed to run no-such-command-here: there is no such command.')
    expect(stderr).toContain('Nothing was recorded, so the file is removed.')
    expect(existsSync(join(folder, 'recording.ndjson'))).toBe(false)
  })

  it.each([
    [
      'record --to x --intercept',
      'record --intercept takes a command after two dashes: record --to recording --intercept -- python train.py',
    ],
    ['record --intercept -- a', /^record needs --to, which was not given\./],
    ['record --to x -- a', /^record runs a command only with --intercept\./],
    ['record --to x --allow-host-out a.test', /^--allow-host-out needs --intercept\./],
    [
      'record --to x --intercept --training-url https://a.test/v1 -- a',
      /^--training-url is for the ports of record, /,
    ],
    [
      'record --to x --intercept platform=https://a.test -- a',
      /^record records calls to the training and the inference API\./,
    ],
  ])('is refused: %s', async (line, message) => {
    const told = await refused(line)
    if (typeof message === 'string') expect(told.message).toBe(message)
    else expect(told.message).toMatch(message)
  })
})
