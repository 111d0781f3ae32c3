import { expect, it, onTestFinished, vi } from 'vitest'
import { describeTransports } from '../../support/transports.js'
import { createModel } from '../../support/trainer.js'
import { jsonHeaders, withKey } from '../../support/api-client.js'

const model = { project: 'my-project', name: 'my-model', base_model: 'base' }
const authorization = undefined

describeTransports('API keys', (open) => {
  it('are required', async () => {
    const answer = await (await open()).get('/health', { headers: { authorization } })
    expect(answer).toMatchObject({ status: 401, body: { detail: 'Not authenticated' } })
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  })

  it('are limited to the list, if there is one', async () => {
    const api = await open({ apiKeys: ['first', 'second'] })
    expect(api.emulator.apiKey).toBe('first')
    const statusOf = async (key: string) => (await api.get('/health', withKey(key))).status
    for (const key of ['first', 'second']) expect(await statusOf(key)).toBe(200)
    for (const key of ['third', '__proto__', 'toString']) expect(await statusOf(key)).toBe(401)
  })

  it.each(['bearer any', 'bearer \tany', 'BEARER   any'])(
    'are all accepted by default, as in %j',
    async (key) => {
      const answer = await (await open()).get('/health', { headers: { authorization: key } })
      expect(answer).toMatchObject({ status: 200, body: { status: 'ok' } })
    },
  )

  it('are answered with 403 if they are missing and the scenario says so', async () => {
    const api = await open({ scenario: { name: 'mine', auth: { missingStatus: 403 } } })
    const none = await api.get('/health', { headers: { authorization } })
    expect(none).toMatchObject({ status: 403, body: { detail: 'Not authenticated' } })
    const basic = await api.get('/health', { headers: { authorization: 'Basic abc' } })
    expect(basic.body).toEqual({ detail: 'Invalid authentication credentials' })
  })

  it('are not required for health checks if the scenario says so', async () => {
    const open_ = { name: 'mine', auth: { open: ['health' as const, 'system-check' as const] } }
    const api = await open({ scenario: open_ })
    for (const path of ['/health', '/system-check']) {
      expect((await api.get(path, { headers: { authorization } })).status).toBe(200)
    }
  })

  it('are checked after the JSON is parsed and before its fields are checked', async () => {
    const api = await open()
    const headers = { authorization }
    expect((await api.post('/preview/models', {}, { headers })).status).toBe(401)
    expect((await api.post('/preview/models', '{"a":', { headers })).status).toBe(422)
  })

  it('are refused in the format of the inference host', async () => {
    const api = await open()
    const { status, body } = await api.inference.get('/models', { headers: { authorization } })
    const message = 'Authentication failed'
    const error = { message, type: 'AuthenticationError', param: null, code: 401 }
    expect({ status, body }).toEqual({ status: 401, body: { error } })
  })
})

