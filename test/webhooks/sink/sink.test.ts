import { setupServer } from 'msw/node'
import { describe, expect, it, onTestFinished } from 'vitest'
import { milliseconds } from '../../../src/base/text/duration.js'
import { JSON_BOUNDS } from '../../../src/base/text/json-text.js'
import { sinkHandler } from '../../../src/msw.js'
import {
  createEmulator,
  createWebhookSink,
  type SinkError,
  type WebhookSink,
  type WebhookSinkOptions,
} from '../../../src/index.js'
import { secret, signed } from '../sending/sender.js'

const forms = {
  'in process': (sink: WebhookSink) => Promise.resolve(sink.fetch),
  'on a port': async (sink: WebhookSink) => {
    await sink.listen()
    onTestFinished(() => sink.close())
    return fetch
  },
  'by MSW': (sink: WebhookSink) => {
    const server = setupServer(sinkHandler(sink, { url: `${sink.url}/hooks` }))
    server.listen({ onUnhandledRequest: 'error' })
    onTestFinished(() => server.close())
    return Promise.resolve(fetch)
  },
} as const

describe.each(Object.keys(forms) as (keyof typeof forms)[])('the sink %s', (form) => {
  async function open(options: WebhookSinkOptions = {}) {
    const sink = createWebhookSink({ secrets: secret, ...options })
    const send = await forms[form](sink)
    return {
      sink,
      send: (init: RequestInit, path = '/hooks/mine?x=1') => send(sink.url + path, init),
    }
  }

  it('records each delivery with its verdict', async () => {
    const { sink, send } = await open()
    const answer = await send(signed({ event_type: 'RUN_STATE', n: 1 }))
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ id: '1', verdict: 'valid' })
    const [delivery] = sink.deliveries
    expect(delivery).toMatchObject({
      id: '1',
      method: 'POST',
      path: '/hooks/mine',
      query: 'x=1',
      text: '{"event_type":"RUN_STATE","n":1}',
      body: { event_type: 'RUN_STATE', n: 1 },
      event: 'RUN_STATE',
      verdict: 'valid',
      secret: 'the secret',
      problems: [],
    })
    expect(delivery!.headers['content-type']).toBe('application/json')
  })

  it('answers 500 if a function of a scripted answer fails, and then goes on', async () => {
    const { sink, send } = await open()
    const errors: string[] = []
    sink.subscribeToErrors((text) => errors.push(text.split('\n', 1)[0]!))
    const fail = (): never => {
      throw new TypeError('the cause of it')
    }
    const script = sink.answer({ match: fail, status: 503 })
    const answer = await send(signed({}))
    const error = 'Failed to receive POST /hooks/mine: TypeError: the cause of it'
    expect(answer.status).toBe(500)
    expect(await answer.json()).toEqual({ error })
    expect(errors).toEqual([error])
    script.remove()
    expect((await send(signed({}))).status).toBe(200)
  })

  it('gives the error of a function to the one who waits, not to the sender', async () => {
    const { sink, send } = await open()
    const waited = sink.waitFor(() => {
      throw new TypeError('the cause of it')
    })
    const failed = waited.catch((error: unknown) => error)
    expect((await send(signed({}))).status).toBe(200)
    expect(await failed).toEqual(new TypeError('the cause of it'))
  })

  it('keeps the received bytes', async () => {
    const { sink, send } = await open()
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
    await send({ method: 'POST', body: bytes })
    const { raw, body, verdict } = sink.deliveries[0]!
    expect(Uint8Array.from(raw)).toEqual(bytes)
    expect({ body, verdict }).toEqual({ body: undefined, verdict: 'missing' })
  })

  it('accepts invalid deliveries, and tells the sender the reason', async () => {
    const { sink, send } = await open({ token: 'my-token' })
    const init = signed({}, { 'x-service-signature': '0'.repeat(64), 'content-type': 'text/plain' })
    const answer = await send(init)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({
      id: '1',
      verdict: 'invalid',
      diagnosis:
        'The secrets that are given here make no such signature of these bytes, nor of a usual change of them: check the secret, what changes the body on the way, and whether a time or an id is signed that is not sent.',
      problems: [
        'there is no access token',
        'the content type is text/plain; expected application/json',
      ],
    })
    expect(sink.deliveries[0]!.diagnosis!.codes).toEqual(['unexplained'])
  })

  it.each([
    ['application/JSON', 'application/json; charset=utf-8', []],
    ['text/plain; charset=UTF-8', 'text/plain; charset=utf-8', []],
    ['text/plain; charset=utf-8', 'text/plain', ['text/plain; expected text/plain; charset=utf-8']],
  ])('expects the content type %j, and gets %j', async (contentType, type, problems) => {
    const { sink, send } = await open({ contentType })
    await send(signed({}, { 'content-type': type }))
    const found = problems.map((each) => `the content type is ${each}`)
    expect(sink.deliveries[0]!.problems).toEqual(found)
  })

  it('refuses invalid deliveries if it is strict', async () => {
    const { send } = await open({ token: 'my-token', strict: true })
    const authorization = 'Bearer my-token'
    const statuses = [
      signed({}, { authorization }),
      signed({}, { authorization, 'x-service-signature': 'no' }),
      signed({}, { authorization: 'Bearer other' }),
      signed({}, { authorization, 'content-type': 'text/plain' }),
    ].map(async (init) => (await send(init)).status)
    expect(await Promise.all(statuses)).toEqual([200, 401, 401, 415])
  })

  it('answers by its rules: fails twice, is gone for one event, then accepts', async () => {
    const { sink, send } = await open()
    const failing = sink.answer({ status: 503, times: 2, headers: { 'retry-after': '1' } })
    const headers = { 'Content-Type': 'text/html' }
    sink.answer({ status: 410, match: { event: 'OLD' }, body: 'gone', headers })
    const answers = []
    for (const event_type of ['A', 'OLD', 'OLD', 'A']) {
      answers.push(await send(signed({ event_type })))
    }
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 410, 200])
    expect(answers[0]!.headers.get('retry-after')).toBe('1')
    expect(await answers[2]!.text()).toBe('gone')
    expect(answers[2]!.headers.get('content-type')).toBe('text/html')
    expect(failing.used).toBe(2)
  })

  it('drops the connection if a rule says so', async () => {
    const { sink, send } = await open()
    const drop = sink.answer({ drop: true })
    await expect(send(signed({}))).rejects.toThrow(TypeError)
    drop.remove()
    expect((await send(signed({}))).status).toBe(200)
    expect(sink.deliveries).toHaveLength(2)
  })
})

