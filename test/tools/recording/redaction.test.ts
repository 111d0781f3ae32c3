import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Recorder } from '../../../src/tools/recording/recorder.js'
import { Secrets } from '../../../src/tools/recording/secrets.js'
import { recordedCall } from './recorded-call.js'

/** A key as services make them, and keys with characters that JSON and URLs escape. */
const secret = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{16,40}$/),
  fc.stringMatching(/^[!-~]{12,24}$/).filter((text) => !text.includes('"')),
)

/** A text that nobody may read, and that no other text has in it by chance. */
const content = fc.tuple(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.nat()).map(([text, number]) => `private ${number} ${text}`) // oxfmt-ignore

interface Exchange {
  secret: string
  content: string
  cuts: number[]
  /** Which body of a response follows the first body of a request. */
  shift: number
}

const exchange = fc.record<Exchange>({
  secret,
  content,
  cuts: fc.array(fc.nat({ max: 2000 }), { maxLength: 6 }),
  shift: fc.nat({ max: 6 }),
})

/** The spellings in which a text may be in a file. */
function spellings(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1)
  const ascii = json.replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const base64 = Buffer.from(text).toString('base64').replace(/=+$/, '')
  return [text, json, JSON.stringify(json).slice(1, -1), ascii, encodeURIComponent(text), base64]
}

function cut(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((at) => at % (text.length + 1)).sort((a, b) => a - b), text.length]
  return places.slice(1).map((end, index) => text.slice(places[index], end))
}

const requestBodies: ((content: string, secret: string) => unknown)[] = [
  (text) => ({ model: 'm', messages: [{ role: 'user', content: text, name: 'n' }] }),
  (text) => ({ messages: [{ role: 'user', content: [{ type: 'text', text }, { type: 'image_url', image_url: { url: text } }] }] }),
  (text) => ({ tools: [{ type: 'function', function: { name: 'f', description: text, parameters: { [text]: { default: text } } } }] }),
  (text) => ({ messages: [{ role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: JSON.stringify({ q: text }) } }] }] }),
  (text) => ({ model_id: 'x', trajectory_groups: [{ trajectories: [{ reward: 1, messages_and_choices: [{ role: 'user', content: text }, { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text }, logprobs: { content: [{ token: text, bytes: [...Buffer.from(text)], logprob: -1, top_logprobs: [] }] } }], logs: [text], metadata: { note: text, [text]: 1 } }] }] }),
  (text) => ({ system: text, messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: text }, { type: 'tool_use', id: 't', name: 'f', input: { [text]: text } }] }] }),
  (text) => ({ input: [{ role: 'user', content: [{ type: 'input_text', text }] }], instructions: text, prompt: text }),
  (text, key) => ({ unknown: { deeper: [text, { url: `https://u:${key}@example.com/?token=${key}&q=1` }] } }),
  (text, key) => ({ api_key: key, apiKey: key, env: { OTHER_SECRET: key }, headers: { authorization: `Bearer ${key}` }, note: text }),
  (text, key) => ({ model: `model ${key}`, detail: text, message: text, error: text, [key]: 1, training_data_url: `s3://bucket/x?sig=${key}` }),
] // oxfmt-ignore

const responseBodies: typeof requestBodies = [
  (text) => ({ choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text, reasoning_content: text, refusal: text } }] }),
  (text) => ({ choices: [{ text, logprobs: { tokens: [text], token_logprobs: [-1], top_logprobs: [{ [text]: -1 }] } }] }),
  (text, key) => ({ error: { message: `Refused ${text} for ${key}`, type: 'x', param: null, code: 400 } }),
  (text, key) => ({ detail: [{ type: 't', loc: ['body', 0], msg: `Not ${text}`, input: { a: text, key }, ctx: { error: text } }] }),
  (text, key) => ({ detail: `${text} ${key}` }),
  (text) => ({ type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: JSON.stringify({ a: text }) } }),
  (text) => ({ type: 'response.output_text.delta', item_id: 'i', delta: text, output: [{ content: [{ type: 'output_text', text }] }] }),
] // oxfmt-ignore