describeTransports('unknown routes and methods', (open) => {
  it.each([
    ['/preview/modles', 'POST /v1/preview/models'],
    ['/training-jobs/ID', 'GET /v1/preview/training-jobs/{training_job_id}'],
    ['/training-jobs/ID/events', 'GET /v1/preview/training-jobs/{training_job_id}/events'],
    ['/preview/training-jobs/ID/event', 'GET /v1/preview/training-jobs/{training_job_id}/events'],
    ['/preview/model/ID/checkpoints', 'GET /v1/preview/models/{model_id}/checkpoints'],
  ])('of %s are refused, and the journal names the nearest operation', async (path, nearest) => {
    const api = await open()
    const answer = await api.get(path.replace('ID', '0d1f7c1e-93a4-4a53-8d0f-0b9a7f1c2e3d'))
    expect(answer).toMatchObject({ status: 404, body: { detail: 'Not Found' } })
    const entry = api.emulator.journal.entries.at(-1)
    expect(entry).toMatchObject({ hint: `nearest operation: ${nearest}` })
  })

  it('are named by their words if one is left out', async () => {
    const api = await open()
    expect(await api.post('/preview/sft-jobs', {})).toMatchObject({ status: 404 })
    const hint = 'nearest operation: POST /v1/preview/sft-training-jobs'
    expect(api.emulator.journal.entries.at(-1)).toMatchObject({ hint })
  })

  it.each([
    ['/api/v1/chat/completions', '/api/v1'],
    ['/v1beta/openai/chat/completions', '/v1beta/openai'],
    ['/v1/v1/chat/completions', '/v1/v1'],
  ])('of %s name the base path that the client has', async (path, base) => {
    const { emulator } = await open()
    const { origin } = new URL(emulator.inferenceUrl)
    const answer = await emulator.fetch(origin + path, { method: 'POST', headers: jsonHeaders() })
    expect(answer.status).toBe(404)
    expect(emulator.journal.entries.at(-1)).toMatchObject({
      hint: `the client calls POST /v1/chat/completions below ${base}: to answer it there, --intercept takes the address with that path`,
    })
  })

  it('name the other API, with its address, in the log if the call is one of its operations', async () => {
    const { emulator, ...api } = await open()
    const { trainingUrl, inferenceUrl } = emulator
    const lost = await api.inference.post('/preview/models', {})
    expect(lost).toMatchObject({
      status: 404,
      body: { error: { message: 'The requested resource was not found' } },
    })
    // Also if only the method or a slash is wrong.
    for (const path of ['/models', '/models/']) {
      expect(await api.get(path)).toMatchObject({ status: 404, body: { detail: 'Not Found' } })
    }
    const there = `this is the training API, and the call belongs to the inference API, which is at ${inferenceUrl}`
    const hints = emulator.requests.all().map(({ hint }) => hint)
    expect(hints).toEqual([
      `this is the inference API, and the call belongs to the training API, which is at ${trainingUrl}`,
      there,
      there,
    ])
  })

  it('name the method of the first operation of the path', async () => {
    const api = await open()
    const { id } = await createModel(api)
    const wrong = await api.post(`/preview/models/${id}/checkpoints`, {})
    expect(wrong).toMatchObject({ status: 405, body: { detail: 'Method Not Allowed' } })
    expect(wrong.headers.get('allow')).toBe('GET')
    const head = await api.fetch(`${api.emulator.trainingUrl}/health`, { method: 'HEAD' })
    expect(head.status).toBe(405)
  })

  it('redirect a path with an extra slash, and keep method and body', async () => {
    const api = await open()
    const url = `${api.emulator.trainingUrl}/preview/models/?x=1`
    const init = { method: 'POST', headers: jsonHeaders(), body: JSON.stringify(model) }
    const refused = await api.fetch(url, { ...init, redirect: 'manual' })
    expect(refused.status).toBe(307)
    expect(refused.headers.get('location')).toBe(url.replace('/?', '?'))
    expect(await (await api.fetch(url, init)).json()).toMatchObject(model)
  })

  it.each([
    ['/preview/models//', '/preview/models'],
    ['/chat/completions//', '/chat/completions'],
    ['/preview/models%2f', '/preview/models'],
    ['/preview/training-jobs/%c3%a9/', '/preview/training-jobs/%C3%A9'],
    ['/preview/training-jobs/a%3Bb%5eé/', '/preview/training-jobs/a;b%5E%C3%A9'],
    ['/preview/training-jobs/%ff%3f/', '/preview/training-jobs/%EF%BF%BD%3F'],
  ])('redirect %s to %s, as the framework writes it', async (path, location) => {
    const api = await open()
    const { trainingUrl } = api.emulator
    const response = await api.fetch(trainingUrl + path, { redirect: 'manual' })
    expect(response.status).toBe(307)
    expect(response.headers.get('location')).toBe(trainingUrl + location)
  })

  it.each([
    // The other segments of the path are decoded.
    '/%70review/training-jobs/%zz',
    '/preview/training-jobs/%E0%A4%A',
    '/preview/training-jobs/%',
    '/preview/training-jobs/%00',
  ])('treat %s as an id that does not exist', async (path) => {
    const api = await open()
    expect(await api.get(path)).toMatchObject({
      status: 404,
      body: { detail: 'Training job not found' },
    })
  })

  it('are all paths outside the base path', async () => {
    const api = await open({ basePath: '/api/training/' })
    expect(api.emulator.trainingUrl).toMatch(/\/api\/training\/v1$/)
    expect((await api.get('/health')).status).toBe(200)
    const origin = new URL(api.emulator.trainingUrl).origin
    for (const path of ['/v1/health', '/api/trainingx/v1/health', '/']) {
      expect((await api.fetch(origin + path)).status).toBe(404)
    }
  })
})

describeTransports('an invalid request', (open) => {
  it('is refused before the model is looked up', async () => {
    const api = await open()
    const path = '/preview/models/unknown/checkpoints'
    expect((await api.delete(path, { steps: 'all' })).status).toBe(422)
    expect((await api.delete(path, { steps: [] })).status).toBe(404)
  })

  it('is refused with 400 in the format of the inference host', async () => {
    const api = await open()
    const { status, body } = await api.inference.post('/chat/completions', { model: 'x' })
    const message = 'messages: Field required'
    const error = { message, type: 'BadRequestError', param: 'messages', code: 400 }
    expect({ status, body }).toEqual({ status: 400, body: { error } })
  })

  it.each(['[', '{"a":', '[[],'])(
    'is not parsed if it has millions of levels: %s',
    async (part) => {
      const api = await open()
      const body = part.repeat(2_000_000)
      const parse = vi.spyOn(JSON, 'parse')
      onTestFinished(() => parse.mockRestore())
      for (const path of ['/v1/preview/models', '/graphql']) {
        const url = new URL(path, api.emulator.trainingUrl)
        const response = await api.fetch(url, { method: 'POST', headers: jsonHeaders(), body })
        expect({ path, status: response.status }).toEqual({ path, status: 400 })
        await response.text()
      }
      expect(parse.mock.calls.filter(([text]) => text.length === body.length)).toEqual([])
    },
  )

  it.for([
    ['NaN', '{"project": NaN}', 'NaN'],
    ['a float that is too large', '{"project": -1e999}', '-Infinity'],
    ['a half of a surrogate pair', '{"project": ["\\ud800"]}', 'half of a surrogate pair'],
    ['such a half as a key', '{"project": {"\\udc00": 1}}', 'half of a surrogate pair'],
  ] as const)('gets a 500 if the framework cannot print it: %s', async ([, body, what]) => {
    const api = await open()
    const answer = await api.post('/preview/models', body)
    expect(answer).toMatchObject({ status: 500, body: 'Internal Server Error' })
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const { detail, hint } = api.emulator.requests.all().at(-1)!
    expect(detail).toBe(
      `the framework cannot print ${what} in its 422; the service answers 500 (body.project: Input should be a valid string, and 2 more)`,
    )
    expect(hint).toContain('send finite numbers')
  })

  it('does not get a 500 on the inference host, whose error names only the field', async () => {
    const api = await open()
    const answer = await api.inference.post('/chat/completions', '{"model": NaN, "messages": []}')
    expect(answer).toMatchObject({ status: 400, body: { error: { param: 'model' } } })
  })
})
