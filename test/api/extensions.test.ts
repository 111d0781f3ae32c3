import { describe, expect, it } from 'vitest'
import { createEmulator, type EmulatorOptions, type ScenarioInput } from '../../src/index.js'
import { clientOf, type Answer } from '../support/api-client.js'
import { describeTransports } from '../support/transports.js'

const model = 'example/base-8b-instruct'

/** A small request of each wire. */
const requests = {
  completions: { path: '/completions', body: { model, prompt: 'say it' } },
  responses: { path: '/responses', body: { model, input: 'say it' } },
  messages: {
    path: '/messages',
    body: { model, max_tokens: 50, messages: [{ role: 'user', content: 'say it' }] },
  },
} as const
const wires = Object.entries(requests)
const names = ['completions', 'responses', 'messages'] as const

const scenario: ScenarioInput = {
  name: 'x',
  chat: { rules: [{ match: { user: 'say it' }, answer: 'one two' }] },
}

/** The text of an answer of any wire. */
function textIn(body: Answer['body']): string {
  return body.choices?.[0].text ?? body.output?.[0].content[0].text ?? body.content[0].text
}

describeTransports('extension wires', (open) => {
  it.each(wires)('%s: unknown unless it is on', async (name, { path, body }) => {
    const { inference, post, emulator } = await open({ scenario })
    const unknown = await inference.post('/no-such-path', body)
    for (const off of [path, `${path}/`]) {
      const answer = await inference.post(off, body)
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual(unknown.body)
    }
    expect((await inference.get(path)).status).toBe(404)
    const [hint] = emulator.journal.entries.flatMap((entry) =>
      entry.kind === 'request' && entry.path.endsWith(path) ? [entry.hint] : [],
    )
    expect(hint).toBe(
      `POST /v1${path} is an extension, which is off: turn it on with --extensions ${name}, or with \`extensions\` of the scenario or of createEmulator`,
    )
    expect((await post(path, body)).body).toEqual({ detail: 'Not Found' })
    expect(emulator.journal.entries.at(-1)).toMatchObject({
      hint: expect.stringContaining('is an extension of the inference host; send it there'),
    })
  })

  it.each(wires)('%s: answered by the rules of the scenario', async (name, { path, body }) => {
    const { inference, emulator } = await open({ scenario, extensions: [name as 'messages'] })
    const headers = { 'openai-project': 'acme' }
    const answer = await inference.post(path, body, { headers })
    expect(answer.status).toBe(200)
    expect(textIn(answer.body)).toBe('one two')
    expect(emulator.engine.chat.usage.totals.get('acme')).toMatchObject({ completion_tokens: 3 })
    expect(emulator.requests.all().at(-1)).toMatchObject({
      status: 200,
      usage: { project: 'acme' },
    })
    for (const [other, { path: off }] of wires) {
      if (other !== name) expect((await inference.post(off, body)).status).toBe(404)
    }
  })

  it.each(wires)('%s: streamed as server-sent events', async (_name, { path, body }) => {
    const { inference } = await open({ scenario, extensions: true })
    const { headers, body: text } = await inference.post(path, { ...body, stream: true })
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(text).toMatch(/^(?:event: .*\n)?data: \{.*\}\n\n/)
    expect(text).toContain('one')
  })

  it('takes the key of messages from both headers', async () => {
    const keys = { known: {} }
    const { inference } = await open({
      scenario: { ...scenario, auth: { keys } },
      extensions: true,
    })
    const { path, body } = requests.messages
    const sent = (headers: Record<string, string | undefined>) =>
      inference.post(path, body, { headers })
    expect(await sent({ authorization: undefined, 'x-api-key': 'known' })).toMatchObject({
      status: 200,
    })
    expect(await sent({ authorization: 'Bearer known' })).toMatchObject({ status: 200 })
    const refused = await sent({ authorization: undefined, 'x-api-key': 'unknown' })
    expect(refused.status).toBe(401)
    expect(refused.body).toEqual({
      type: 'error',
      error: { type: 'AuthenticationError', message: 'Authentication failed' },
    })
    const other = await inference.post('/responses', requests.responses.body, {
      headers: { authorization: undefined, 'x-api-key': 'known' },
    })
    expect(other.status).toBe(401)
  })

  it('meets the faults and limits that match its operations', async () => {
    const { inference } = await open({
      scenario: {
        ...scenario,
        faults: [
          { fault: 'status', status: 503, match: { operation: 'createCompletion' } },
          { fault: 'status', status: 429, match: { operation: 'createMessage' }, calls: 1 },
          {
            fault: 'status',
            status: 418,
            body: { error: { type: 'mine', message: 'x' } },
            match: { operation: 'countMessageTokens' },
          },
          {
            fault: 'rate_limit',
            requests: 1,
            within: '1m',
            match: { operation: 'createResponse' },
          },
        ],
      } as ScenarioInput,
      extensions: true,
    })
    const { completions, responses, messages } = requests
    expect((await inference.post(completions.path, completions.body)).status).toBe(503)
    const limited = await inference.post(messages.path, messages.body)
    expect(limited.status).toBe(429)
    expect(limited.body).toEqual({
      type: 'error',
      error: { type: 'RateLimitError', message: 'Concurrency limit reached for requests' },
    })
    expect((await inference.post(messages.path, messages.body)).status).toBe(200)
    const own = await inference.post('/messages/count_tokens', messages.body)
    expect(own).toMatchObject({ status: 418, body: { error: { type: 'mine', message: 'x' } } })
    expect((await inference.post(responses.path, responses.body)).status).toBe(200)
    expect((await inference.post(responses.path, responses.body)).status).toBe(429)
  })
})

