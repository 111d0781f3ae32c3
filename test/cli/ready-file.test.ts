import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'
import { assertBuilt, Command, start } from './command.js'
import { refused } from './commands.js'
import { listening } from './listening.js'

beforeAll(assertBuilt)

type Ready = Record<string, unknown> & {
  pid: number
  trainingUrl: string
  inferenceUrl: string
  controlUrl: string
  sinkUrl: string
  variables: Record<string, string>
}

async function ready(file: string): Promise<Ready> {
  await until(`${file} exists`, () => existsSync(file))
  return JSON.parse(readFileSync(file, 'utf8')) as Ready
}

/** Starts an emulator that writes a ready file, and prints nothing. */
function startSilent(file: string, ...options: string[]): Command {
  return start(['--log', 'silent', ...options, '--ready-file', file])
}

function fileName(): string {
  return join(temporaryFolder(), 'ready.json')
}

describe('--ready-file', { timeout: 30_000 }, () => {
  it('holds the URLs of an emulator that is ready, until it stops', async () => {
    const file = fileName()
    const emulator = start(['--sink', '--sink-port', '0', '--log', 'json', '--ready-file', file])
    const { variables, controlUrl, ...entry } = await ready(file)
    // The log may arrive later than the file.
    await emulator.says(/"kind":"ready".*\n/)
    expect(entry).toEqual(JSON.parse(emulator.lines[0]!))
    expect(entry).toMatchObject({ kind: 'ready', pid: emulator.process.pid })
    expect((await fetch(`${controlUrl}/ready`)).status).toBe(200)
    expect((await fetch(entry.sinkUrl)).status).toBe(200)
    expect(variables).toMatchObject({
      SVTRAIN_BASE_URL: entry.trainingUrl,
      SVTRAIN_INFERENCE_URL: entry.inferenceUrl,
      SVTRAIN_CONTROL_URL: controlUrl,
      SVTRAIN_SINK_URL: entry.sinkUrl,
      SVTRAIN_API_KEY: entry['apiKey'],
      WANDB_BASE_URL: new URL(entry.trainingUrl).origin,
      WANDB_API_KEY: entry['apiKey'],
    })
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
    emulator.signal('SIGTERM')
    expect(await emulator.ended()).toBe(0)
    expect(readdirSync(join(file, '..'))).toEqual([])
  })

  it('has the same variables as exec', async () => {
    const file = fileName()
    const program = `
      const { variables } = JSON.parse(require('fs').readFileSync(${JSON.stringify(file)}, 'utf8'))
      const wrong = Object.entries(variables).filter(([name, value]) => process.env[name] !== value)
      const own = Object.keys(process.env).filter((name) => /^SVTRAIN_(?!EXEC)|^WANDB_|no_proxy/i.test(name))
      console.log(JSON.stringify({ wrong, missing: own.filter((name) => !(name in variables)) }))
    `
    const words = ['exec', '--sink', '--ready-file', file, '--', process.execPath, '-e', program]
    const command = new Command(words)
    expect(await command.ended()).toBe(0)
    expect(JSON.parse(command.stdout)).toEqual({ wrong: [], missing: [] })
    expect(existsSync(file)).toBe(false)
  })

  it('replaces the file of a run that was killed before anything listens', async () => {
    const file = fileName()
    const first = startSilent(file)
    const { pid } = await ready(file)
    first.signal('SIGKILL')
    await first.ended()
    expect(existsSync(file)).toBe(true)
    const { trainingUrl } = await listening()
    const stale = readFileSync(file)
    for (const [code, ...options] of [
      [1, '--port', new URL(trainingUrl).port],
      [2, '--watch'],
      [2, '--scenario', 'no-such-scenario'],
    ] as const) {
      writeFileSync(file, stale)
      const failing = new Command([...options, '--ready-file', file])
      expect(await failing.ended()).toBe(code)
      expect(existsSync(file)).toBe(false)
    }
    startSilent(file)
    expect((await ready(file)).pid).not.toBe(pid)
  })

  it('stays if another program has replaced it', async () => {
    const file = fileName()
    const first = startSilent(file)
    await ready(file)
    const other = '{"kind":"ready","pid":1}\n'
    writeFileSync(file, other)
    first.signal('SIGINT')
    expect(await first.ended()).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(other)
  })

  it('does not hold keys and tokens that the user chose', async () => {
    const file = fileName()
    startSilent(file, '--api-key=my-key', '--control-token=my-control-token')
    const { variables } = await ready(file)
    expect(Object.keys(variables)).not.toContain('SVTRAIN_API_KEY')
    expect(Object.keys(variables)).not.toContain('WANDB_API_KEY')
    expect(readFileSync(file, 'utf8')).not.toMatch(/my-key|my-control-token/)
  })

  it('is refused before the start if the file cannot be written', async () => {
    const file = join(temporaryFolder(), 'none', 'ready.json')
    const { message } = await refused(`exec --ready-file ${file} -- true`)
    expect(message).toContain(`--ready-file cannot be written to ${file}: ENOENT`)
    expect(message).toContain('It takes a path in a folder that exists')
  })

  it.each([
    ['a folder', (file: string): void => mkdirSync(file)],
    ['a file with something else', (file: string): void => writeFileSync(file, '{"name": "mine"}')],
    ['a device', (file: string): void => symlinkSync('/dev/null', file)],
  ])('is refused if it names %s', async (_what, create) => {
    const file = fileName()
    create(file)
    const { message } = await refused(`exec --ready-file ${file} -- true`)
    expect(message).toContain(`--ready-file names ${file}, which is not a ready file.`)
    expect(existsSync(file)).toBe(true)
  })

  it('accepts an empty file, as mktemp creates it', async () => {
    const file = fileName()
    writeFileSync(file, '')
    startSilent(file)
    await until('it is replaced', () => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0)
    expect((await ready(file))['kind']).toBe('ready')
  })

  it('works for the sink', async () => {
    const file = fileName()
    const sink = new Command(['sink', '--port', '0', '--log', 'silent', '--ready-file', file])
    const entry = await ready(file)
    expect(entry).toMatchObject({ kind: 'ready', pid: sink.process.pid, url: entry.sinkUrl })
    expect((await fetch(entry.sinkUrl)).status).toBe(200)
    sink.signal('SIGTERM')
    expect(await sink.ended()).toBe(0)
    expect(sink.output).toBe('')
    expect(existsSync(file)).toBe(false)
  })

  it('works for record', async () => {
    const file = fileName()
    const { trainingUrl } = await listening()
    const to = join(temporaryFolder(), 'recording')
    const ports = ['--port=0', '--inference-port=0']
    const service = [`--to=${to}`, `--training-url=${trainingUrl}`]
    const options = [...service, ...ports, '--log=silent', '--ready-file', file]
    const recorder = new Command(['record', ...options])
    const entry = await ready(file)
    expect(entry.variables).toEqual({
      SVTRAIN_BASE_URL: entry.trainingUrl,
      SVTRAIN_INFERENCE_URL: entry.inferenceUrl,
    })
    expect((await fetch(`${entry.trainingUrl}/health`)).status).toBe(401)
    recorder.signal('SIGTERM')
    expect(await recorder.ended()).toBe(0)
    expect(existsSync(file)).toBe(false)
  })
})