describe('GET /_sink/ready', () => {
  it('counts what was received, and leaves no trace', async () => {
    const emulator = createEmulator()
    const sink = emulator.createSink()
    onTestFinished(() => sink.close())
    await sink.listen()
    const probes: string[] = []
    sink.subscribeToProbes(({ path }) => void probes.push(path))
    const ready = `${sink.url}/_sink/ready`
    const none = { valid: 0, invalid: 0, missing: 0, unverifiable: 0 }
    const answer = await fetch(ready)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ ready: true, received: 0, recorded: 0, ...none })
    expect((await fetch(ready, { method: 'HEAD' })).status).toBe(200)

    await fetch(`${sink.url}/hook`, { method: 'POST', body: '{}' })
    const after = (await (await fetch(`${ready}?x=1`)).json()) as Record<string, unknown>
    expect(after).toMatchObject({ ready: true, received: 1, recorded: 1 })
    expect(sink.deliveries).toHaveLength(1)
    expect(probes).toEqual([])
    expect(emulator.journal.entries.filter(({ kind }) => kind === 'note')).toEqual([])
  })

  it('does not take the path from receivers', async () => {
    const sink = createWebhookSink({ secrets: secret })
    const path = `${sink.url}/_sink/ready`
    const posted = await sink.fetch(path, signed({ event_type: 'RUN_STATE' }))
    expect(await posted.json()).toMatchObject({ id: '1', verdict: 'valid' })
    expect(sink.deliveries[0]).toMatchObject({ path: '/_sink/ready', verdict: 'valid' })
    const counts = (await (await sink.fetch(path)).json()) as Record<string, unknown>
    expect(counts).toMatchObject({ received: 1, valid: 1 })
  })
})

