import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { version } from '../../src/base/text/version.js'
import { serve } from '../../src/cli/serve.js'
import { UsageError } from '../../src/cli/usage-error.js'
import { LOCAL_API_KEY } from '../../src/emulator/local-key.js'
import { BASE_MODEL, bearer, withKey } from '../support/api-client.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { assertBuilt, clientAt, runJob, start } from './command.js'
import { settings } from './parsed.js'

beforeAll(assertBuilt)

/** Starts the emulator with the options of a line, in this process. Returns a function that stops it. */
async function served(
  line: string,
  write: (text: string) => void = () => {},
): Promise<() => Promise<void>> {
  const output = { write, paint: (_style: unknown, text: string) => text }
  const terminal = { ...output, writeError: write, errors: output }
  return serve(await settings(line), { version, terminal })
}

/** What the options do. start.test.ts has what depends on Node: processes, ports and output. */
describe('an option of the command', { timeout: 30_000 }, () => {
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
    ['--watch of a built-in scenario', '--watch', '--watch needs a scenario file to watch'],
    ['one port for both', '--port 9 --inference-port 9', '--port and --inference-port are both 9'],
    [
      'a --data-root that is none',
      '--data-root /nowhere/at/all',
      '--data-root takes a folder; there is none at "/nowhere/at/all".',
    ],
  ])('refuses %s', async (_name, line, message) => {
    const refused: unknown = await served(line).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(UsageError)
    expect((refused as UsageError).message).toContain(message)
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
    const stop = await served(line, (text) => void printed.push(text))
    await stop()
    expect(printed).toEqual([])
  })
})
