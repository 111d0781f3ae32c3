import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { readTallies } from '../../src/emulator/adapters/read-coverage.js'
import { createEmulator, type CoverageReport } from '../../src/index.js'
import { submit } from '../support/trainer.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { assertBuilt, Command, type CommandOptions } from './command.js'

beforeAll(assertBuilt)
afterEach(() => vi.unstubAllEnvs())

/** Runs a program of Node's by `exec`, in virtual time. */
function exec(options: readonly string[], program = loop, started?: CommandOptions): Command {
  const args = ['exec', '--clock', 'auto', ...options, '--', process.execPath, '--eval', program]
  return new Command(args, started)
}

/** A small training loop: three chats, one job, and polls until its end. */
const loop = `
  const { SVTRAIN_BASE_URL: base, SVTRAIN_API_KEY: key } = process.env
  const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
  const call = async (path, body) => {
    for (;;) {
      const method = body ? 'POST' : 'GET'
      const answer = await fetch(base + path, { method, headers, body: JSON.stringify(body) })
      if (answer.ok) return answer.json()
      if (answer.status !== 429) throw new Error('refused with ' + answer.status)
    }
  }
  const base_model = 'example/base-8b-instruct'
  const { id: model_id } = await call('/preview/models', { project: 'demo', name: 'poet', base_model })
  const messages = [{ role: 'user', content: 'Hello' }]
  for (let chat = 0; chat < 3; chat++) await call('/chat/completions', { model: base_model, messages })
  const trajectory_groups = [{ trajectories: [{ reward: 1 }, { reward: 0 }] }]
  const { id } = await call('/preview/training-jobs', { model_id, trajectory_groups })
  for (let over = false; !over;) {
    const { data } = await call('/preview/training-jobs/' + id + '/events?limit=100')
    over = data.some(({ type }) => type === 'training_ended')
  }
`

describe('exec --coverage', { timeout: 30_000 }, () => {
  it('prints a table to stderr, and leaves stdout and the exit code to the command', async () => {
    const command = exec(['--coverage'], `${loop}; console.log('done'); process.exitCode = 3`)
    expect(await command.ended()).toBe(3)
    expect(command.stdout).toBe('done\n')
    expect(command.stderr).toMatch(/^Coverage of the service: \d+ of \d+ behaviors met, 4 of/m)
    expect(command.stderr).toMatch(/^ {2}RL jobs +1 of 12$/m)
  })

  it('names a scenario for a gap, which that scenario closes', async () => {
    const before = exec(['--coverage'])
    expect(await before.ended()).toBe(0)
    const gap = /never saw 429 Too Many Requests on .*createRlTrainingJob.*: try rate-limited$/m
    expect(before.stderr).toMatch(gap)
    const folder = temporaryFolder()
    const file = join(folder, 'coverage.json')
    const after = exec([`--coverage=${file}`, '--scenario', 'rate-limited'])
    expect(await after.ended()).toBe(0)
    expect(after.stderr).not.toMatch(gap)
    expect(after.stderr).toContain(`Wrote the coverage to ${file}.`)
    const report = JSON.parse(readFileSync(file, 'utf8')) as CoverageReport
    const behaviors = report.groups.flatMap((group) => group.behaviors)
    expect(behaviors.find(({ id }) => id === 'createRlTrainingJob/429')).toMatchObject({
      suggestion: null,
    })
  })

  it('says why it could not write the report', async () => {
    const command = exec(['--coverage=/no/such/folder/c.json'])
    expect(await command.ended()).toBe(0)
    expect(command.stderr).toContain('Failed to write the coverage: ')
  })

  it('prints nothing without the option', async () => {
    const command = exec([])
    expect(await command.ended()).toBe(0)
    expect(command.stderr).toBe('')
  })
})

describe('SVTRAIN_COVERAGE', () => {
  it('has each emulator that closes append what its clients met', async () => {
    const folder = join(temporaryFolder(), 'new', 'folder')
    vi.stubEnv('SVTRAIN_COVERAGE', folder)
    for (const name of ['one', 'other']) {
      const emulator = createEmulator()
      await submit(emulator, name)
      emulator.reset()
      await submit(emulator, name)
      await emulator.close()
      await emulator.close()
    }
    // An emulator without a client writes nothing.
    await createEmulator().close()
    const [file] = readdirSync(folder)
    const lines = readFileSync(join(folder, file!), 'utf8').trimEnd().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines.join()).not.toContain('any-key')
    const command = new Command(['coverage', folder, '--json'])
    expect(await command.ended()).toBe(0)
    const { uses } = JSON.parse(command.stdout) as CoverageReport
    expect(uses.createModel).toEqual({ calls: 4, most: 1, bursts: 0 })
  })

  it('counts the worlds of keys once', async () => {
    const folder = temporaryFolder()
    vi.stubEnv('SVTRAIN_COVERAGE', folder)
    const emulator = createEmulator({ isolate: 'api-key' })
    for (const key of ['one', 'other']) await submit(emulator, 'poet', key)
    await emulator.close()
    const [file] = readdirSync(folder)
    const text = readFileSync(join(folder, file!), 'utf8')
    expect(JSON.parse(text)).toMatchObject({ counts: { 'createModel/success': 2 } })
  })

  it('fails if the folder cannot be written', async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    vi.stubEnv('SVTRAIN_COVERAGE', file)
    const emulator = createEmulator()
    await submit(emulator)
    await expect(emulator.close()).rejects.toThrow(`to the folder ${file} of SVTRAIN_COVERAGE`)
  })

  it('works for commands of exec, too', async () => {
    const folder = temporaryFolder()
    const command = exec([], loop, { env: { SVTRAIN_COVERAGE: folder } })
    expect(await command.ended()).toBe(0)
    expect(readdirSync(folder)).toHaveLength(1)
  })
})

describe('coverage', () => {
  it('adds up reports and folders, and prints each gap with --gaps', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'tests'))
    const file = join(folder, 'tests', 'a.json')
    const emulator = createEmulator()
    await submit(emulator)
    writeFileSync(file, JSON.stringify(await emulator.coverage()))
    const command = new Command(['coverage', file, join(folder, 'tests'), '--gaps'])
    expect(await command.ended()).toBe(0)
    expect(command.stdout).toContain('createModel: 1 of 25\n  met success (2)\n')
    expect(command.stdout).toContain('  never saw 503 Service Unavailable: try flaky-gateway\n')
  })

  it('leaves out the half line of a process that was killed while it wrote', async () => {
    const folder = temporaryFolder()
    vi.stubEnv('SVTRAIN_COVERAGE', folder)
    const emulator = createEmulator()
    await submit(emulator)
    await emulator.close()
    const [file] = readdirSync(folder)
    appendFileSync(join(folder, file!), '{"counts":{"createModel/suc')
    expect(readTallies(folder)).toMatchObject([{ counts: { 'createModel/success': 1 } }])
  })

  it('refuses other files', async () => {
    const folder = temporaryFolder()
    const wrong = new Command(['coverage', 'package.json'])
    expect(await wrong.ended()).toBe(2)
    expect(wrong.stderr).toBe(
      'Failed to read coverage from package.json: This is not a coverage report of svtrain-emulator.\n',
    )
    const missing = new Command(['coverage', join(folder, 'missing')])
    expect(await missing.ended()).toBe(2)
    expect(missing.stderr).toContain('There is no such file or folder.')
    const empty = new Command(['coverage', folder])
    expect(await empty.ended()).toBe(2)
    expect(empty.stderr).toContain('The folder has no reports.')
  })
})
