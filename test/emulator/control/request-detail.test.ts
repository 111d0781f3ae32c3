import { describe, expect, it } from 'vitest'
import { BASE_MODEL, clientOf, withKey } from '../../support/api-client.js'
import { submit } from '../../support/trainer.js'
import { describeTransports } from '../../support/transports.js'
import { controlled, controlledOver } from './control.js'
import { sentValues } from '../../../src/emulator/control/sent-value.js'

describeTransports('one request in the control API', (open) => {
  it('shows what was sent, what was answered, and why it was refused', async () => {
    const { client, api } = await controlledOver(open)
    await api.post('/preview/models', { project: 'verse' })
    const [listed] = await client.requests.list()
    expect(listed).toMatchObject({ status: 422, world: null })
    expect(listed!.detail).toMatch(/^body\.\w+: Field required/)
    const found = await client.requests.get(listed!.id)
    expect(found).toMatchObject(listed!)
    expect(found.request).toMatchObject({ body: '{"project":"verse"}', size: 19, state: 'whole' })
    expect(found.request.headers).toMatchObject({
      authorization: 'Bearer [not shown]',
      'content-type': 'application/json',
    })
    expect(found.response!.headers).toEqual({ 'content-type': 'application/json' })
    expect(JSON.parse(found.response!.body!).detail).toHaveLength(found.problems.length)
    expect(found.problems[0]).toMatchObject({ msg: 'Field required', type: 'missing' })
    expect(found.problems[0]!.loc[0]).toBe('body')
  })

  it('names the fault that answered, the job and what it caused', async () => {
    const { emulator, client, api } = await controlledOver(open)
    const job = await submit(emulator)
    await client.faults.add({ fault: 'status', status: 503, name: 'gateway' })
    await api.get(`/preview/training-jobs/${job}`)
    await client.settle()
    const [creation, refused] = await client.requests.list({ job })
    const created = await client.requests.get(creation!.id)
    expect(created).toMatchObject({ job_id: job, model: 'poet', faults: [], problems: [] })
    expect(created.caused.length).toBeGreaterThan(2)
    const { faults, job_id, model } = await client.requests.get(refused!.id)
    expect(faults).toEqual([{ id: 'added-1', name: 'gateway', fault: 'status' }])
    expect({ job_id, model }).toEqual({ job_id: job, model: 'poet' })
  })

  it('names the chat rule, and has the chunks of a stream', async () => {
    const rules = [
      { match: { user: 'nothing like it' }, answer: 'no' },
      { match: {}, answer: 'Roses are red.' },
    ]
    const { client, api } = await controlledOver(open, {
      scenario: { name: 'rules', chat: { rules } },
    })
    const messages = [{ role: 'user', content: 'A poem, please.' }]
    const model = BASE_MODEL
    const { inference } = api
    await inference.post('/chat/completions', { model, messages })
    await inference.post('/chat/completions', { model, messages, stream: true })
    const [whole, stream] = await client.requests.list()
    const found = await client.requests.get(whole!.id)
    expect(found).toMatchObject({ chat_rule: 1, model })
    expect(found.response!.body).toContain('Roses are red.')
    const streamed = await client.requests.get(stream!.id)
    expect(streamed.response!.headers['content-type']).toContain('text/event-stream')
    expect(streamed.response!.body).toMatch(/^data: \{[^]*data: \[DONE\]/)
  })

  it('names the parameter that the inference host refused', async () => {
    const { client, api } = await controlledOver(open)
    await api.inference.post('/chat/completions', { model: 'x', messages: 'none' })
    const [refused] = await client.requests.list()
    const { problems } = await client.requests.get(refused!.id)
    expect(problems).toMatchObject([{ loc: ['body', 'messages'] }])
  })

  it('has what the client checks found', async () => {
    const { emulator, client, api } = await controlledOver(open, { clock: 'instant' })
    const job = await submit(emulator)
    await api.get(`/preview/training-jobs/${job}`)
    await api.get(`/preview/training-jobs/${job}`)
    const [finding] = await client.clientChecks()
    const last = (await client.requests.list()).at(-1)!
    expect(finding!.requests[0]).toBe(last.id)
    expect((await client.requests.get(last.id)).findings).toEqual([finding])
  })

  it.each([
    'a'.repeat(100_000),
    // With `{"name":"` before it, a character of several bytes is at the cut.
    `${'a'.repeat(65_526)}é${'a'.repeat(34_472)}`,
    `${'a'.repeat(65_526)}\u{1f600}${'a'.repeat(34_470)}`,
  ])('cuts long bodies between two characters, and says so', async (name) => {
    const { client, api } = await controlledOver(open)
    await api.post('/preview/models', { name })
    const [listed] = await client.requests.list()
    const { request, response, problems } = await client.requests.get(listed!.id)
    expect(request).toMatchObject({ state: 'cut', size: 100_011 })
    expect(response!.state).toBe('cut')
    expect(problems.map(({ loc }) => loc)).toEqual([
      ['body', 'project'],
      ['body', 'base_model'],
    ])
    const beginning = JSON.stringify({ name }).slice(0, 65_536)
    expect(request.body).toBe(beginning.replace(/[\ud800-\udbff]$/, ''))
    expect(response!.body!.length).toBeLessThanOrEqual(65_536)
  })

  it('is refused if there is none with that id', async () => {
    const { emulator, client, call } = await controlledOver(open)
    await expect(client.requests.get(1)).rejects.toThrow('the journal has no entry 1. It is empty.')
    await submit(emulator)
    await client.settle()
    const missing = client.requests.get(3)
    await expect(missing).rejects.toThrow('entry 3 is a job')
    expect((await call('GET /requests/none')).body.detail).toMatch(
      /^Request not found: .* no entry none/,
    )
  })
})

describe('keys and secrets in one request', () => {
  /** Sends a body with a key, and returns all that the control API says about the request. */
  async function shownOf(
    key: string,
    body: string,
  ): Promise<{ text: string; body: string | null }> {
    const { emulator, call, client } = controlled()
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const url = `${emulator.trainingUrl}/preview/models?project=${encodeURIComponent(key)}`
    await emulator.fetch(url, { method: 'POST', headers, body })
    const { id } = (await client.requests.list()).at(-1)!
    const { body: detail } = await call(`GET /requests/${id}`)
    return { text: JSON.stringify(detail), body: detail.request.body }
  }

  it.each(['a', 'one', 'k3y', 'sk-a1', 'a "long" key', 'clé/1', 'a-usual-key-of-a-client'])(
    'are not shown, be they short or long: %s',
    async (key) => {
      const quoting = { name: key, [key]: `the key ${key}, twice: ${key}` }
      const ascii = JSON.stringify(quoting).replaceAll('é', String.raw`\u00e9`)
      for (const sent of [JSON.stringify(quoting), ascii]) {
        const { text, body } = await shownOf(key, sent)
        expect(body).toBe(
          '{"name":"[not shown]","[not shown]":"the key [not shown], twice: [not shown]"}',
        )
        const words = text.split(/[^\p{L}\p{N}]+/u)
        if (/^\w+$/.test(key)) expect(words).not.toContain(key)
        else expect(text).not.toContain(JSON.stringify(key).slice(1, -1))
      }
    },
  )

  it('are not shown if another request has the key', async () => {
    const { emulator, client } = controlled()
    const api = clientOf(emulator)
    await api.get('/health', withKey('key-of-another-call'))
    await api.get('/health', { headers: { authorization: 'Basic a2V5OnNlY3JldA==' } })
    await api.post('/preview/models', '{"a": "key-of-another-call", "b": "a2V5OnNlY3JldA=="}', {
      headers: { authorization: undefined },
    })
    const { request } = await client.requests.get((await client.requests.list()).at(-1)!.id)
    expect(request.body).toBe('{"a": "[not shown]", "b": "[not shown]"}')
  })

  it('are not shown in part where a long body is cut', async () => {
    const { emulator, client } = controlled()
    const key = 'key-at-the-end-of-what-is-shown'
    const body = 'x'.repeat(65_536 - 10) + key
    await clientOf(emulator).post('/preview/models', body, withKey(key))
    const { request } = await client.requests.get(1)
    expect(request.state).toBe('cut')
    expect(request.body).toBe('x'.repeat(65_536 - 10))
  })

  it('do not move the place where a body stops being JSON', async () => {
    const { emulator, client } = controlled()
    const key = 'key-that-is-longer-than-what-is-shown-of-it'
    const body = `{"project": "${key}", "name": "😀😀", "base_model": oops}`
    await clientOf(emulator).post('/preview/models', body, withKey(key))
    const { problems } = await client.requests.get(1)
    expect(problems).toMatchObject([
      {
        loc: ['body', Array.from(body.slice(0, body.indexOf('oops'))).length],
        sent: {
          value: '{"project": "[not shown]", "name": "😀😀", "base_model": ⟪here⟫oops}',
          note: 'Expecting value.',
        },
      },
    ])
  })

  it('are hidden without a change of the words of this API', async () => {
    const { emulator, client } = controlled()
    await clientOf(emulator).get('/health', withKey('request'))
    expect(await client.requests.get(1)).toMatchObject({ kind: 'request', host: 'training' })
  })
})

it('the memory of responses drops the oldest responses if all of them need too much memory', () => {
  const { emulator } = controlled()
  const { journal } = emulator
  const received = { method: 'GET', path: '/', query: '', headers: {}, body: new Uint8Array() }
  const body = 'a'.repeat(60_000)
  for (let made = 0; made < 400; made++) {
    const entry = journal.open('training', received)
    journal.respond(entry, { kind: 'response', status: 200, headers: {}, body })
    journal.close(entry, 0)
  }
  const texts = emulator.requests.all().map(({ response }) => response!.text)
  expect(texts[0]).toBeUndefined()
  expect(texts.at(-1)).toBe(body)
  expect(texts.filter((text) => text !== undefined).length).toBeLessThan(300)
})

describe('the value that a problem is about', () => {
  type Problem = Parameters<typeof sentValues>[1][number]
  const sentAt = (call: Parameters<typeof sentValues>[0], problem: Problem) => {
    return sentValues(call, [problem])[0]!
  }

  /** A request with that body. */
  function sent(body: string | null, more: { query?: string; path?: string } = {}) {
    const request = { headers: {}, body, size: 0, state: 'whole' } as const
    return { path: '/v1/preview/models', query: '', request, response: null, ...more }
  }

  const body = '{"groups":[{"rewards":[1,"x"]}],"empty":{}}'
  const at = (...loc: (string | number)[]) => sentAt(sent(body), { loc, type: '' })

  it('is found by its place', () => {
    expect(at('body', 'groups', 0, 'rewards', 1)).toMatchObject({
      part: 'body',
      place: 'groups[0].rewards[1]',
      value: '"x"',
    })
    expect(at('body')).toMatchObject({
      place: '',
      value: JSON.stringify(JSON.parse(body), null, 2),
    })
  })

  it('is absent if it was not sent, and then its neighbors are named', () => {
    expect(at('body', 'groups', 0, 'prompt')).toMatchObject({
      value: null,
      note: 'Fields that you sent there: rewards.',
    })
    expect(at('body', 'empty', 'name').note).toBe('You sent no fields there.')
    expect(at('body', 'groups', 4)).toMatchObject({
      value: null,
      note: 'The list has 1 item.',
    })
    expect(at('body', 'constructor')).toMatchObject({ value: null })
  })

  it('is the nearest one if the place continues with the name of a kind', () => {
    expect(at('body', 'groups', 0, 'rewards', 'list[float]', 1).value).toBe('[\n  1,\n  "x"\n]')
  })

  it('is read from the query, the headers and the path', () => {
    const detail = sent(null, { query: 'limit=2&limit=many&after=', path: '/v1/x/y' })
    const problem = { type: '' }
    expect(sentAt(detail, { loc: ['query', 'limit'], ...problem }).value).toBe('many')
    expect(sentAt(detail, { loc: ['query', 'model'], ...problem }).note).toBe(
      'Fields that you sent there: limit, after.',
    )
    expect(sentAt(detail, { loc: ['path', 'id'], ...problem }).value).toBe('/v1/x/y')
    expect(sentAt(detail, { loc: ['header', 'X-A'], ...problem }).value).toBeNull()
    expect(sentAt(detail, { loc: ['body'], ...problem }).note).toBe('The request has no body.')
  })
})
