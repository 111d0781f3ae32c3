import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Info } from '../../src/emulator/control/schemas/info.js'
import type { RequestDetail } from '../../src/emulator/control/schemas/requests.js'
import { ChatAnswerReader, readStream } from '../../src/dashboard/data/chat-answer.js'
import { curlOf } from '../../src/dashboard/parts/curl.js'
import { prettyJson } from '../../src/dashboard/parts/json-text.js'
import { served } from '../support/served.js'

/** A request with that body. */
function sent(body: string | null, more: Partial<RequestDetail> = {}): RequestDetail {
  const request = { headers: {}, body, size: 0, state: 'whole' }
  const path = '/v1/preview/models'
  return { host: 'training', method: 'POST', path, query: '', request, ...more } as RequestDetail
}

const info = {
  training_url: 'http://127.0.0.1:4600/v1',
  inference_url: 'http://127.0.0.1:4601/v1',
} as Info

describe('pretty JSON', () => {
  it.each([
    [
      '{"a":1,"b":[true,null],"c":{}}',
      '{\n  "a": 1,\n  "b": [\n    true,\n    null\n  ],\n  "c": {}\n}',
    ],
    ['[12345678901234567890, 1.0, 1e400]', '[\n  12345678901234567890,\n  1.0,\n  1e400\n]'],
    ['{"a":1,"a":2}', '{\n  "a": 1,\n  "a": 2\n}'],
    ['"{[,]}:\\""', '"{[,]}:\\""'],
    [' [ ] ', '[]'],
  ])('of %s keeps each token', (text, pretty) => {
    expect(prettyJson(text)).toBe(pretty)
  })

  it('of many tokens is written at once', () => {
    const rows = Array.from({ length: 10_000 }, (_, a) => ({ a, b: [a], c: {}, d: [] }))
    expect(prettyJson(JSON.stringify(rows))).toBe(JSON.stringify(rows, undefined, 2))
  })

  it('does not exist for other text, but for the beginning of JSON', () => {
    expect(prettyJson('not JSON')).toBeUndefined()
    expect(prettyJson('{"a":"b')).toBeUndefined()
    expect(prettyJson('{"a":["b', true)).toBe('{\n  "a": [\n    "b')
    expect(prettyJson('not JSON', true)).toBeUndefined()
  })
})

describe('a request as a curl command', () => {
  it('has a variable for the key, and quotes everything', () => {
    const headers = {
      host: '127.0.0.1:4600',
      authorization: 'Bearer [not shown]',
      'x-api-key': '[not shown]',
      'x-note-for': '[not shown] and [not shown] are hidden',
      accept: '*/*',
      'user-agent': 'node',
      'x-note': "it's",
      'content-type': 'application/json',
    }
    const request = { headers, body: '{"a":"$HOME"}', size: 13, state: 'whole' } as const
    expect(curlOf(sent(null, { request, query: 'a=1&b=2' }), info)).toBe(
      `curl 'http://127.0.0.1:4600/v1/preview/models?a=1&b=2' \\
  -H 'authorization: Bearer '"$SVTRAIN_API_KEY" \\
  -H 'x-api-key: [not shown]' \\
  -H 'x-note-for: [not shown] and [not shown] are hidden' \\
  -H 'x-note: it'\\''s' \\
  -H 'content-type: application/json' \\
  --data-raw '{"a":"$HOME"}'
`,
    )
  })

  it('sends a body without a type as it was', () => {
    expect(curlOf(sent('{}'), info)).toContain(`-H 'content-type:' \\\n  --data-raw '{}'`)
    expect(curlOf(sent(null), info)).not.toContain('content-type')
  })

  it.each([
    ['GET', null, "curl 'http"],
    ['HEAD', null, "curl --head 'http"],
    ['DELETE', null, "curl -X DELETE 'http"],
    ['POST', null, "curl -X POST 'http"],
    ['POST', '{}', "curl 'http"],
    ['GET', '{}', "curl -X GET 'http"],
  ])('names the method %s with the body %s if curl would choose another', (method, body, start) => {
    expect(curlOf(sent(body, { method }), info)).toMatch(start)
  })

  it.each([
    ['Bearer [not shown]', `-H 'authorization: Bearer '"$SVTRAIN_API_KEY"`],
    [
      'Bearer [not shown], [not shown] end',
      `-H 'authorization: Bearer '"$SVTRAIN_API_KEY"', '"$SVTRAIN_API_KEY"' end'`,
    ],
    ['Basic [not shown]', `-u 'api:'"$SVTRAIN_API_KEY"`],
    ['Bearer', "-H 'authorization: Bearer'"],
    ['', "-H 'authorization;'"],
  ])('has the key in the place of all that is hidden in the authorization %s', (value, option) => {
    const headers = { authorization: value }
    const request = { headers, body: null, size: 0, state: 'whole' } as const
    const [, line] = curlOf(sent(null, { method: 'GET', request }), info)
      .trimEnd()
      .split(' \\\n  ')
    expect(line).toBe(option)
  })

  it.each(['x=[not shown]', 'x={a,b}', 'x=[1-3]', 'x=a%20b'])(
    'has an address that curl takes for one: %s',
    async (query) => {
      const received: (string | undefined)[] = []
      const url = await served((incoming, response) => {
        received.push(incoming.url)
        response.end()
      })
      const here = { ...info, training_url: `${url}/v1` }
      const command = curlOf(sent(null, { method: 'GET', path: '/v1/models', query }), here)
      await promisify(execFile)('sh', ['-c', command])
      expect(received).toEqual([`/v1/models?${query.replaceAll(' ', '%20')}`])
    },
  )

  it('goes to the host of the request', () => {
    expect(curlOf(sent(null, { host: 'inference', path: '/v1/models' }), info)).toContain(
      "'http://127.0.0.1:4601/v1/models'",
    )
  })
})