describe('a probe', () => {
  it.each(['GET', 'HEAD', 'OPTIONS'])(
    'by %s is answered, and is not a delivery',
    async (method) => {
      const sink = createWebhookSink({ secrets: secret, strict: true, token: 'my-token' })
      sink.answer({ status: 503 })
      const answer = await sink.fetch(`${sink.url}/health`, { method })
      expect(answer.status).toBe(200)
      const text = await answer.text()
      if (method !== 'HEAD') expect(JSON.parse(text)).toMatchObject({ ready: true, received: 0 })
      expect(sink.deliveries).toEqual([])
      await sink.fetch(sink.url, signed({}))
      expect(sink.deliveries.map(({ id }) => id)).toEqual(['1'])
    },
  )

  it('is announced once, until a delivery arrives', async () => {
    const emulator = createEmulator({ clock: 'manual' })
    const sink = createWebhookSink({ secrets: secret, emulator })
    const probes: string[] = []
    const unsubscribe = sink.subscribeToProbes(({ method, path }) => {
      probes.push(`${method} ${path}`)
    })
    const probe = (path: string) => sink.fetch(sink.url + path)
    for (const path of ['/', '/', '/ready']) await probe(path)
    await sink.fetch(sink.url, signed({}))
    await probe('/ready')
    expect(probes).toEqual(['GET /', 'GET /ready', 'GET /ready'])
    expect(emulator.trace()).toContain(
      'webhook sink: GET /ready: a probe, not recorded as a delivery',
    )
    unsubscribe()
    await probe('/')
    expect(probes).toHaveLength(3)
  })

  it('has neither a body nor a signature: anything else is a delivery', async () => {
    const sink = createWebhookSink({ secrets: secret })
    await sink.fetch(sink.url, { headers: { 'X-Service-Signature': 'x' } })
    await sink.fetch(sink.url, { method: 'PUT' })
    await sink.fetch(sink.url, { method: 'POST' })
    expect(sink.deliveries.map(({ method }) => method)).toEqual(['GET', 'PUT', 'POST'])
    expect(sink.deliveries[0]!.problems).toEqual([
      'the method is GET; expected POST',
      'there is no content type; expected application/json',
    ])
  })
})

describe('duplicate deliveries', () => {
  it('have the same delivery id, and equal bytes without an id are no duplicates', async () => {
    const sink = createWebhookSink({ secrets: secret })
    const sent = [
      signed({ n: 1 }),
      signed({ n: 2 }),
      signed({ n: 1 }),
      signed({ n: 1 }, { 'webhook-id': 'a' }),
      signed({ n: 3 }, { 'webhook-id': 'a' }),
      signed({ n: 3 }),
    ]
    for (const init of sent) await sink.fetch(sink.url, init)
    expect(sink.deliveries.map(String)).toEqual([
      '1: POST /, valid',
      '2: POST /, valid',
      '3: POST /, valid, same bytes as 1',
      '4: POST /, valid',
      '5: POST /, valid, duplicate of 4',
      '6: POST /, valid',
    ])
    expect(sink.deliveries[2]!.toJSON()).toMatchObject({ duplicateOf: undefined, sameBytesAs: '1' })
    expect(JSON.parse(sink.deliveries[4]!.toLine())).toMatchObject({ duplicateOf: '4' })
    expect(sink.matching({ duplicate: true }).map(({ id }) => id)).toEqual(['5'])
  })

  it.each(['X-Delivery', 'Constructor'])('are found by the header %s', async (idHeader) => {
    const sink = createWebhookSink({ secrets: secret, idHeader })
    for (const id of ['a', 'b', 'a']) {
      await sink.fetch(sink.url, signed({ n: 1 }, { [idHeader]: id }))
    }
    for (const n of [2, 3]) await sink.fetch(sink.url, signed({ n }))
    const found = sink.deliveries.map(({ duplicateOf }) => duplicateOf)
    expect(found).toEqual([undefined, undefined, '1', undefined, undefined])
  })

  it('are not found in different bytes that decode to the same text', async () => {
    const sink = createWebhookSink()
    for (const byte of [0xff, 0xfe, 0xff]) {
      await sink.fetch(sink.url, { method: 'POST', body: Uint8Array.of(byte) })
    }
    const found = sink.deliveries.map(({ sameBytesAs }) => sameBytesAs)
    expect(found).toEqual([undefined, undefined, '1'])
  })

  it('are found in the same way in long bodies', async () => {
    const sink = createWebhookSink()
    const [one = '', other = ''] = ['a', 'b'].map((text) =>
      JSON.stringify(text.repeat(JSON_BOUNDS.characters)),
    )
    for (const body of [one, other, one]) await sink.fetch(sink.url, { method: 'POST', body })
    const found = sink.deliveries.map(({ sameBytesAs }) => sameBytesAs)
    expect(found).toEqual([undefined, undefined, '1'])
  })
})

