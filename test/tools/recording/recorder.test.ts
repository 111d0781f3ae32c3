import { describe, expect, it } from 'vitest'
import { Recorder, type RecorderOptions } from '../../../src/tools/recording/recorder.js'
import type { RecordingLine } from '../../../src/tools/recording/recording.js'
import { recordedCall } from './recorded-call.js'

function recorder(options: Partial<RecorderOptions> = {}) {
  const lines: RecordingLine[] = []
  let now = Date.UTC(2026, 0, 1)
  const recording = new Recorder({
    trainingUrl: 'https://api.example.com/v1',
    write: (line) => lines.push(JSON.parse(line) as RecordingLine),
    now: () => now,
    ...options,
  })
  return { recording, lines, wait: (ms: number) => void (now += ms) }
}

const json = { 'content-type': 'application/json' }

describe('Recorder', () => {
  it('writes each line as soon as it is known', () => {
    const { recording, lines, wait } = recorder()
    wait(5)
    const response = recording.request({
      host: 'training',
      method: 'GET',
      path: '/v1/preview/models',
      query: 'limit=10',
      headers: { Authorization: 'Bearer key-123456' },
    })
    wait(20)
    response.response(200, json)
    response.chunk('{"data":')
    response.chunk('[]}')
    wait(1)
    response.end()
    expect(lines).toEqual([
      {
        type: 'recording',
        version: 1,
        started_at: '2026-01-01T00:00:00.000Z',
        training_url: 'https://api.example.com/v1',
        inference_url: 'https://api.example.com/v1',
        contents: 'redacted',
      },
      {
        type: 'request',
        id: 1,
        at: 5,
        host: 'training',
        method: 'GET',
        path: '/preview/models',
        query: 'limit=10',
        headers: { authorization: 'Bearer [not shown]' },
      },
      { type: 'response', id: 1, at: 25, status: 200, headers: json },
      { type: 'chunk', id: 1, at: 26, text: '{"data":[]}' },
      { type: 'end', id: 1, at: 26, how: 'complete' },
    ])
  })

  it('records the events of a stream when they are complete', () => {
    const { recording, lines, wait } = recorder()
    const response = recording.request({
      host: 'inference',
      method: 'POST',
      path: '/v1/chat/completions',
      headers: json,
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello there' }] }),
    })
    response.response(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    response.chunk('data: {"choices":[{"index":0,"delta":{"content":"Gre')
    wait(3)
    response.chunk('en"},"finish_reason":null}]}\r\n\r')
    response.chunk('\ndata: {"usage":{"prompt_tokens":5}}\n\ndata: [DONE]\n\n')
    response.end()
    const chunks = lines.filter((line) => line.type === 'chunk')
    expect(chunks.map(({ at, text }) => [at, text])).toEqual([
      [3, expect.stringMatching(/^data: .*"content":"\[redacted 5 characters\]"/)],
      [3, 'data: {"usage":{"prompt_tokens":5}}\n\ndata: [DONE]\n\n'],
    ])
    expect(lines[1]).toMatchObject({
      body: '{"model":"m","messages":[{"role":"user","content":"[redacted 11 characters]"}]}',
    })
  })

  it.each<[string, number, object]>([
    ['what an error says', 404, { error: { message: 'The model is not served yet', code: 404 } }],
    [
      'the numbers of a training job and its events',
      200,
      {
        data: [
          { id: 'e1', type: 'gradient_step', data: { 'train/loss': 0.5, step: 1 } },
          { id: 'e2', type: 'training_failed', data: { error_message: 'Out of memory on 2 GPUs' } },
        ],
      },
    ],
  ])('keeps %s', (_what, status, body) => {
    expect(JSON.parse(recordedCall({}, { status, body }).received)).toEqual(body)
  })
})
