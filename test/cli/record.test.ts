import { readFileSync, mkdirSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import OpenAI from 'openai'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { recordingOf } from '../tools/recording/recording-of.js'
import { served } from '../support/served.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { assertBuilt, Command, runJob } from './command.js'
import { run } from './commands.js'
import { listening } from './listening.js'

beforeAll(assertBuilt)

/** Starts the command in front of an emulator, which takes the place of the service. */
async function recording(...more: string[]) {
  const emulator = await listening({ clock: 'manual', serveAnyModel: true })
  const folder = join(temporaryFolder(), 'recording')
  const { trainingUrl, inferenceUrl, apiKey } = emulator
  const command = new Command([
    'record',
    `--to=${folder}`,
    `--training-url=${trainingUrl}`,
    `--inference-url=${inferenceUrl}`,
    '--port=0',
    '--inference-port=0',
    ...more,
  ])
  if (!more.includes('json'))
    return { command, emulator, folder, apiKey, ...(await command.ready()) }
  await command.says(/"kind":"ready".*\n/)
  const ready = JSON.parse(command.lines[0]!) as Record<'trainingUrl' | 'inferenceUrl', string>
  const urls = { training: ready.trainingUrl, inference: ready.inferenceUrl }
  return { command, emulator, folder, apiKey, ...urls }
}

/** Starts the command in front of a service of the test. */
async function recordingOfService(answer: Parameters<typeof served>[0]) {
  const url = await served(answer)
  const folder = join(temporaryFolder(), 'recording')
  const options = [`--to=${folder}`, `--training-url=${url}`, '--port=0', '--inference-port=0']
  const command = new Command(['record', ...options])
  return { command, folder, url, ...(await command.ready()) }
}

const MODELS = '{"object":"list","data":[]}'

describe('the record command', () => {
  it('prints what to export, each request, and a summary at Ctrl-C', async () => {
    const { command, emulator, training, folder } = await recording()
    await runJob(training)
    await fetch(`${training}/preview/training-jobs`, { method: 'POST', body: '{}' })
    await command.says(/401 POST/)
    command.process.kill('SIGINT')
    expect(await command.ended()).toBe(0)
    const shown = command.stdout
      .replaceAll(/^[\d:]{8} /gm, 'time ')
      .replaceAll(/[\d.]+ (?=ms|kB)/g, '… ')
      .replaceAll(folder, 'recording')
      .replaceAll(/:\d+/g, ':port')
      .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, 'id')
    expect(shown).toBe(`Training API    http://127.0.0.1:port/v1 → http://127.0.0.1:port/v1
Inference API   http://127.0.0.1:port/v1 → http://127.0.0.1:port/v1
Recording to    recording/recording.ndjson

Set these variables for your client:
  export SVTRAIN_BASE_URL=http://127.0.0.1:port/v1
  export SVTRAIN_INFERENCE_URL=http://127.0.0.1:port/v1

Keys and contents of messages are not recorded. --contents records the contents.
Ready. Stop with Ctrl-C.
time  200 POST /preview/models … ms
time  200 POST /preview/training-jobs … ms
time  200 GET /preview/training-jobs/id/events … ms
time  401 POST /preview/training-jobs … ms
              Not authenticated
4 requests, 1 job, 1 refused; recording.ndjson … kB.
Next: npx svtrain-emulator scenarios from recording --to incident.yaml
`)
    const { exchanges } = recordingOf(folder)
    expect(exchanges).toHaveLength(4)
    expect(exchanges.every(({ end }) => end?.how === 'complete')).toBe(true)
    expect(emulator.requests.all()).toHaveLength(4)
  })

  it('counts the clients that left', async () => {
    const leaving = new AbortController()
    const { command, training } = await recordingOfService(() => leaving.abort())
    const left = fetch(`${training}/preview/models`, { signal: leaving.signal })
    await expect(left).rejects.toThrow('aborted')
    await command.says(/client left/)
    command.process.kill('SIGINT')
    await command.ended()
    expect(command.stdout).toMatch(/^1 request, 1 left by the client; recording\.ndjson /m)
  })

  it('exits with 1 if answers cannot be decoded, and records the rest', async () => {
    const broken: [encoding: string, body: Buffer][] = [
      ['gzip', gzipSync(MODELS).subarray(0, -8)],
      ['gzip', Buffer.from(MODELS)],
      ['deflate', Buffer.from(MODELS)],
      ['br', brotliCompressSync(MODELS).subarray(0, -4)],
      ['br', Buffer.from(MODELS)],
      ['zip', Buffer.from(MODELS)],
      ['gzip, br', brotliCompressSync(gzipSync(MODELS))],
    ]
    const { command, training, folder } = await recordingOfService((request, response) => {
      const [encoding, body] = broken[Number(request.url!.split('?')[1])] ?? []
      const named = encoding === undefined ? {} : { 'content-encoding': encoding }
      response.writeHead(200, { 'content-type': 'application/json', ...named }).end(body ?? MODELS)
    })
    // The client takes the bytes as they are.
    for (let call = 0; call <= broken.length; call++) {
      const [response] = (await once(get(`${training}/models?${call}`), 'response')) as [
        IncomingMessage,
      ]
      await once(response.resume(), 'end')
    }
    command.process.kill('SIGINT')
    expect(await command.ended()).toBe(1)
    for (let call = 1; call <= broken.length; call++) {
      expect(command.stderr).toContain(`Failed to decode the answer to call ${call}, GET /models: `)
    }
    expect(command.stdout).toContain('The recording is incomplete.\n')
    const { exchanges } = recordingOf(folder)
    const left = broken.map(([, body]) => `[not recorded: ${body.length} bytes]`)
    expect(exchanges.map(({ text }) => text)).toEqual([...left, MODELS])
    expect(new Set(exchanges.map(({ end }) => end?.how))).toEqual(new Set(['complete']))
  })

  it('warns if the URL of the service may miss its path, and the scenario says so', async () => {
    const { command, training, folder, url } = await recordingOfService((_request, response) => {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"Not Found"}')
    })
    await fetch(`${training}/preview/models`, { method: 'POST', body: '{}' })
    await command.says(/404 POST/)
    command.process.kill('SIGINT')
    expect(await command.ended()).toBe(0)
    expect(command.stderr).toContain(
      `--training-url ${url} does not end with /v1, where the API begins. If calls get 404, use ${url}/v1.`,
    )
    const { stdout } = await run(`scenarios from ${folder}`)
    expect(stdout.replaceAll('\n# ', ' ')).toContain(
      `It was recorded at ${url}, which does not end`,
    )
  })

  it('records everything that happened before a kill -9', async () => {
    const { command, emulator, inference, folder, apiKey } = await recording()
    const client = new OpenAI({ baseURL: inference, apiKey, maxRetries: 0 })
    const stream = await client.chat.completions.create({
      model: 'Qwen/Qwen3-14B',
      stream: true,
      messages: [{ role: 'user', content: 'A private question' }],
    })
    for await (const _chunk of stream) break
    command.process.kill('SIGKILL')
    await command.ended()
    const { exchanges } = recordingOf(folder)
    expect(exchanges).toMatchObject([
      { request: { path: '/chat/completions' }, response: { status: 200 } },
    ])
    const file = readFileSync(join(folder, 'recording.ndjson'), 'utf8')
    for (const hidden of [apiKey, 'A private question']) expect(file).not.toContain(hidden)
    expect(emulator.requests.all()).toHaveLength(1)
  })

  it('records contents with --contents', async () => {
    const { command, inference, folder, apiKey } = await recording('--contents', '--log', 'json')
    const client = new OpenAI({ baseURL: inference, apiKey, maxRetries: 0 })
    await client.chat.completions.create({
      model: 'Qwen/Qwen3-14B',
      messages: [{ role: 'user', content: 'Hello there' }],
    })
    command.process.kill('SIGTERM')
    expect(await command.ended()).toBe(0)
    const file = readFileSync(join(folder, 'recording.ndjson'), 'utf8')
    expect(file).toContain('Hello there')
    expect(file).not.toContain(apiKey)
    const entries = command.lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(entries).toMatchObject([
      { kind: 'ready', contents: true },
      {
        kind: 'request',
        host: 'inference',
        path: '/chat/completions',
        status: 200,
        how: 'complete',
      },
      { kind: 'end', requests: 1, jobs: 0, refused: 0, lost: 0, client_left: 0 },
    ])
  })

  it('leaves no file if it cannot listen', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    onTestFinished(() => void taken.close())
    const folder = join(temporaryFolder(), 'recording')
    const { port } = taken.address() as AddressInfo
    const line = `record --to ${folder} --training-url http://127.0.0.1:9/v1 --port ${port}`
    await expect(run(line)).rejects.toThrow('it is in use by another program')
    mkdirSync(folder, { recursive: true })
    expect(() => readFileSync(join(folder, 'recording.ndjson'))).toThrow('ENOENT')
  })

  it.each([
    ['record', 'record needs --to, which was not given.'],
    ['record --to x', 'record needs --training-url, which was not given.'],
    [
      'record --to x --training-url ftp://a',
      '--training-url takes a URL that begins with http:// or https://, not "ftp://a".',
    ],
    [
      'record --to x --training-url http://me:pass@a',
      '--training-url takes a URL without user and password.',
    ],
    [
      'record --to x --training-url http://a/v1?key=1',
      '--training-url takes a base URL without ? and #',
    ],
  ])('explains what is wrong: %s', async (line, message) => {
    await expect(run(line)).rejects.toThrow(message)
  })
})