describe('waiting for deliveries', () => {
  it('returns the matching deliveries as soon as there are enough', async () => {
    const sink = createWebhookSink({ secrets: secret })
    const waiting = sink.waitFor({ event: 'RUN_*', body: { n: expect.any(Number) } }, { count: 2 })
    for (const event_type of ['RUN_STATE', 'OTHER', 'RUN_METRIC']) {
      await sink.fetch(sink.url, signed({ event_type, n: 1 }))
    }
    expect((await waiting).map(({ id }) => id)).toEqual(['1', '3'])
    expect(sink.matching({ event: '!RUN_STATE' }).map(({ id }) => id)).toEqual(['2', '3'])
  })

  it('reports the nearest delivery, and how it differs', async () => {
    const sink = createWebhookSink({ secrets: secret })
    await sink.fetch(
      `${sink.url}/hook`,
      signed({ event_type: 'RUN_STATE', state: { is: 'failed' } }),
    )
    await sink.fetch(`${sink.url}/hook`, signed({ event_type: 'OTHER' }))
    const match = {
      event: 'RUN_STATE',
      verdict: 'valid',
      body: { state: { is: 'finished' } },
    } as const
    await expect(sink.waitFor(match, { timeout: 1 })).rejects.toMatchObject({
      code: 'SVTRAIN_NOT_RECEIVED',
      message: [
        'Failed to receive a delivery like { event: "RUN_STATE", verdict: "valid", body: { state: { is: "finished" } } } in time (1): 0 of 2 received match.',
        'The nearest is 1: POST /hook, RUN_STATE, valid',
        '  body.state.is: expected "finished", received "failed"',
      ].join('\n'),
    })
  })

  it('says that a virtual clock had nothing to do, while other work goes on', async () => {
    const emulator = createEmulator({ clock: 'auto' })
    const sink = createWebhookSink({ secrets: secret, emulator })
    const work = setTimeout(() => {}, 60_000)
    onTestFinished(() => clearTimeout(work))
    await expect(sink.waitFor({}, { timeout: '10m' })).rejects.toThrow(
      'Failed to receive a delivery like {} in 4s of real time, in which the clock had nothing to do: 0 of 0',
    )
  })

  it('follows the clock of an emulator, so that virtual hours take no time', async () => {
    const emulator = createEmulator({ clock: 'auto' })
    const sink = createWebhookSink({ secrets: secret, emulator })
    emulator.clock.at(emulator.clock.now() + 3_600_000, () => {
      void sink.fetch(sink.url, signed({ event_type: 'LATE' }))
    })
    const [delivery] = await sink.waitFor({ event: 'LATE' }, { timeout: '2h' })
    expect(new Date(delivery!.at).toISOString()).toBe('2026-01-01T01:00:00.000Z')
    await expect(sink.expectNone({ event: 'LATE' })).rejects.toMatchObject({
      code: 'SVTRAIN_UNEXPECTED_DELIVERY',
      message: 'Expected no delivery like { event: "LATE" }, got 1:\n  1: POST /, LATE, valid',
    })
  })

  it('lists the first deliveries of many that were not expected', async () => {
    const sink = createWebhookSink({ secrets: secret })
    for (let count = 0; count < 13; count++) {
      await sink.fetch(sink.url, signed({ event_type: 'LATE' }))
    }
    const { message } = (await sink.expectNone().catch((error: unknown) => error)) as Error
    expect(message).toMatch(/^Expected no delivery like \{\}, got 13:\n/)
    expect(message.split('\n').slice(10)).toEqual([
      '  10: POST /, LATE, valid, same bytes as 1',
      '  … and 3 more',
    ])
  })

  it('ends at its timeout', async () => {
    const emulator = createEmulator({ clock: 'auto' })
    const sink = createWebhookSink({ emulator })
    const start = emulator.clock.now()
    emulator.clock.at(start + 3_600_000, () => void sink.fetch(sink.url, signed({})))
    await expect(sink.waitFor({}, { timeout: '10m' })).rejects.toThrow(
      /Nothing was received at all/,
    )
    expect(emulator.clock.now() - start).toBe(600_000)
    await sink.expectNone({}, { within: '1m' })
    expect(emulator.clock.now() - start).toBe(660_000)
  })

  it('reports that a manual clock stands still', async () => {
    const emulator = createEmulator({ clock: 'manual' })
    const sink = createWebhookSink({ emulator })
    emulator.clock.at(emulator.clock.now() + 1, () => void sink.fetch(sink.url, signed({})))
    const waiting = sink.waitFor()
    emulator.clock.advance(1)
    await waiting
    emulator.clock.at(emulator.clock.now() + 1, () => {})
    await expect(sink.waitFor({ event: 'X' }, { timeout: 0 })).rejects.toThrow(
      'The clock is manual and stands at 2026-01-01T00:00:00.001Z, with 1 task scheduled later:',
    )
  })

  it('goes on as long as scheduled tasks lead to calls, however much real time that takes', async () => {
    const emulator = createEmulator({ clock: 'auto' })
    const sink = createWebhookSink({ emulator })
    const start = emulator.clock.now()
    const send = (at: string, event_type: string): void => {
      const body = JSON.stringify({ event_type })
      emulator.clock.at(start + milliseconds(at), () => void sink.fetch(sink.url, signed(body)))
    }
    for (let minute = 1; minute <= 30; minute++) send(`${minute}m`, 'OTHER')
    send('45m', 'LATE')
    await sink.expectNone({ event: 'LATE' }, { within: '44m' })
    expect(emulator.clock.now() - start).toBe(44 * 60_000)
    await expect(sink.expectNone({ event: 'LATE' }, { within: '1h' })).rejects.toThrow(
      'Expected no delivery like { event: "LATE" }, got 1:\n  31: POST /, LATE, ',
    )
  })

  it('takes at most as much real time as virtual time, if the clock stands still', async () => {
    const sink = createWebhookSink({ emulator: createEmulator({ clock: 'manual' }) })
    const missed = sink
      .waitFor({}, { timeout: 10 })
      .catch((error: unknown) => (error as SinkError).code)
    const late = new Promise((resolve) => void setTimeout(resolve, 2_000, 'still waiting'))
    expect(await Promise.race([missed, late])).toBe('SVTRAIN_NOT_RECEIVED')
  })

  it('returns matching deliveries even if the sink has dropped them since', async () => {
    const sink = createWebhookSink({ capacity: 1 })
    const waiting = sink.waitFor({}, { count: 2 })
    for (const n of [1, 2]) await sink.fetch(sink.url, signed({ n }))
    expect((await waiting).map(({ id }) => id)).toEqual(['1', '2'])
    const none = sink.expectNone({ body: { n: 3 } }, { within: '1s' })
    for (const n of [3, 4]) void sink.fetch(sink.url, signed({ n }))
    await expect(none).rejects.toThrow('got 1:\n  3: POST /')
  })

  it('starts again after a clear', async () => {
    const sink = createWebhookSink()
    const waiting = sink.waitFor({}, { count: 2 })
    await sink.fetch(sink.url, signed({ n: 1 }))
    sink.clear()
    for (const n of [2, 3]) await sink.fetch(sink.url, signed({ n }))
    expect((await waiting).map(({ id }) => id)).toEqual(['2', '3'])
  })

  it.each(['RUN_STAT', 'run_state', 'RUN-STATE', 'LINK_ARTEFACT'])(
    'refuses the mistyped event %s at once, and suggests the right one',
    async (event) => {
      const sink = createWebhookSink()
      const why = /option "event" is ".*", which is not an event\. Did you mean/
      await expect(sink.waitFor({ event })).rejects.toThrow(why)
      await expect(sink.expectNone({ event })).rejects.toThrow(why)
      expect(() => sink.matching({ event })).toThrow(why)
      expect(sink.matching({ event: 'RUN_*' })).toEqual([])
      expect(sink.matching({ event: 'my own payload' })).toEqual([])
    },
  )
})

