import { openSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readInput } from '../../../src/tools/recording/read-events.js'
import { recordingIn } from '../../../src/tools/recording/read-recording.js'
import { createRecordingFile, RecordingFile } from '../../../src/tools/recording/recording-file.js'
import { scenarioFrom } from '../../../src/tools/recording/scenario-from.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { recordedCall } from './recorded-call.js'
import { recordingOf } from './recording-of.js'

/** Records a chat, as the proxy does, and returns the path of the file. */
function recordOneChat(folder: string): string {
  const file = createRecordingFile(folder, (error) => expect(error).toBeUndefined())
  const messages = [{ role: 'user', content: 'Tell me nothing' }]
  const { text } = recordedCall(
    { host: 'inference', path: '/v1/chat/completions', body: JSON.stringify({ messages }) },
    {
      headers: { 'content-type': 'text/event-stream' },
      body: 'data: {"n":1}\n\ndata: [DONE]\n\n',
    },
  )
  for (const line of text.trimEnd().split('\n')) file.write(line)
  file.close()
  return file.path
}

describe('a recording', () => {
  it('reads a folder with a recording', () => {
    const folder = temporaryFolder()
    const file = recordOneChat(folder)
    const { start, exchanges, cutOff } = recordingOf(folder)
    expect(start.contents).toBe('redacted')
    expect(cutOff).toBe(false)
    expect(exchanges).toMatchObject([
      {
        request: { path: '/chat/completions' },
        response: { status: 200 },
        text: 'data: {"n":1}\n\ndata: [DONE]\n\n',
        end: { how: 'complete' },
      },
    ])
    expect(readFileSync(file, 'utf8')).not.toContain('Tell me nothing')
  })

  it('leaves out a last line that was cut off', async () => {
    const folder = temporaryFolder()
    const path = recordOneChat(folder)
    truncateSync(path, readFileSync(path).length - 10)
    const { exchanges, cutOff } = recordingOf(folder)
    expect(cutOff).toBe(true)
    expect(await readInput(path)).toMatchObject({
      notes: [
        'The last line of the recording is cut off, and is left out.',
        'The recording ends before 1 request did. Here it gets no more of an answer.',
      ],
    })
    expect(exchanges.at(-1)!.end).toBeUndefined()
  })

  it('whose recorder was killed has the calls that hung then', async () => {
    const { lines } = recordedCall({ method: 'GET', path: '/v1/preview/base-models' })
    const path = join(temporaryFolder(), 'recording.ndjson')
    const until = lines.filter(({ type }) => type === 'recording' || type === 'request')
    writeFileSync(path, until.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const input = await readInput(path)
    if (input.kind !== 'recording') throw new Error(input.kind)
    const { scenario } = scenarioFrom({ ...input, source: 'a test', name: 'made' })
    const hang = { fault: 'hang', match: { operation: 'listBaseModels' }, calls: 1 }
    expect(scenario.faults).toMatchObject([hang])
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
})

describe('a file that is no text', () => {
  it.each([
    ['requests.zip', 'PK\u0003\u0004\u0014\0\0\0', /a ZIP archive: unpack it .* ends with \.har/],
    ['requests.har', '{\0"\0l\0o\0', /encoded as UTF-16 or UTF-32: save it as UTF-8\.$/],
  ])('is named: %s', async (name, start, why) => {
    const file = join(temporaryFolder(), name)
    writeFileSync(file, start)
    await expect(readInput(file)).rejects.toThrow(why)
  })
})

describe('the file of a recording', () => {
  it('is never overwritten', () => {
    const folder = temporaryFolder()
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
