import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BASE_MODEL, bearer, withKey } from '../support/api-client.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'
import { clientAt } from './command.js'
import { serveInProcess } from './in-process.js'

/** Serves the emulator on free ports until the test is over. */
async function serveHere(...args: string[]) {
  const ports = ['--port', '0', '--inference-port', '0']
  const { said, stop } = await serveInProcess([...ports, ...args], { cwd: temporaryFolder() })
  onTestFinished(stop)
  const url = (name: string): string => new RegExp(`export ${name}=(.*)`).exec(said.stdout)![1]!
  return { said, training: url('SVTRAIN_BASE_URL'), inference: url('SVTRAIN_INFERENCE_URL') }
}

/** What is printed if the command line is refused. */
async function refusalOf(args: string[], cwd = temporaryFolder()): Promise<string> {
  const refused: unknown = await serveInProcess(args, { cwd }).catch((error: unknown) => error)
  return /^Error: It ended with 2:\n([^]*)/.exec(String(refused))![1]!
}

/** What the options do. start.test.ts has what depends on Node: processes, ports and output. */
describe('an option of the command', { timeout: 30_000 }, () => {
  it('serves below --base-path', async () => {
    const { training, inference } = await serveHere('--base-path', '/api/training')
    expect(training).toMatch(/:\d+\/api\/training\/v1$/)
    expect(inference).toMatch(/:\d+\/api\/training\/v1$/)
    expect((await fetch(`${training}/health`, { headers: bearer() })).status).toBe(200)
    const outside = training.replace('/api/training', '')
    expect((await fetch(`${outside}/health`, { headers: bearer() })).status).toBe(404)
  })

  it('gives each key its own world with --isolate api-key, and logs all of them', async () => {
    const { said, training } = await serveHere('--isolate', 'api-key')
    expect(said.stdout).toContain('\nEach API key has its own world.\n')
    const model = { project: 'demo', name: 'poet', base_model: BASE_MODEL }
    for (const [key, status, world] of [
      ['one', 200, 'world-1'],
      ['two', 200, 'world-2'],
      ['one', 409, 'world-1'],
    ] as const) {
      const created = await clientAt(training).post('/preview/models', model, withKey(key))
      expect(created.status).toBe(status)
      const line = new RegExp(`^\\S+ ${world} +${status} {2}POST /v1/preview/models `, 'm')
      await until('it is logged', () => line.test(said.stdout))
    }
    // The control API and the dashboard use the same names.
    const worlds = await (await fetch(new URL('/_emulator/worlds', training))).json()
    expect(worlds).toMatchObject({ worlds: [{ name: 'world-1' }, { name: 'world-2' }] })
    expect(said.stdout).toMatch(/^\S+ world-1 +the world of the API key one$/m)
    expect(said.stdout).toMatch(/^\S+ world-2 +the world of the API key two$/m)
  })

  it('says whose times a faster clock shows', async () => {
    const { said } = await serveHere('--speed', '100')
    expect(said.stdout).toContain(
      '\nAll times are those of the clock, 100 times as fast as yours.\n',
    )
  })

  it('refuses an unknown scenario, and says how to list the known ones', async () => {
    const said = await refusalOf(['--scenario', 'failing-jb'])
    expect(said).toMatch(/^Unknown scenario "failing-jb"\. Did you mean "failing-job"\?/)
    expect(said).toContain('"svtrain-emulator scenarios list" prints')
    expect(said).not.toContain('adversarial-pagination')
  })

  it('refuses an invalid scenario file with all lines', async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'mine.yaml'), 'name: mine\nsede: 3\nclock: { mode: reel }\n')
    const said = await refusalOf(['--scenario', 'mine.yaml'], cwd)
    const [head, first, second] = said.split('\n\n')
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
    expect(await refusalOf(line.split(' '))).toContain(message)
  })

  it('warns if its clock does not move, or cannot be faster', async () => {
    const { said } = await serveHere('--clock', 'manual', '--speed', '5')
    expect(said.stdout).toContain('\nThe speed has no effect: the clock is manual.\n')
    expect(said.stdout).not.toContain('All times')
    expect(said.stdout).toMatch(
      /^The clock is manual: nothing happens until you advance it, with POST \S+ or the client\.$/m,
    )
  })

  it('accepts calls from an allowed origin, and logs the refused ones', async () => {
    const origin = 'http://localhost:5173'
    const { said, training } = await serveHere('--cors', `${origin}/`)
    const allowed = await fetch(`${training}/preview/base-models`, { headers: { origin } })
    expect(allowed.headers.get('access-control-allow-origin')).toBe(origin)
    const other = 'http://evil.test'
    const refused = await fetch(`${training}/preview/base-models`, { headers: { origin: other } })
    expect(refused.status).toBe(403)
    const refusal = ' GET /v1/preview/base-models was refused with 403: Origin "http://evil'
    await until('it is logged', () => said.stdout.includes(refusal))
  })

  it('prints nothing with --log silent', async () => {
    const others = '--host 0.0.0.0 --sink --sink-port 0 --clock manual --speed 2'.split(' ')
    const ports = ['--port', '0', '--inference-port', '0']
    const cwd = temporaryFolder()
    const { said, stop } = await serveInProcess(['--log', 'silent', ...ports, ...others], { cwd })
    await stop()
    expect(said).toEqual({ stdout: '', stderr: '' })
  })
})