/** Records an exchange with every body, and returns the text of the recording. */
function record({ secret: key, content: text, cuts, shift }: Exchange, contents: boolean): string {
  let file = ''
  const recorder = new Recorder({
    trainingUrl: 'https://user:password-1@api.example.com/v1?token=token-1',
    contents,
    write: (line) => (file += `${line}\n`),
  })
  const headers = {
    authorization: `Bearer ${key}`,
    'x-api-key': key,
    cookie: `session=${key}; other=1`,
    'x-unknown': key,
    'content-type': 'application/json',
  }
  const basic = `Basic ${Buffer.from(`user:${key}`).toString('base64')}`
  const send = (body: string, sent: Record<string, string>) =>
    recorder.request({
      host: 'training',
      method: 'POST',
      path: `/v1/x/${encodeURIComponent(key)}`,
      query: `api_key=${encodeURIComponent(key)}&limit=10&X-Amz-Signature=${encodeURIComponent(key)}`,
      headers: sent,
      body,
    })
  for (const [index, body] of requestBodies.entries()) {
    const sent = JSON.stringify(body(text, key))
    const answer = responseBodies[(index + shift) % responseBodies.length]!
    const response = send(sent, { ...headers, authorization: basic })
    response.response(400, {
      'content-type': 'application/json',
      'set-cookie': `s=${key}; Path=/`,
    })
    cut(JSON.stringify(answer(text, key)), cuts).forEach((part) => response.chunk(part))
    response.end()
    send(`${sent}\n${sent}\n`, { ...headers, 'content-type': 'application/jsonl' }).end(
      'lost',
      `Lost ${key}`,
    )
    send(`not json ${text} ${key}`, { ...headers, 'content-type': 'text/plain' }).end('client_left')
  }
  const stream = responseBodies.map(
    (body) => `event: e\ndata: ${JSON.stringify(body(text, key))}\n\n`,
  )
  for (const end of ['complete', 'lost'] as const) {
    const response = send(JSON.stringify(requestBodies[0]!(text, key)), headers)
    response.response(200, { 'content-type': 'text/event-stream' })
    const whole = `${stream.join('')}data: {"half":"${key} ${text}`
    cut(whole, cuts).forEach((part) => response.chunk(part))
    response.end(end)
  }
  return file
}