it('a sink keeps only the latest deliveries, and removes all of them on a clear', async () => {
  const sink = createWebhookSink({ capacity: 2 })
  for (let n = 1; n <= 5; n++) await sink.fetch(sink.url, signed({ n }))
  expect(sink.deliveries.map(({ id }) => id)).toEqual(['4', '5'])
  await sink.fetch(sink.url, signed({ n: 1 }))
  expect(sink.deliveries.at(-1)!.sameBytesAs).toBeUndefined()
  sink.clear()
  expect(sink.deliveries).toEqual([])
})

it('a sink forwards deliveries byte for byte, and returns the answers', async () => {
  const receiver = createWebhookSink({ secrets: secret })
  onTestFinished(() => receiver.close())
  await receiver.listen()
  receiver.answer({ status: 418, times: 1, body: 'no coffee' })
  const sink = createWebhookSink({ secrets: secret, forwardTo: `${receiver.url}/app` })
  const told: string[] = []
  sink.subscribeToErrors((text) => told.push(text))
  const body = '{ "n": "é" }\r\n'
  const answer = await sink.fetch(`${sink.url}/hook`, signed(body))
  expect([answer.status, await answer.text()]).toEqual([418, 'no coffee'])
  expect(receiver.deliveries[0]).toMatchObject({ path: '/app', text: body, verdict: 'valid' })
  receiver.answer({ drop: true, times: 1 })
  const lost = await sink.fetch(sink.url, signed(body))
  expect(lost.status).toBe(502)
  expect(sink.deliveries).toHaveLength(2)
  expect(told).toEqual([
    'Delivery 1 was forwarded, and answered with 418.',
    'Delivery 2 was forwarded, and answered with 502: other side closed.',
  ])
})
