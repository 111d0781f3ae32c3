import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../../../src/index.js'
import { graphql } from '../../../support/graphql.js'
import { describeTransports, type Api } from '../../../support/transports.js'
import { until } from '../../../support/until.js'
import { withKey } from '../../../support/api-client.js'
import { chat } from '../../../support/trainer.js'

const MODEL = { project: 'p', name: 'm', base_model: 'example/base-8b-instruct' }
const create = (api: Api) => api.post('/preview/models', MODEL)

describeTransports('a status fault', (open) => {
  it('can be an event of a stream, after the first tokens', async () => {
    const fault = { fault: 'status', status: 500, stage: 'mid_body' } as const
    const api = await open({ scenario: { name: 'x', faults: [fault] } })
    const { status, body } = await chat(api.inference, 'Hello.', { stream: true })
    expect(status).toBe(200)
    const [opening, token, failure, ...rest] = (body as string).split('\n\n')
    expect(opening).toContain('"role":"assistant"')
    expect(token).toMatch(/"delta":\{"content":"[^"]+"\}/)
    expect(failure).toMatch(/^data: \{"error":\{"message":"The server had an error/)
    expect(rest).toEqual(['data: [DONE]', ''])
    expect((await chat(api.inference, 'Hello.')).status).toBe(500)
  })

  it('answers only matching calls, in the format of their host', async () => {
    const api = await open({
      scenario: {
        name: 'gateway',
        faults: [{ fault: 'status', status: 503, calls: { to: 2 }, retry_after: '1500ms' }],
      },
    })
    const first = await api.get('/preview/base-models')
    expect(first.status).toBe(503)
    expect(first.body).toEqual({ detail: 'Service Unavailable' })
    expect(first.headers.get('retry-after')).toBe('2')
    expect(first.headers.get('retry-after-ms')).toBe('1500')
    const second = await api.inference.get('/models')
    expect(second.body).toEqual({
      error: {
        message: 'The engine is currently overloaded, please try again later',
        type: 'ServiceUnavailableError',
        param: null,
        code: 503,
      },
    })
    expect((await api.get('/preview/base-models')).status).toBe(200)
  })

  it('matches by operation, host, method, key and model, each with globs', async () => {
    const faults = [
      { match: { operation: ['create*', 'deleteModel'] }, status: 501 },
      { match: { operation: 'listCheckpoints', model: 'po?t' }, status: 502 },
      { match: { key: 'slow-*' }, status: 504 },
      { match: { headers: { 'x-shard': 'b' } }, status: 507 },
    ].map((rule) => ({ fault: 'status' as const, ...rule }))
    const models = [
      { project: 'p', name: 'poet', base_model: 'b' },
      { project: 'p', name: 'painter', base_model: 'b' },
    ]
    const api = await open({ scenario: { name: 'x', faults, models } })
    expect((await create(api)).status).toBe(501)
    expect((await api.get('/preview/base-models')).status).toBe(200)
    await api.emulator.ready()
    for (const { id, name } of api.emulator.db.models.all()) {
      const { status } = await api.get(`/preview/models/${id}/checkpoints`)
      expect(status).toBe(name === 'poet' ? 502 : 200)
    }
    const asSlow = withKey('slow-key')
    expect((await api.get('/health', asSlow)).status).toBe(504)
    const onShard = { headers: { 'X-Shard': 'b' } }
    expect((await api.get('/health', onShard)).status).toBe(507)
  })

  it('leaves out all queries by the id of their operation', async () => {
    const match = { operation: '!platformGraphql' }
    const faults = [{ fault: 'status' as const, status: 503, match }]
    const api = await open({ scenario: { name: 'x', faults } })
    const query = 'query Viewer { viewer { id } }'
    expect((await graphql(api, query)).status).toBe(200)
    expect((await api.get('/health')).status).toBe(503)
  })

  it('counts calls together, or for each operation, key or model', async () => {
    const statuses = async (per: 'all' | 'operation' | 'key'): Promise<number[]> => {
      const fault = { fault: 'status', status: 500, calls: 1, per } as const
      const api = await open({ scenario: { name: 'x', faults: [fault] } })
      const other = withKey('other')
      const answers = [
        await api.get('/health'),
        await api.get('/health'),
        await api.get('/system-check'),
        await api.get('/health', other),
      ]
      return answers.map(({ status }) => status)
    }
    expect(await statuses('all')).toEqual([500, 200, 200, 200])
    expect(await statuses('operation')).toEqual([500, 200, 500, 200])
    expect(await statuses('key')).toEqual([500, 200, 200, 500])
  })

  it('is active only in its time window', async () => {
    const fault = { fault: 'status', status: 503, during: { from: '10s', to: '20s' } } as const
    const api = await open({ scenario: { name: 'maintenance', faults: [fault] } })
    const seen: number[] = []
    for (let poll = 0; poll < 5; poll++) {
      seen.push((await api.get('/health')).status)
      api.emulator.clock.advance('5s')
    }
    expect(seen).toEqual([200, 200, 503, 503, 200])
  })

  it('can come after the work, so that only the answer is lost', async () => {
    const match = { operation: 'createModel' }
    const fault = { fault: 'status', status: 504, stage: 'after', calls: 1, match } as const
    const api = await open({ scenario: { name: 'x', faults: [fault] } })
    expect((await create(api)).status).toBe(504)
    expect((await create(api)).status).toBe(409)
  })

  it('can have any status and body', async () => {
    const faults = [
      { fault: 'status', status: 529, calls: 1, body: { oops: true }, headers: { 'x-a': '1' } },
      { fault: 'status', status: 418, message: 'short and stout' },
    ] as const
    const api = await open({ scenario: { name: 'x', faults: [...faults] } })
    const first = await api.get('/health')
    expect([first.status, first.body, first.headers.get('x-a')]).toEqual([529, { oops: true }, '1'])
    expect((await api.get('/health')).body).toEqual({ detail: 'short and stout' })
  })
})

describeTransports('a dropped connection', (open) => {
  it('before the work changes nothing, and after the work keeps the change', async () => {
    const match = { operation: 'createModel' }
    const faults = [
      { fault: 'drop' as const, match, calls: 1 },
      { fault: 'drop' as const, stage: 'after' as const, match, calls: 2 },
    ]
    const api = await open({ scenario: { name: 'x', faults } })
    await expect(create(api)).rejects.toThrow(/fetch failed|Failed to fetch/)
    expect(api.emulator.db.models.count()).toBe(0)
    await expect(create(api)).rejects.toThrow(/fetch failed|Failed to fetch/)
    expect(api.emulator.db.models.count()).toBe(1)
    expect((await create(api)).status).toBe(409)
  })

  it('in the middle of an answer never looks complete', async () => {
    const fault = { fault: 'drop', stage: 'mid_body' } as const
    const api = await open({ scenario: { name: 'x', faults: [fault] } })
    const read = async (): Promise<string> => {
      const response = await api.fetch(`${api.emulator.trainingUrl}/preview/base-models`)
      expect(response.status).toBe(200)
      return response.text()
    }
    // MSW 3 may lose the connection before fetch has seen the head of the answer.
    await expect(read()).rejects.toThrow(/^(?:terminated|fetch failed)$/)
    expect(api.emulator.requests.all()).toMatchObject([{ status: 200, lost: 'disconnect' }])
  })
})

describeTransports('a hanging response', (open) => {
  it('ends when the world closes', async () => {
    const api = await open({ scenario: { name: 'x', faults: [{ fault: 'hang' }] } })
    const { journal } = api.emulator
    const waiting = api.get('/health')
    const hangs = () => journal.entries.some((entry) => 'lost' in entry && entry.lost === 'hang')
    await until('a call hangs', hangs)
    api.emulator.reset()
    await expect(waiting).rejects.toThrow(/fetch failed|Failed to fetch/)
  })
})

describeTransports('a delayed response', (open) => {
  /** An answer that waits for 30 seconds. */
  const delayed = async () => {
    const faults = [{ fault: 'delay' as const, delay: '30s' }]
    const { emulator, get } = await open({ scenario: { name: 'slow', faults } })
    const answer = get('/health')
    await until('the clock has a task', () => emulator.clock.pending > 0)
    return { emulator, answer }
  }

  it('waits for its time with a manual clock', async () => {
    const { emulator, answer } = await delayed()
    let answered = false
    void answer.finally(() => (answered = true))
    emulator.clock.advance('29s')
    await new Promise(setImmediate)
    expect(answered).toBe(false)
    emulator.clock.advance('1s')
    expect((await answer).status).toBe(200)
  })

  it('comes after a change from a manual to another clock', async () => {
    const { emulator, answer } = await delayed()
    emulator.useClock('auto')
    expect((await answer).status).toBe(200)
  })

  it('breaks off when the world closes', async () => {
    const { emulator, answer } = await delayed()
    emulator.reset()
    await expect(answer).rejects.toThrow(/fetch failed|Failed to fetch/)
  })

  it('has the same delay for the same seed, within its bounds', async () => {
    const delays = async (seed: number): Promise<number[]> => {
      const faults = [
        { match: { method: 'GET' as const }, delay: { from: '1s', to: '3s' } },
        { match: { method: 'POST' as const }, delay: { median: '100ms', p99: '2s' } },
      ].map((rule) => ({ fault: 'delay' as const, ...rule }))
      const api = await open({ scenario: { name: 'x', faults }, clock: 'auto', seed })
      const { clock } = api.emulator
      const taken: number[] = []
      for (let call = 0; call < 20; call++) {
        const before = clock.now()
        await (call < 10 ? api.get('/health') : api.post('/chat/completions', {}))
        taken.push(clock.now() - before)
      }
      return taken
    }
    const first = await delays(1)
    expect(await delays(1)).toEqual(first)
    expect(await delays(2)).not.toEqual(first)
    for (const ms of first.slice(0, 10)) expect(ms >= 1000 && ms <= 3000).toBe(true)
    for (const ms of first.slice(10)) expect(ms > 0 && ms < 20_000).toBe(true)
  })
})

describeTransports('a malformed response', (open) => {
  it.each([
    ['truncated', 'application/json', /^\["example\/base-8b-inst/],
    ['not_json', 'text/plain; charset=utf-8', /^upstream connect error/],
    ['empty', 'application/json', /^$/],
    ['html', 'text/html; charset=utf-8', /^<html>/],
  ] as const)('is %s', async (form, type, text) => {
    const faults = [{ fault: 'malformed' as const, form }]
    const api = await open({ scenario: { name: 'x', faults } })
    const response = await api.fetch(`${api.emulator.trainingUrl}/preview/base-models`)
    expect(response.headers.get('content-type')).toBe(type)
    const body = await response.text()
    expect(body).toMatch(text)
    expect(() => JSON.parse(body) as unknown).toThrow(SyntaxError)
  })

  it('can have another content type', async () => {
    const faults = [{ fault: 'content_type' as const, content_type: 'text/plain' }]
    const api = await open({ scenario: { name: 'x', faults } })
    const { headers, body } = await api.get('/preview/base-models')
    expect(headers.get('content-type')).toBe('text/plain')
    expect(JSON.parse(body as string)).toContain('example/base-8b-instruct')
  })

  it('can arrive slowly, and is complete at the end, with any characters', async () => {
    const faults = [{ fault: 'trickle' as const, bytes: 3, every: '1s' }]
    const base_models = ['żółć-😀-模型']
    const scenario = { name: 'x', faults, base_models }
    const api = await open({ scenario, clock: 'auto' })
    const before = api.emulator.clock.now()
    const { body, headers } = await api.get('/preview/base-models')
    expect(body).toEqual(base_models)
    expect(headers.get('content-length')).toBe(
      String(Buffer.byteLength(JSON.stringify(base_models))),
    )
    expect(api.emulator.clock.now() - before).toBe(4000)
  })
})

describe('an operation that no call has', () => {
  const add = (operation: string | string[]) =>
    createEmulator().faults.add({ fault: 'hang', match: { operation } })

  it.each([
    'createTrainingJob',
    '!createModl',
    'list*Job',
    'createModel.Viewer',
    '{createModl,list*Job}',
    ['createModel', 'x'],
  ])('is refused: %s', (operation) => {
    expect(() => add(operation)).toThrow(/match\.operation.* is not allowed here/)
  })

  it.each([
    'create{Model,RlTrainingJob}',
    '!deleteModel',
    'platformGraphql.Own*',
    '*.CommitArtifact',
    '*CommitArtifact',
    'plat*Artifact',
    '{createModel,platformGraphql.CommitArtifact}',
  ])('is not this one: %s', (operation) => {
    expect(() => add(operation)).not.toThrow()
  })
})
