import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { LOCAL_API_KEY } from '../../src/emulator/emulator.js'
import { serve } from '../../src/cli/serve.js'
import { version } from '../../src/base/text/version.js'
import { assertBuilt, clientAt, Command, runJob, start } from './command.js'
import { settings } from './parsed.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { BASE_MODEL, bearer, withKey } from '../support/api-client.js'
import { createModel } from '../support/trainer.js'

beforeAll(assertBuilt)

/** Occupies a loopback port until the end of the test. Undefined if another program uses it. */
async function hold(port: number): Promise<number | undefined> {
  const server = createServer()
  const held = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (!held) return undefined
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))
  return (server.address() as AddressInfo).port
}

describe('the command', { timeout: 30_000 }, () => {
  it('prints its base URLs, and serves them', async () => {
    const command = start([])
    const { training, inference } = await command.ready()
    expect(command.lines.filter((line) => line.trim().startsWith('export '))).toEqual([
      `  export SVTRAIN_BASE_URL=${training}`,
      `  export SVTRAIN_INFERENCE_URL=${inference}`,
      `  export SVTRAIN_API_KEY=${LOCAL_API_KEY}`,
    ])
    for (const url of [training, inference]) expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/)
    expect(training).not.toBe(inference)
    expect(command.stdout).toContain(`svtrain-emulator ${version}\n`)
    const health = await fetch(`${training}/health`, { headers: bearer() })
    expect(health.status).toBe(200)
    await command.says(/^\d\d:\d\d:\d\d {2}200 {2}GET \/v1\/health \d+\.\d ms$/m)
    expect(command.stdout).not.toContain('\u001b')
    expect(command.stderr).toBe('')
  })

  it.each(['/api/training', 'api/training', '/api/training/'])(
    'serves below --base-path %s',
    async (path) => {
      const command = start(['--base-path', path])
      const { training, inference } = await command.ready()
      expect(training).toMatch(/:\d+\/api\/training\/v1$/)
      expect(inference).toMatch(/:\d+\/api\/training\/v1$/)
      expect((await fetch(`${training}/health`, { headers: bearer() })).status).toBe(200)
      const outside = training.replace('/api/training', '')
      expect((await fetch(`${outside}/health`, { headers: bearer() })).status).toBe(404)
    },
  )

  it('gives each key its own world with --isolate api-key, and logs all of them', async () => {
    const command = start(['--isolate', 'api-key'])
    const { training } = await command.ready()
    expect(command.lines).toContain('Each API key has its own world.')
    const model = { project: 'demo', name: 'poet', base_model: BASE_MODEL }
    for (const [key, status, world] of [
      ['one', 200, 'world-1'],
      ['two', 200, 'world-2'],
      ['one', 409, 'world-1'],
    ] as const) {
      const created = await clientAt(training).post('/preview/models', model, withKey(key))
      expect(created.status).toBe(status)
      await command.says(new RegExp(`^\\S+ ${world} +${status} {2}POST /v1/preview/models `, 'm'))
    }
    // The control API and the dashboard use the same names.
    const worlds = await (await fetch(new URL('/_emulator/worlds', training))).json()
    expect(worlds).toMatchObject({ worlds: [{ name: 'world-1' }, { name: 'world-2' }] })
    expect(command.stdout).toMatch(/^\S+ world-1 +the world of the API key one$/m)
    expect(command.stdout).toMatch(/^\S+ world-2 +the world of the API key two$/m)
  })

  it('runs a scenario a hundred times as fast', async () => {
    const command = start(['--scenario', 'failing-job', '--speed', '100'])
    const { training } = await command.ready()
    await runJob(training)
    await command.says(/my-model [0-9a-f]{8} .*out of memory/)
    expect(command.stdout).toMatch(/ step 3 of 6/)
  })

  it('uses the next free port if a default port is taken, and says so', async () => {
    const held = [await hold(4600), await hold(4601)]
    const command = new Command([])
    const urls = Object.values(await command.ready())
    const ports = urls.map((url) => Number(new URL(url).port))
    for (const [index, api] of ['training', 'inference'].entries()) {
      const usual = 4600 + index
      const note = `Port ${usual} is taken, so the ${api} API is on ${ports[index]}.`
      // Another program may have used the port in the meantime.
      const moved = held[index] === usual || ports[index] !== usual
      expect(ports[index] !== usual).toBe(moved)
      expect(command.lines.includes(note)).toBe(moved)
    }
  })

  it.each(['--port', '--inference-port'])(
    'refuses a taken port that was set by %s',
    async (flag) => {
      const taken = await hold(0)
      const command = start([])
      await command.ready()
      const other = flag === '--port' ? '--inference-port' : '--port'
      const refused = new Command([flag, String(taken), other, '0'])
      expect(await refused.ended()).toBe(1)
      expect(refused.stderr).toBe(
        `Failed to listen on port ${taken} of 127.0.0.1: it is in use by another program.\n` +
          'Choose another port with --port or --inference-port. Without these options, the next free port is used.\n',
      )
      expect(refused.stdout).toBe('')
    },
  )

  it('refuses an address that is not this machine’s', async () => {
    const command = start(['--host', '192.0.2.1'])
    expect(await command.ended()).toBe(1)
    expect(command.stderr).toMatch(/^Failed to listen on port 0 of 192\.0\.2\.1: .*EADDRNOTAVAIL/)
  })

  it('refuses an unknown scenario, and says how to list the known ones', async () => {
    const command = start(['--scenario', 'failing-jb'])
    expect(await command.ended()).toBe(2)
    expect(command.stderr).toMatch(/^Unknown scenario "failing-jb"\. Did you mean "failing-job"\?/)
    expect(command.stderr).toContain('"svtrain-emulator scenarios list" prints')
    expect(command.stderr).not.toContain('adversarial-pagination')
    expect(command.stdout).toBe('')
  })

  it('refuses an invalid scenario file with all lines', async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'mine.yaml'), 'name: mine\nsede: 3\nclock: { mode: reel }\n')
    const command = start(['--scenario', 'mine.yaml'], { cwd })
    expect(await command.ended()).toBe(2)
    const [head, first, second] = command.stderr.split('\n\n')
    expect(head).toBe('mine.yaml cannot be used: 2 problems')
    expect(first).toMatch(/2:1 .*unknown key "sede"\. Did you mean "seed"\?/)
    expect(first).toContain('\n  > 2 | sede: 3\n      | ^')
    expect(second).toMatch(/3:16 clock\.mode: "reel" is not allowed here\. Did you mean "real"/)
    expect(second).toContain('\n  > 3 | clock: { mode: reel }\n      |                ^')
  })

  it.each([
    ['an unknown flag', ['--prot', '1'], 'Unknown option "--prot". Did you mean --port?'],
    ['a wrong value', ['--log', 'jsn'], '--log takes pretty, json or silent, not "jsn".'],
    ['--watch of a built-in scenario', ['--watch'], '--watch needs a scenario file to watch'],
    [
      'one port for both',
      ['--port', '9', '--inference-port', '9'],
      '--port and --inference-port are both 9',
    ],
    [
      'a --data-root that is none',
      ['--data-root', '/nowhere/at/all'],
      '--data-root takes a folder; there is none at "/nowhere/at/all".',
    ],
  ])('refuses %s', async (_name, args, message) => {
    const command = new Command(args)
    expect(await command.ended()).toBe(2)
    expect(command.stderr).toContain(message)
    expect(command.stderr).toMatch(/\nSee svtrain-emulator --help\.\n$/)
    expect(command.stdout).toBe('')
  })

  it('can be set by the environment', async () => {
    const env = { SVTRAIN_EMULATOR_SEED: '42', SVTRAIN_EMULATOR_SCENARIO: 'stuck-job' }
    const command = start([], { env })
    await command.ready()
    expect(command.stdout).toMatch(/Scenario +stuck-job: /)
    expect(command.stdout).toMatch(/Seed +42\n/)
  })

  it('warns if its clock does not move, or cannot be faster', async () => {
    const command = start(['--clock', 'manual', '--speed', '5'])
    await command.ready()
    expect(command.lines).toContain('The speed has no effect: the clock is manual.')
    expect(command.stdout).toMatch(
      /^The clock is manual: nothing happens until you advance it, with POST \S+ or the client\.$/m,
    )
  })

  it('warns if other machines can reach it, and then serves no local files', async () => {
    const command = start(['--host', '0.0.0.0'])
    const { training } = await command.ready()
    expect(training).toMatch(/^http:\/\/127\.0\.0\.1:/)
    expect(command.lines).toContain('Bound to 0.0.0.0: other machines can reach it.')
    const client = clientAt(training)
    const { id: model_id } = await createModel(client)
    const job = { model_id, training_data_url: join(import.meta.dirname, 'start.test.ts') }
    const { body } = await client.post('/preview/sft-training-jobs', job)
    expect(body).toEqual({
      detail:
        'Training data is not available: files are served beyond loopback only from a --data-root',
    })
  })

  it('accepts calls from an allowed origin, and logs the refused ones', async () => {
    const origin = 'http://localhost:5173'
    const command = start(['--cors', `${origin}/`])
    const { training } = await command.ready()
    const allowed = await fetch(`${training}/preview/base-models`, { headers: { origin } })
    expect(allowed.headers.get('access-control-allow-origin')).toBe(origin)
    const other = 'http://evil.test'
    const refused = await fetch(`${training}/preview/base-models`, { headers: { origin: other } })
    expect(refused.status).toBe(403)
    await command.says(
      / GET \/v1\/preview\/base-models was refused with 403: Origin "http:\/\/evil/m,
    )
  })

  it.each(['pretty', 'json'])('never prints its API keys (--log %s)', async (log) => {
    const command = start(['--log', log, '--api-key', 'a-secret', '--api-key', 'b-secret'])
    const [, training = ''] = await command.says(/(http:[\w.:/]+\/v1)/)
    const health = (key: string): Promise<Response> => {
      return fetch(`${training}/health`, { headers: bearer(key) })
    }
    expect((await health('a-secret')).status).toBe(200)
    expect((await health('c-secret')).status).toBe(401)
    await command.says(/401/)
    command.process.kill('SIGINT')
    expect(await command.ended()).toBe(0)
    expect(command.output).not.toContain('secret')
    expect(command.output).not.toContain(LOCAL_API_KEY)
  })

  it('prints nothing with --log silent', async () => {
    const line =
      '--log silent --host 0.0.0.0 --port 0 --inference-port 0 --sink --sink-port 0 ' +
      '--clock manual --speed 2'
    const printed: string[] = []
    const write = (text: string): void => void printed.push(text)
    const output = { write, paint: (_style: unknown, text: string) => text }
    const terminal = { ...output, writeError: write, errors: output }
    const stop = await serve(await settings(line), { version, terminal })
    await stop()
    expect(printed).toEqual([])
  })

  it('prints errors with --log silent, on stderr', async () => {
    const port = await hold(0)
    const command = new Command(['--log', 'silent', '--port', `${port}`])
    expect(await command.ended()).toBe(1)
    expect(command.stderr).toContain(`Failed to listen on port ${port}`)
    expect(command.stdout).toBe('')
  })

  it('prints one JSON object per line from the first line with --log json', async () => {
    const command = start(['--log', 'json', '--clock', 'instant'])
    await command.says(/"kind":"ready".*\n/)
    const ready = JSON.parse(command.lines[0]!) as Record<string, string>
    expect(ready).toMatchObject({ kind: 'ready', version, scenario: 'happy-path', seed: 1 })
    expect(ready.apiKey).toBe(LOCAL_API_KEY)
    await runJob(ready.trainingUrl!)
    await command.says(/training_ended/)
    await fetch(ready.trainingUrl!, { headers: { origin: 'http://evil.test' } })
    await command.says(/refused/)
    command.process.kill('SIGTERM')
    expect(await command.ended()).toBe(0)
    const lines = command.lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    const kinds = new Set(lines.map(({ kind }) => kind))
    expect(kinds).toEqual(new Set(['ready', 'request', 'job', 'note']))
    // oxfmt-ignore
    expect(Object.keys(lines.find(({ kind }) => kind === 'request')!)).toEqual([
      'time', 'kind', 'id', 'host', 'method', 'path', 'query', 'effects', 'operation', 'status', 'took',
    ])
    expect(command.stdout.endsWith('\n')).toBe(true)
  })
})
