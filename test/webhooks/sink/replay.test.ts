import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createWebhookSink } from '../../../src/compose/create-sink.js'
import { matchesFilters, readFilter } from '../../../src/webhooks/sink/delivery-filter.js'
import {
  headersAgain,
  readDeliveries,
  type RecordedDelivery,
} from '../../../src/webhooks/sink/replay.js'
import { verify } from '../../../src/webhooks/signature/verify.js'
import { sign } from '../../../src/webhooks/signature/signature.js'
import { standardHeaders } from '../../../src/webhooks/signature/standard-headers.js'

const secret = 's3cret'
const moment = new Date('2026-01-01T00:00:00Z')

/** The records of these bodies, as a sink writes them. */
async function recorded(
  ...sent: { body: string | Uint8Array; headers?: Record<string, string>; path?: string }[]
): Promise<string> {
  const sink = createWebhookSink({ secrets: secret })
  for (const { body, headers, path = '/hook' } of sent) {
    await sink.fetch(sink.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: body as BodyInit,
    })
  }
  return sink.deliveries.map((delivery) => `${delivery.toLine()}\n`).join('')
}

async function read(text: string): Promise<RecordedDelivery[]> {
  return readDeliveries(text, 'deliveries.ndjson')
}

describe('readDeliveries', () => {
  it('returns the bytes as they arrived', async () => {
    const bodies = [
      '{"event_type": "RUN_STATE",\r\n "n": 1.0}',
      '\uFEFF{"a": "ü"}',
      Uint8Array.of(0xff, 0xfe, 0, 1),
      '',
    ]
    const text = await recorded(...bodies.map((body) => ({ body })))
    const deliveries = await read(text)
    expect(deliveries.map(({ id }) => id)).toEqual(['1', '2', '3', '4'])
    for (const [index, body] of bodies.entries()) {
      const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
      expect([...deliveries[index]!.body]).toEqual([...bytes])
    }
    expect(deliveries[0]).toMatchObject({ event: 'RUN_STATE', method: 'POST', path: '/hook' })
  })

  it('reads records without the fields of newer versions', async () => {
    const line =
      '{"id":"7","method":"POST","path":"/","verdict":"valid","headers":{"x-service-signature":"ab"},"text":"{}"}'
    expect(await read(line)).toMatchObject([{ id: '7', at: undefined, deliveryId: undefined }])
  })

  it.each([
    [
      '{"id":"2","te',
      'Line 2 of deliveries.ndjson is not JSON: {"id":"2","te. It may be an incomplete record: remove the line. Nothing was sent.',
    ],
    ['torn\n', 'Line 2 of deliveries.ndjson is not JSON: torn. Nothing was sent.'],
    [
      '{"type":"request","id":1}',
      'Line 2 of deliveries.ndjson is not a delivery that the sink recorded: it has no "id"',
    ],
    ['{"id":"2","headers":{}}', 'it has no "text" or "base64"'],
    ['{"id":"2","text":""}', 'it has no "headers"'],
    ['[1]', 'it has no "id"'],
  ])('refuses the line %j', async (line, message) => {
    const text = await recorded({ body: '{}' })
    expect(() => readDeliveries(text + line, 'deliveries.ndjson')).toThrow(message)
  })
})

describe('filters', () => {
  const saved: RecordedDelivery = {
    id: '5',
    at: Date.parse('2026-01-01T10:00:00Z'),
    method: 'POST',
    path: '/hooks/one',
    event: 'RUN_STATE',
    verdict: 'valid',
    deliveryId: 'abc',
    headers: {},
    body: new Uint8Array(),
  }

  it.each([
    [['event=RUN_STATE'], true],
    [['event=RUN_*'], true],
    [['event=RUN_METRIC'], false],
    [['event=RUN_METRIC', 'event=RUN_STATE'], true],
    [['event=RUN_STATE', 'verdict=invalid'], false],
    [['record=5'], true],
    [['record=3-7'], true],
    [['record=6-7'], false],
    [['record=5-5'], true],
    [['delivery=abc'], true],
    [['path=/hooks/*'], true],
    [['after=2026-01-01', 'before=2026-01-02'], true],
    [['after=2026-01-01T10:00:01Z'], false],
    [[], true],
  ])('%j match: %j', (filters, matches) => {
    expect(matchesFilters(saved, filters.map(readFilter))).toBe(matches)
  })

  it.each([
    ['events=x', '--filter has no name "events". Did you mean "event"? There are: event, verdict,'],
    ['RUN_STATE', '--filter has no name "RUN_STATE".'],
    ['event=', '--filter event takes a value: event=RUN_STATE.'],
    ['verdict=bad', '--filter verdict takes valid, missing, invalid, unverifiable, not "bad".'],
    ['verdict=vaild', 'not "vaild". Did you mean "valid"?'],
    ['record=a', '--filter record takes record=3-7, not "a".'],
    ['record=7-3', '--filter record takes record=3-7, not "7-3".'],
    ['after=yesterday', '--filter after takes after=2026-11-22T10:00:00Z, not "yesterday".'],
    ['after=5', '--filter after takes after=2026-11-22T10:00:00Z, not "5".'],
    ['before=2026-11-22T10:00:00', 'not "2026-11-22T10:00:00".'],
  ])('refuse %j', (text, message) => {
    expect(() => readFilter(text)).toThrow(message)
  })
})