describe('a recording', () => {
  it('never has a secret or a content in it', () => {
    fc.assert(
      fc.property(exchange, (drawn) => {
        const file = record(drawn, false)
        const found = [
          ...spellings(drawn.secret),
          ...spellings(drawn.content),
          'password-1',
          'token-1',
        ]
        const lines = file.split('\n')
        expect(lines.filter((line) => found.some((each) => line.includes(each)))).toEqual([])
        // Each line is JSON.
        for (const line of file.trimEnd().split('\n')) JSON.parse(line)
      }),
      { numRuns: 40 },
    )
  })

  it('never has a secret in it, even if contents are recorded', () => {
    fc.assert(
      fc.property(exchange, (drawn) => {
        const file = record(drawn, true)
        expect(spellings(drawn.secret).filter((each) => file.includes(each))).toEqual([])
        expect(file).toContain('private ')
      }),
      { numRuns: 40 },
    )
  })

  it.each<[string, Record<string, string>, string]>([
    ['JSON', {}, '{"detail":"Unknown key only-in-the-query on page 2"}'],
    ['a text', { 'content-type': 'text/plain' }, 'Nothing at only-in-the-query, page 2'],
  ])(
    'has no key of a query in it, also where the service repeats it in %s',
    (_form, headers, body) => {
      const query = 'api_key=only-in-the-query&page=2'
      const { text } = recordedCall({ query }, { status: 401, headers, body }, { contents: true })
      expect(text).toContain('page 2')
      expect(text).not.toContain('only-in-the-query')
    },
  )

  it('keeps the shape of a chat: roles, counts, reasons and numbers', () => {
    const token = { token: 'Hi', logprob: -0.25, bytes: [72, 105], top_logprobs: [] }
    const choice = {
      index: 0,
      finish_reason: 'tool_calls',
      message: { role: 'assistant', content: 'Hi', tool_calls: [] },
      logprobs: { content: [token] },
      token_ids: [17, 18],
    }
    const usage = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 }
    const chat = { id: 'c-1', model: 'm', choices: [choice], usage }
    const shown = {
      ...choice,
      message: { role: 'assistant', content: '[redacted 2 characters]', tool_calls: [] },
      logprobs: { content: [{ ...token, token: '[redacted 2 characters]', bytes: [0, 0] }] },
      token_ids: [0, 0],
    }
    const { received } = recordedCall({ host: 'inference' }, { body: chat })
    expect(JSON.parse(received)).toEqual({ ...chat, choices: [shown] })
  })

  it('leaves nothing of an error that repeats more contents than can be compared', () => {
    const messages = Array.from({ length: 600 }, (_, index) => ({
      role: 'user',
      content: `text ${index}`,
    }))
    const body = { detail: 'Refused text 17' }
    const sent = { body: JSON.stringify({ messages }) }
    expect(recordedCall(sent, { status: 400, body }).received).toContain('[redacted 15 characters]')
  })

  it.each([8, 1000, 100_000])(
    'has no secret of %i characters in it, wherever it is put',
    (length) => {
      const units = Array.from({ length }, (_, index) => 'kK0-_'[(index * index + length) % 5])
      const key = `${length}${units.join('')}`.slice(0, length)
      const file = record({ secret: key, content: 'content 1', cuts: [500, 1000], shift: 0 }, true)
      expect(file).not.toContain(key.slice(0, 8))
      expect(file).not.toContain(key.slice(-8))
    },
  )

  it.each([
    [1, 7000],
    [5, 40_000],
    [400, 20_000],
  ])('records %i long messages that the service refuses', (count, length) => {
    const text = Array.from({ length: length / 10 }, (_, index) => `word${index} `.padEnd(10)).join('') // oxfmt-ignore
    const messages = Array.from({ length: count }, (_, index) => ({ role: 'user', content: `${index} ${text}` })) // oxfmt-ignore
    const message = `boom happened after 0 ${text.slice(0, 100)}`
    const sent = { path: '/v1/chat/completions', body: JSON.stringify({ model: 'm', messages }) }
    const recorded = recordedCall(sent, { status: 500, body: { error: { message } } })
    expect(recorded.lines.map(({ type }) => type)).toEqual(
      'recording request response chunk end'.split(' '),
    )
    expect(recorded.text).not.toContain('word7 ')
  })

  it('reads a million characters in a moment, although each could begin a token', () => {
    const text = 'eyJ-'.repeat(250_000)
    expect(new Secrets().redact(text)).toBe(text)
    expect(new Secrets().redact('a eyJhbGciOi.eyJzdWIiOi.sig-1 b')).toBe('a [not shown] b')
  })

  it('stays as fast when each of 5,000 responses sets another cookie', () => {
    let file = ''
    const write = (line: string): void => void (file += line)
    const recorder = new Recorder({ trainingUrl: 'https://a.example/v1', write })
    for (let index = 0; index < 5000; index++) {
      const cookie = `${index}-${'c'.repeat(160)}${index}`
      const request = { host: 'training', method: 'GET', path: '/v1/health', headers: {} } as const
      const response = recorder.request(request)
      response.response(200, { 'content-type': 'application/json', 'set-cookie': `cf=${cookie}` })
      response.chunk(JSON.stringify({ ok: true, echo: cookie }))
      response.end()
    }
    expect(file).not.toContain('cccc')
  })
})