describe('extension wires', () => {
  const onIn = async (options: EmulatorOptions): Promise<string[]> => {
    await using emulator = createEmulator({ clock: 'manual', ...options })
    const { inference } = clientOf(emulator)
    const answers = await Promise.all(
      wires.map(async ([name, { path, body }]) => {
        return [name, (await inference.post(path, body)).status] as const
      }),
    )
    return answers.flatMap(([name, status]) => (status === 200 ? [name] : []))
  }
  const some: ScenarioInput = { ...scenario, extensions: ['messages', 'responses'] }

  it('are on if the scenario says so, unless the option says otherwise', async () => {
    expect(await onIn({})).toEqual([])
    expect(await onIn({ scenario: some })).toEqual(['responses', 'messages'])
    expect(await onIn({ scenario: some, extensions: ['completions'] })).toEqual(['completions'])
    expect(await onIn({ scenario: some, extensions: false })).toEqual([])
    expect(await onIn({ extensions: true })).toEqual(names)
  })

  it('are inherited by a scenario that extends another one', async () => {
    const emulator = createEmulator({
      scenario: { name: 'y', extends: 'happy-path', extensions: ['messages'] },
    })
    expect(emulator.scenario.extensions).toEqual(['messages'])
  })

  it('follow a change of the scenario, a reset and a restore', async () => {
    await using emulator = createEmulator({ scenario, clock: 'manual' })
    const { inference } = clientOf(emulator)
    const { path, body } = requests.responses
    const status = async (): Promise<number> => (await inference.post(path, body)).status
    expect(await status()).toBe(404)
    emulator.follow(some)
    expect(await status()).toBe(200)
    const snapshot = await emulator.snapshot()
    emulator.reset()
    expect(await status()).toBe(404)
    emulator.restore(snapshot)
    expect(await status()).toBe(200)
  })

  it('are in the world of each key, also for a key in x-api-key', async () => {
    await using emulator = createEmulator({ scenario, extensions: true, isolate: 'api-key' })
    const { inference } = clientOf(emulator)
    const { path, body } = requests.messages
    const headers = { authorization: undefined, 'x-api-key': 'one' }
    expect((await inference.post(path, body, { headers })).status).toBe(200)
    expect(emulator.world('one').requests.count('createMessage')).toBe(1)
    expect(emulator.requests.count('createMessage')).toBe(0)
  })

  it('count as chats of their project', async () => {
    await using emulator = createEmulator({
      clock: 'manual',
      extensions: true,
      scenario: {
        ...scenario,
        chat: { ...scenario.chat, concurrency: 1, pace: { first_token: '10s' } },
      },
    })
    const { inference } = clientOf(emulator)
    const waiting = inference.post(requests.responses.path, requests.responses.body)
    await expect.poll(() => emulator.engine.delayed.size).toBe(1)
    const { path, body } = requests.messages
    expect(await inference.post(path, body)).toMatchObject({ status: 429, body: { type: 'error' } })
    emulator.clock.advance('10s')
    expect((await waiting).status).toBe(200)
    const last = inference.post(path, body)
    await expect.poll(() => emulator.engine.delayed.size).toBe(1)
    emulator.clock.advance('10s')
    expect((await last).status).toBe(200)
  })

  it('have the same answer for the same prompt and seed', async () => {
    await using emulator = createEmulator({ extensions: true })
    const { inference } = clientOf(emulator)
    const ask = async (path: string, body: object) => {
      const answer = await inference.post(path, { model, seed: 7, ...body })
      return answer.body.choices?.[0].message?.content ?? textIn(answer.body)
    }
    const messages = [{ role: 'user', content: 'Name a color.' }]
    const answers = await Promise.all([
      ask('/chat/completions', { messages }),
      ask('/responses', { input: 'Name a color.' }),
      ask('/messages', { messages, max_tokens: 100 }),
      ask('/completions', { prompt: 'Name a color.', max_tokens: 100 }),
    ])
    expect(new Set(answers).size).toBe(1)
  })

  it('are in the OpenAPI document only if they are on, and marked there', async () => {
    const documentOf = async (options: EmulatorOptions) => {
      const emulator = createEmulator(options)
      const { inferenceUrl, apiKey } = emulator
      const url = new URL('/openapi.json', inferenceUrl)
      const answer = await emulator.fetch(url, { headers: { authorization: `Bearer ${apiKey}` } })
      return (await answer.json()) as { paths: Record<string, { post?: object }> }
    }
    const paths = names.map((name) => `/v1/${name}`)
    const off = await documentOf({})
    expect(Object.keys(off.paths)).not.toEqual(expect.arrayContaining(paths))
    const on = await documentOf({ extensions: ['messages'] })
    expect(Object.keys(on.paths).filter((path) => !(path in off.paths))).toEqual([
      '/v1/messages',
      '/v1/messages/count_tokens',
    ])
    expect(on.paths['/v1/messages']!.post).toMatchObject({
      tags: ['extensions'],
      'x-extension': 'messages',
      description: 'An extension of the emulator. The documented service does not have it.',
    })
  })

  it('refuses an unknown name, and suggests the right one', () => {
    expect(() => createEmulator({ extensions: ['mesages' as 'messages'] })).toThrow(
      /option "extensions\[0\]" is "mesages"; expected .*Did you mean "messages"\?/,
    )
    const typo = { ...scenario, extensions: ['completion'] } as unknown as ScenarioInput
    expect(() => createEmulator({ scenario: typo })).toThrow(
      'extensions[0]: "completion" is not allowed here. Did you mean "completions"? Allowed: completions, responses, messages.',
    )
  })
})
