import type { IncomingHttpHeaders } from 'node:http'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openWebhookSink } from '../../src/compose/create-sink.js'
import { sign, type SignatureForm } from '../../src/webhooks/signature/signature.js'
import { verify } from '../../src/webhooks/signature/verify.js'
import { startReceiver, type Receiver } from '../support/receiver.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { refused, run } from './commands.js'

/** A receiver that answers with these statuses and then with 204. */
async function receiver(...statuses: number[]): Promise<Receiver> {
  return startReceiver((response) => response.writeHead(statuses.shift() ?? 204).end())
}

const bodies = ['{"event_type": "RUN_STATE",\n"n": 1}', '{"event_type":"RUN_METRIC"}', '\u00ff']

/** A file that a sink wrote. Its last body is not UTF-8. */
async function recording(form: SignatureForm = {}): Promise<string> {
  const out = join(temporaryFolder(), 'deliveries.ndjson')
  await using sink = await openWebhookSink({ out, secrets: 's3cret', ...form })
  for (const text of bodies) {
    const body = Buffer.from(text, 'latin1')
    const signature = await sign(body, 's3cret', form)
    await sink.fetch(`${sink.url}/old?b=2`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Service-Signature': signature,
        'X-Extra': 'kept',
        Authorization: 'Bearer t0ken',
      },
      body,
    })
  }
  return out
}

describe('sink replay', () => {
  it('sends all deliveries again in their order, byte for byte', async () => {
    const file = await recording()
    const { url, received } = await receiver()
    const to = `${url}?a=1`
    const { code, stdout } = await run(`sink replay ${file} --to ${to}`)
    expect(code).toBe(0)
    expect(stdout.split('\n')).toEqual([
      `Sending 3 of 3 deliveries to ${to}`,
      '1, RUN_STATE: 204',
      '2, RUN_METRIC: 204',
      '3: 204',
      '3 acknowledged, 0 not',
      expect.stringMatching(/^Next, .*: npx svtrain-emulator check-receiver 'http:/),
    ])
    expect(received.map(({ body }) => body.toString('latin1'))).toEqual(bodies)
    for (const { method, path, headers, body } of received) {
      expect([method, path, headers['x-extra']]).toEqual(['POST', '/hook?a=1', 'kept'])
      expect((await verify({ body, headers: plain(headers) }, { secrets: 's3cret' })).verdict).toBe(
        'valid',
      )
      // Nothing but the headers of the connection is added.
      expect(Object.keys(headers).sort()).toEqual([
        'connection',
        'content-length',
        'content-type',
        'host',
        'x-extra',
        'x-service-signature',
      ])
    }
  })

  it('sends those that match, signed again and with an access token', async () => {
    const file = await recording()
    const { url, received } = await receiver()
    const { code } = await run(
      `sink replay ${file} --to ${url} --filter record=2-3 --resign new --token abc`,
    )
    expect(code).toBe(0)
    expect(received).toHaveLength(2)
    for (const { headers, body } of received) {
      expect(headers.authorization).toBe('Bearer abc')
      expect((await verify({ body, headers: plain(headers) }, { secrets: 'new' })).verdict).toBe(
        'valid',
      )
    }
  })

  it.each<[options: string, form: SignatureForm]>([
    ['--resign new', { prefix: 'sha256=', encoding: 'base64' }],
    ["--resign new --prefix '' --encoding hex", { prefix: '', encoding: 'hex' }],
    ['--prefix v1= --resign new', { prefix: 'v1=', encoding: 'base64' }],
  ])('signs in the recorded form, unless told otherwise: %s', async (options, form) => {
    const file = await recording({ prefix: 'sha256=', encoding: 'base64' })
    const { url, received } = await receiver()
    await run(`sink replay ${file} --to ${url} ${options}`)
    const signed = received.map(({ headers }) => headers['x-service-signature'])
    expect(signed).toEqual(await Promise.all(received.map(({ body }) => sign(body, 'new', form))))
  })

  it('takes no option for one without a value', async () => {
    expect(await refused('sink replay file --to http://127.0.0.1 --prefix')).toMatchObject({
      message: '--prefix takes a value; none was given.',
    })
  })

  it('has exit code 1 if a delivery is not acknowledged, and sends the others', async () => {
    const file = await recording()
    const { url, received } = await receiver(500, 302)
    // --within is an older name of --timeout.
    const { code, stdout } = await run(`sink replay ${file} --to ${url} --within 5s`)
    expect(code).toBe(1)
    expect(stdout.split('\n').slice(1)).toEqual([
      '1, RUN_STATE: 500',
      '2, RUN_METRIC: 302',
      '3: 204',
      '1 acknowledged, 2 not',
      expect.stringContaining('check-receiver'),
    ])
    expect(received).toHaveLength(3)
  })

  it('says why no answer came, and prints JSON', async () => {
    const file = await recording()
    const closed = 'http://127.0.0.1:1/'
    const { code, stdout } = await run(`sink replay ${file} --to ${closed} --json`)
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject([
      {
        record: '1',
        event: 'RUN_STATE',
        acknowledged: false,
        detail: expect.stringContaining('ECONNREFUSED'),
      },
      { record: '2' },
      { record: '3' },
    ])
  })

  it('sends nothing if a line is wrong, or if none matches', async () => {
    const file = await recording()
    const { url, received } = await receiver()
    const none = await run(`sink replay ${file} --to ${url} --filter event=NONE`)
    expect(none).toMatchObject({
      code: 1,
      stderr: 'None of 3 deliveries matches. Nothing was sent.',
    })
    const torn = join(temporaryFolder(), 'torn.ndjson')
    writeFileSync(torn, '{"id":"1","headers":{},"text":"{}"}\n{"id":"2"')
    const { message } = await refused(`sink replay ${torn} --to ${url}`)
    expect(message).toContain(`Line 2 of ${torn} is not JSON: {"id":"2".`)
    expect(received).toEqual([])
  })

  it('has none of the options of the sink', async () => {
    const { stdout } = await run('sink replay --help')
    expect(stdout).toContain('--resign')
    expect(stdout).not.toMatch(/--(?:port|secret|strict|fsync)\b/)
    expect((await run('sink --help')).stdout).toMatch(/sink replay <file>[^]*--port/)
  })

  it('needs a receiver and a file', async () => {
    expect((await refused('sink replay x.ndjson')).message).toContain('takes the URL of --to')
    expect((await refused('sink replay')).message).toBe('sink replay takes a file; none was given.')
    expect((await refused('sink reply')).message).toContain('Did you mean sink replay?')
  })
})

function plain(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

it('sink replay sends the login of the URL, prints no credentials of it, and quotes it for a shell', async () => {
  const file = await recording()
  const { url, received } = await startReceiver((response) => {
    response.writeHead(400).end('not s3same')
  })
  const to = `${url.replace('://', '://me:s3same@')}?a=1&b=2`
  const { stdout } = await run(`sink replay ${file} --to ${to}`)
  expect(stdout).not.toContain('s3same')
  const login = `Basic ${Buffer.from('me:s3same').toString('base64')}`
  expect(new Set(received.map(({ headers }) => headers.authorization))).toEqual(new Set([login]))
  expect(stdout).toContain(`check-receiver '${url}?a=1&b=2' --secret`)
})