describe('a stream of events', () => {
  it('has the text of a chat, and how it ended', () => {
    const chunk = (delta: object, reason: string | null = null): string =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
    const text = `: comment\n\n${chunk({ role: 'assistant', content: '' })}${chunk({ content: 'Hi' })}`
    expect(readStream(`${text}${chunk({}, 'stop')}data: [DONE]\n\n`)).toMatchObject({
      choices: [{ content: 'Hi', finishReason: 'stop' }],
      done: true,
    })
    expect(readStream(`${text}data: {"choi`)).toMatchObject({
      choices: [{ content: 'Hi' }],
      error: undefined,
      done: false,
    })
  })

  it('keeps several answers apart, and has none if it is not a chat', () => {
    const two = ['a', 'b'].map((content, index) => ({ choices: [{ index, delta: { content } }] }))
    const body = two.map((data) => `data: ${JSON.stringify(data)}\n\n`).join('')
    expect(readStream(body).choices.map(({ content }) => content)).toEqual(['a', 'b'])
    expect(readStream('event: x\ndata: one\ndata: two\n\n')).toMatchObject({
      events: ['one\ntwo'],
      choices: [],
    })
  })

  it('takes an index that is none for the place in the list', () => {
    const calls = [null, 4e9].map((index) => ({ index, id: 'one', function: { name: 'weather' } }))
    const choices = [{ index: null, delta: { content: 'Hi', tool_calls: calls } }]
    const [choice] = readStream(`data: ${JSON.stringify({ choices })}\n\n`).choices
    expect(choice).toMatchObject({ index: 0, content: 'Hi' })
    expect(choice!.toolCalls).toHaveLength(2)
  })

  it('names what is not JSON, up to a whole character', () => {
    const { error } = readStream(`data: ${'x'.repeat(199)}😀\n\n`)
    expect(error).toBe(`A part of the answer is not JSON: ${'x'.repeat(199)}`)
  })

  it('is read as it arrives, wherever it is cut', () => {
    const event = (delta: object): string =>
      `data: ${JSON.stringify({ choices: [{ delta }] })}\r\n\r\n`
    const call = (more: object): string => event({ tool_calls: [{ index: 0, ...more }] })
    const body = `: comment\n\n${event({ content: 'Hi' })}${event({ content: ' you' })}${call({
      id: 'one',
      function: { name: 'weather', arguments: '{"a"' },
    })}${call({ function: { arguments: ':1}' } })}data: {"usage":{"n":1}}\n\ndata: [DONE]`
    const whole = readStream(body)
    const reader = new ChatAnswerReader(true)
    for (const character of body) reader.take(character)
    expect(reader.events).toEqual(whole.events.slice(0, -1))
    reader.end()
    for (const { choices, events, usage, done } of [reader, whole]) {
      expect({ events: events.length, usage, done }).toEqual({
        events: 6,
        usage: { n: 1 },
        done: true,
      })
      expect(choices).toMatchObject([
        { content: 'Hi you', toolCalls: [{ id: 'one', name: 'weather', arguments: '{"a":1}' }] },
      ])
    }
  })

  it.each([
    '{"choices":null,"usage":1}',
    '{"choices":{},"usage":1}',
    '{"choices":[null,1],"usage":1}',
    '{"choices":[{"message":{"tool_calls":null},"logprobs":{"content":5}}],"usage":1}',
  ])('has nothing in the place of what is no list: %s', (body) => {
    const { usage, error, choices } = readStream(`data: ${body}\n\n`)
    expect({ usage, error }).toEqual({ usage: 1, error: undefined })
    expect(choices.flatMap(({ toolCalls, logprobs }) => [...toolCalls, ...logprobs])).toEqual([])
  })

  it('says what is not JSON, and what the service says is wrong', () => {
    const sentMore = `data: <html>\n\ndata: {"choices":[]}\n\n`
    expect(readStream(sentMore).error).toBe('A part of the answer is not JSON: <html>')
    for (const [body, error] of [
      ['{"detail":"no such model"}', 'no such model'],
      ['{"error":{"message":"too long"}}', 'too long'],
      ['{"detail":[{"msg":"missing"}]}', '[{"msg":"missing"}]'],
    ] as const) {
      const reader = new ChatAnswerReader(false)
      reader.take(body)
      reader.end()
      expect(reader.error).toBe(error)
    }
  })
})
