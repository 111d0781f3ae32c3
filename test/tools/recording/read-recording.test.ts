import { mkdtempSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { readInput } from '../../../src/tools/recording/read-events.js'
import { recordingIn } from '../../../src/tools/recording/read-recording.js'
import { Recorder } from '../../../src/tools/recording/recorder.js'
import { createRecordingFile, RecordingFile } from '../../../src/tools/recording/recording-file.js'
import type { RecordingLine } from '../../../src/tools/recording/recording.js'
import { recordingOf } from './recording-of.js'
import { recordingFetch } from './recording-fetch.js'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svtrain-recording-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

async function recordOneChat(folder: string): Promise<string> {
  const emulator = createEmulator({ clock: 'manual' })
  onTestFinished(() => emulator.close())
  const { trainingUrl, inferenceUrl, apiKey } = emulator
  const file = createRecordingFile(folder, (error) => expect(error).toBeUndefined())
  const now = (): number => emulator.clock.now()
  const recorder = new Recorder({ write: file.write, trainingUrl, inferenceUrl, now })
  const send = recordingFetch({ recorder, trainingUrl, inferenceUrl, fetch: emulator.fetch })
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const created = await send(`${trainingUrl}/preview/models`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ base_model: 'Qwen/Qwen3-14B', entity: 'e', project: 'p', name: 'm' }),
  })
  expect(created.status).toBe(200)
  await created.json()
  const chat = await send(`${inferenceUrl}/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      model: 'Qwen/Qwen3-14B',
      stream: true,
      messages: [{ role: 'user', content: 'Tell me nothing' }],
    }),
  })
  await chat.text()
  file.close()
  return file.path
}

describe('a recording', () => {
  it('reads a folder with a recording', async () => {
    const folder = newFolder()
    const file = await recordOneChat(folder)
    const { start, exchanges, cutOff } = recordingOf(folder)
    expect(start.contents).toBe('redacted')
    expect(cutOff).toBe(false)
    expect(exchanges.map(({ request: { path }, response }) => [path, response?.status])).toEqual([
      ['/preview/models', 200],
      ['/chat/completions', 200],
    ])
    const [created, chat] = exchanges
    expect(JSON.parse(created!.text)).toMatchObject({ name: 'm', base_model: 'Qwen/Qwen3-14B' })
    expect(chat!.text).toMatch(/^data: \{.*\ndata: \[DONE\]\n\n$/s)
    expect(chat!.end?.how).toBe('complete')
    expect(readFileSync(file, 'utf8')).not.toContain('Tell me nothing')
  })

  it('leaves out a last line that was cut off', async () => {
    const folder = newFolder()
    const path = await recordOneChat(folder)
    const { length } = readFileSync(path)
    truncateSync(path, length - 10)
    const { exchanges, cutOff } = recordingOf(folder)
    expect(cutOff).toBe(true)
    expect(await readInput(path)).toMatchObject({
      notes: ['The last line of the recording is cut off, and is left out.'],
    })
    expect(exchanges.at(-1)!.end).toBeUndefined()
  })

  it.each([
    ['nothing', '', / is empty\. A recording is the file or the folder/],
    [
      'a broken line',
      'START\n{"type":"req\nSTART\n',
      /^Line 2 of ".*" is not JSON: \{"type":"req\./,
    ],
    [
      'an unknown type',
      'START\n{"type":"ping"}\n',
      /^Line 2 of ".*" has the type "ping"\. Expected/,
    ],
    ['a missing field', 'START\n{"type":"chunk","id":1,"at":2}\n', /"text" of this chunk is wrong/],
    ['no beginning', '{"type":"end","id":1,"at":2,"how":"lost"}\n', /^Line 1 of ".*" is a end/],
    ['an orphan', 'START\n{"type":"end","id":7,"at":2,"how":"lost"}\n', /request 7, which is not/],
    ['two beginnings', 'START\nSTART\n', /begins a second recording/],
  ])('says which line is wrong: %s', (_name, text, message) => {
    const start =
      '{"type":"recording","version":1,"started_at":"","training_url":"","inference_url":"","contents":"redacted"}'
    const content = text.replaceAll('START', start)
    expect(() => recordingIn(content, 'recording.ndjson')).toThrow(message)
  })

  it('says that a file does not exist', async () => {
    await expect(readInput('/no/such/folder')).rejects.toThrow(
      'Failed to read "/no/such/folder": there is no folder /no/such. Expected a recording of',
    )
  })
})

describe('a file that is no text', () => {
  it.each([
    ['requests.zip', 'PK\u0003\u0004\u0014\0\0\0', /a ZIP archive: unpack it .* ends with \.har/],
    ['requests.har', '{\0"\0l\0o\0', /encoded as UTF-16 or UTF-32: save it as UTF-8\.$/],
  ])('is named: %s', async (name, start, why) => {
    const file = join(newFolder(), name)
    writeFileSync(file, start)
    await expect(readInput(file)).rejects.toThrow(why)
  })
})

describe('recordingFetch', () => {
  it('records the calls of both APIs, and only sends others', async () => {
    const lines: RecordingLine[] = []
    const [trainingUrl, inferenceUrl] = ['https://train.example/v1', 'https://chat.example/v1']
    const recorder = new Recorder({
      trainingUrl,
      inferenceUrl,
      write: (line) => lines.push(JSON.parse(line) as RecordingLine),
    })
    const answer = (): Promise<Response> => Promise.resolve(new Response('{}'))
    const send = recordingFetch({ recorder, trainingUrl, inferenceUrl, fetch: answer })
    for (const origin of ['https://train.example', 'https://other.example', 'https://chat.example'])
      expect(await (await send(`${origin}/v1/models`)).text()).toBe('{}')
    const requests = lines.filter((line) => line.type === 'request')
    expect(requests.map(({ host }) => host)).toEqual(['training', 'inference'])
  })
})

describe('the file of a recording', () => {
  it('is never overwritten', () => {
    const folder = newFolder()
    createRecordingFile(folder, () => {}).close()
    expect(() => createRecordingFile(folder, () => {})).toThrow(
      /exists already\. A recording is never overwritten\. Choose another folder, such as --to .*-2\.$/,
    )
  })

  it('reports a full disk once, and writes nothing more', () => {
    const errors: (string | undefined)[] = []
    const descriptor = openSync('/dev/full', 'a')
    const file = new RecordingFile('/dev/full', descriptor, ({ code }) => errors.push(code))
    file.write('{}')
    file.write('{}')
    file.close()
    expect(errors).toEqual(['ENOSPC'])
    expect(file.size).toBe(0)
  })
})
