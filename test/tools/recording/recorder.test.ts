import { describe, expect, it } from 'vitest'
import { Recorder, type RecorderOptions } from '../../../src/tools/recording/recorder.js'
import type { RecordingLine } from '../../../src/tools/recording/recording.js'

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

  it('records contents if it is asked to, but no keys', () => {
    const { recording, lines } = recorder({ contents: true })
    recording.request({
      host: 'training',
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { ...json, authorization: 'Bearer secret-key' },
      body: JSON.stringify({ messages: [{ content: 'My key is secret-key.' }], api_key: 'x1y2z3' }),
    })
    expect(lines[1]).toMatchObject({
      body: '{"messages":[{"content":"My key is [not shown]."}],"api_key":"[not shown]"}',
    })
  })

  it('leaves the contents out of an error that repeats them', () => {
    const { recording, lines } = recorder()
    const response = recording.request({
      host: 'training',
      method: 'POST',
      path: '/v1/preview/training-jobs',
      headers: json,
      body: JSON.stringify({ trajectory_groups: [{ reward: 'a private text' }] }),
    })
    response.response(422, json)
    const detail = [
      {
        type: 'float_parsing',
        loc: ['body', 'reward'],
        msg: 'Bad: a private text',
        input: 'a private text',
      },
    ]
    response.chunk(JSON.stringify({ detail }))
    response.end()
    const [chunk] = lines.filter((line) => line.type === 'chunk')
    expect(JSON.parse(chunk!.text)).toEqual({
      detail: [
        {
          type: 'float_parsing',
          loc: ['body', 'reward'],
          msg: 'Bad: [not shown]',
          input: '[redacted 14 characters]',
        },
      ],
    })
  })

  it('keeps what an error says', () => {
    const { recording, lines } = recorder()
    const response = recording.request({
      host: 'inference',
      method: 'GET',
      path: '/v1/models/poet',
      headers: {},
    })
    const error = { message: 'The model is not served yet', code: 404 }
    response.response(404, json)
    response.chunk(JSON.stringify({ error }))
    response.end()
    const [chunk] = lines.filter((line) => line.type === 'chunk')
    expect(JSON.parse(chunk!.text)).toEqual({ error })
  })

  it('hides a cookie that the service sets wherever it appears', () => {
    const { recording, lines } = recorder({ contents: true })
    const response = recording.request({
      host: 'training',
      method: 'GET',
      path: '/v1/session',
      headers: {},
    })
    response.response(200, { ...json, 'set-cookie': 'session=s-0123456789; Path=/; HttpOnly' })
    response.chunk('{"note":"Your session is s-0123456789."}')
    response.end()
    const [chunk] = lines.filter((line) => line.type === 'chunk')
    expect(chunk!.text).toBe('{"note":"Your session is [not shown]."}')
  })

  it('keeps the numbers of a training job and its events', () => {
    const { recording, lines } = recorder()
    const response = recording.request({
      host: 'training',
      method: 'GET',
      path: '/v1/x',
      headers: {},
    })
    const body = {
      data: [
        { id: 'e1', type: 'gradient_step', data: { 'train/loss': 0.5, step: 1 } },
        { id: 'e2', type: 'training_failed', data: { error_message: 'Out of memory on 2 GPUs' } },
      ],
    }
    response.response(200, json)
    response.chunk(JSON.stringify(body))
    response.end()
    const [chunk] = lines.filter((line) => line.type === 'chunk')
    expect(JSON.parse(chunk!.text)).toEqual(body)
  })
})