describe('headersAgain', () => {
  it('returns the recorded headers, without the cut access token', async () => {
    const signature = await sign('{}', secret)
    const [saved] = await read(
      await recorded({
        body: '{}',
        headers: { Authorization: 'Bearer t0ken', 'X-Service-Signature': signature },
      }),
    )
    const headers = await headersAgain(saved!, {})
    expect(headers).toMatchObject({ 'x-service-signature': signature })
    expect(headers).not.toHaveProperty('authorization')
    expect(await headersAgain(saved!, { token: 'new' })).toMatchObject({
      authorization: 'Bearer new',
    })
  })

  it('signs again, in the form of the recorded signature', async () => {
    const old = await sign('{}', 'old', { prefix: 'sha256=', encoding: 'base64' })
    const [saved] = await read(
      await recorded({ body: '{}', headers: { 'X-Service-Signature': old } }),
    )
    const headers = await headersAgain(saved!, { resign: { secret, moment } })
    expect(headers['x-service-signature']).toBe(
      await sign('{}', secret, { prefix: 'sha256=', encoding: 'base64' }),
    )
    const hex = await headersAgain(saved!, {
      resign: { secret, moment, prefix: '', encoding: 'hex' },
    })
    expect(hex['x-service-signature']).toBe(await sign('{}', secret))
  })

  it('signs a delivery without a signature', async () => {
    const [saved] = await read(await recorded({ body: '{"a":1}' }))
    const headers = await headersAgain(saved!, { resign: { secret, moment } })
    const { verdict } = await verify({ body: '{"a":1}', headers }, { secrets: secret })
    expect(verdict).toBe('valid')
  })

  it('gives the timestamped form a new time and keeps its id', async () => {
    const stamped = await standardHeaders({
      secret: 'old',
      id: 'msg_1',
      body: new TextEncoder().encode('{}'),
      moment: new Date('2020-01-01T00:00:00Z'),
    })
    const [saved] = await read(await recorded({ body: '{}', headers: stamped }))
    expect(await headersAgain(saved!, {})).toMatchObject(stamped)
    const headers = await headersAgain(saved!, { resign: { secret, moment } })
    expect(headers).toMatchObject(
      await standardHeaders({
        secret,
        id: 'msg_1',
        body: new TextEncoder().encode('{}'),
        moment,
      }),
    )
    expect(headers).not.toHaveProperty('x-service-signature')
  })

  it('signs the bytes of a byte order mark, too', async () => {
    const body = new TextEncoder().encode('\uFEFF{"a":1}')
    const stamped = await standardHeaders({ secret: 'old', id: 'msg_1', body, moment })
    const [saved] = await read(await recorded({ body, headers: stamped }))
    const headers = await headersAgain(saved!, { resign: { secret, moment } })
    const signed = createHmac('sha256', secret)
      .update(`msg_1.${headers['webhook-timestamp']}.`)
      .update(body)
    expect(headers['webhook-signature']).toBe(`v1,${signed.digest('base64')}`)
  })

  it('refuses a record that was redacted, unless it is signed again', async () => {
    const [saved] = await read(await recorded({ body: '{"key": "[not shown]"}' }))
    await expect(headersAgain(saved!, {})).rejects.toThrow(
      'Record 1 was redacted, so its signature is not valid any more. Sign it again with --resign <secret>.',
    )
    const headers = await headersAgain(saved!, { resign: { secret, moment } })
    expect(headers['x-service-signature']).toMatch(/^[\da-f]{64}$/)
  })
})
