import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { LOCAL_API_KEY } from '../../src/emulator/local-key.js'
import { version } from '../../src/base/text/version.js'
import { assertBuilt, clientAt, Command, runJob, start } from './command.js'
import { endedInProcess, serveInProcess } from './in-process.js'
import { bearer } from '../support/api-client.js'
import { root } from '../support/pages.js'
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

  const takenText = (port: string): string =>
    `Failed to listen on port ${port} of 127.0.0.1: it is in use by another program.\n` +
    'Choose another port, or leave the option out. The next free port is used then.\n'

  it.each([
    '--inference-port TAKEN --port 0',
    '--port TAKEN --log silent',
    '--sink --sink-port TAKEN --port 0 --inference-port 0',
    '--intercept --intercept-port TAKEN --port 0 --inference-port 0',
  ])('refuses a taken port that was set: %s', async (line) => {
    const taken = String(await hold(0))
    const serving = serveInProcess(line.replace('TAKEN', taken).split(' '), { cwd: root })
    await expect(serving).rejects.toThrow(`It ended with 1:\n${takenText(taken)}`)
  })

  it('refuses a taken port of the sink', async () => {
    const taken = String(await hold(0))
    const ended = await endedInProcess(['sink', '--port', taken], { cwd: root })
    expect(ended).toEqual({ code: 1, stdout: '', stderr: takenText(taken) })
  })

  it('refuses an address that is not this machine’s', async () => {
    const command = start(['--host', '192.0.2.1'])
    expect(await command.ended()).toBe(1)
    expect(command.stderr).toMatch(/^Failed to listen on port 0 of 192\.0\.2\.1: .*EADDRNOTAVAIL/)
  })

  it('refuses an unknown flag', async () => {
    const command = new Command(['--prot', '1'])
    expect(await command.ended()).toBe(2)
    expect(command.stderr).toBe(
      'Unknown option "--prot". Did you mean --port?\nSee npx svtrain-emulator --help.\n',
    )
    expect(command.stdout).toBe('')
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
