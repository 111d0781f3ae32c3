import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { checkReceiver, planOf } from '../../../src/webhooks/sending/check-receiver.js'
import type { ReceiverCheck } from '../../../src/webhooks/sending/receiver-caller.js'
import { diagnose } from '../../../src/webhooks.js'
import type { ExpectedSignature } from '../../../src/webhooks/signature/signature-forms.js'
import { signatureVariants } from '../../../src/webhooks/signature/signature-variants.js'
import { startReceiver, type Received, type Receiver } from '../../support/receiver.js'
import { secret } from './sender.js'

/** A receiver that accepts a delivery if `isRight` says so, and refuses it as a web framework does. */
function receiverThat(isRight: (received: Received) => boolean): Promise<Receiver> {
  return startReceiver((response, received) => {
    if (isRight(received)) response.end('ok')
    else response.writeHead(401).end('{"detail":"bad signature"}')
  })
}

async function resultsFor(receiver: Receiver, check: Partial<ReceiverCheck> = {}) {
  const results = await checkReceiver({ url: receiver.url, secret, ...check })
  return Object.fromEntries(results.map(({ id, ...result }) => [id, result]))
}

function mac(body: Buffer | string, key = secret) {
  return createHmac('sha256', key).update(body)
}

/** Serializes a flat object of ASCII texts like json.dumps in Python. */
function dumped(body: Buffer): string {
  const fields = Object.entries(JSON.parse(body.toString()) as Record<string, string>)
  return `{${fields.map(([name, value]) => `"${name}": ${JSON.stringify(value)}`).join(', ')}}`
}

const HEADER = 'x-service-signature'
const MOVED =
  'It also reads the signature from the header X-Hub-Signature-256; the service sends it in X-Service-Signature. Read X-Service-Signature, or check with --header X-Hub-Signature-256 if your sender uses that one.'
const RAW = 'Compute it over the raw request body, before anything parses it.'
const EXACT = 'Use the secret exactly as it is, and check how your receiver reads it.'

describe('a receiver that refuses valid deliveries', () => {
  it.each<[mistake: string, isRight: (received: Received) => boolean, hint: string]>([
    [
      'expects a prefix',
      ({ headers, body }) => headers[HEADER] === `sha256=${mac(body).digest('hex')}`,
      'Your receiver expects `sha256=<hex>`; the service sends `<hex>`. Compare with `<hex>`, or check with --prefix sha256= if your sender signs like this.',
    ],
    [
      'expects base64',
      ({ headers, body }) => headers[HEADER] === mac(body).digest('base64'),
      'Your receiver expects `<base64>`; the service sends `<hex>`. Compare with `<hex>`, or check with --encoding base64 if your sender signs like this.',
    ],
    [
      'expects upper case',
      ({ headers, body }) => headers[HEADER] === mac(body).digest('hex').toUpperCase(),
      'Your receiver expects `<upper-case hex>`; the service sends `<hex>`. Compare with `<hex>`.',
    ],
    [
      'reads another header with a prefix',
      ({ headers, body }) => headers['x-hub-signature-256'] === `sha256=${mac(body).digest('hex')}`,
      `Your receiver expects \`sha256=<hex>\`; the service sends \`<hex>\`. Compare with \`<hex>\`, or check with --prefix sha256= if your sender signs like this. ${MOVED}`,
    ],
    [
      'serializes the body again, as Python does',
      ({ headers, body }) => headers[HEADER] === mac(dumped(body)).digest('hex'),
      `Your receiver computes the HMAC over re-serialized JSON, not the bytes that were sent (as Python's json.dumps writes it). ${RAW}`,
    ],
    [
      'signs nothing but braces',
      ({ headers }) => headers[HEADER] === mac('{}').digest('hex'),
      `Your receiver computes the HMAC over the text {}. ${RAW}`,
    ],
    [
      'has no secret',
      ({ headers, body }) => headers[HEADER] === mac(body, '').digest('hex'),
      `Your receiver computes the HMAC with the secret left empty. ${EXACT}`,
    ],
    [
      'uses the access token',
      ({ headers, body }) => headers[HEADER] === mac(body, 'my-token').digest('hex'),
      `Your receiver computes the HMAC with the access token. ${EXACT}`,
    ],
    [
      'compares the secret itself',
      ({ headers }) => headers[HEADER] === secret,
      'Your receiver compares the header with the secret itself, which anyone on the way can read. Compute the HMAC of the raw request body with the secret, and compare with that.',
    ],
    [
      'hashes the body without a key',
      ({ headers, body }) => headers[HEADER] === createHash('sha256').update(body).digest('hex'),
      'Your receiver takes the SHA-256 of the body alone, without a key. Compute the HMAC of the raw request body with the secret, and compare with that.',
    ],
    [
      'only looks whether there is a header',
      ({ headers }) => headers['x-signature'] !== undefined,
      'Your receiver accepts any value in the header X-Signature: it does not verify the signature. Compare it with the HMAC of the raw request body. It also reads the signature from the header X-Signature; the service sends it in X-Service-Signature. Read X-Service-Signature, or check with --header X-Signature if your sender uses that one.',
    ],
    [
      'takes the secret for a token',
      ({ headers }) => headers.authorization === `Bearer ${secret}`,
      'Your receiver takes the secret for the access token (Authorization: Bearer …). The service never sends the secret. Verify the signature with it; if the webhook has an access token, check with --token.',
    ],
  ])('and %s gets that hint', async (_mistake, isRight, hint) => {
    const results = await resultsFor(await receiverThat(isRight), { token: 'my-token' })
    expect(results['valid']).toMatchObject({
      result: 'fail',
      detail: 'answered 401 {"detail":"bad signature"}; expected 2xx',
      hint,
    })
    const rest = Object.values(results).slice(1)
    expect(new Set(rest.map(({ result }) => result))).toEqual(new Set(['skipped']))
  })

  it.each([secret, '秘密'])(
    'and accepts no signature by %j at all gets general hints',
    async (key) => {
      const receiver = await receiverThat(() => false)
      const { valid } = await resultsFor(receiver, { secret: key })
      expect(valid!.hint).toMatch(
        /^Your receiver accepts none of \d+ other forms of the signature either\. .*--header.*--token.*--payload/,
      )
      const { searched } = planOf({ url: receiver.url, secret: key })
      expect(searched).toBeLessThan(120)
      expect(receiver.received.length).toBeLessThanOrEqual(1 + searched)
    },
  )

  it.each([
    [404, (url: string) => `No receiver takes POST at ${url} (404): correct the URL.`],
    [
      410,
      (url: string) =>
        `The receiver at ${url} says that it is gone (410), which disables a webhook: correct the URL, or what it answers.`,
    ],
    [429, () => 'The receiver refuses the request itself (429): look at its answer.'],
    [302, (url: string) => `${url} redirects (302), which is not followed: use the final URL.`],
    [500, () => 'The receiver failed (500): look at its log.'],
  ])('with status %d gets no hint about signatures', async (status, hint) => {
    const receiver = await startReceiver((response) => response.writeHead(status).end('so it is'))
    const { valid } = await resultsFor(receiver)
    expect(valid).toMatchObject({
      detail: `answered ${status} so it is; expected 2xx`,
      hint: hint(receiver.url),
    })
    expect(receiver.received).toHaveLength(1)
  })

  it('because nothing listens gets the address that is wrong', async () => {
    const results = await checkReceiver({ url: 'http://127.0.0.1:65534/hook', secret })
    expect(results[0]!.hint).toBe(
      'Nothing listens at 127.0.0.1:65534: start the receiver, or correct the URL.',
    )
  })

  it('and repeats the secret is quoted without the secret', async () => {
    const said = `<h1>Wrong</h1>\n<p>I expected ${secret} or my-token.</p>`
    const receiver = await startReceiver((response) => response.writeHead(403).end(said))
    const { valid } = await resultsFor(receiver, { token: 'my-token' })
    expect(valid!.detail).toBe(
      'answered 403 <h1>Wrong</h1> <p>I expected [not shown] or [not shown].</p>; expected 2xx',
    )
  })

  it('and stops answering gets a note that the search ended', async () => {
    const receiver = await startReceiver((response) => {
      if (receiver.received.length === 1) response.writeHead(401).end()
      else response.destroy()
    })
    const { valid } = await resultsFor(receiver)
    expect(valid!.hint).toMatch(/^The search for a signature .* ended early: no answer: /)
    expect(receiver.received).toHaveLength(2)
  })
})

it.each([
  // It dies of what it can't read, and of what it does after its answer: the next delivery finds nobody.
  ['without', 'missing-signature'],
  ['with', 'wrong-secret'],
])('a receiver that dies %s an answer is judged once', async (how, failed) => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const isFatal = request.headers[HEADER] === undefined
      if (isFatal) server.close()
      if (isFatal && how === 'without') request.destroy()
      else response.writeHead(isFatal ? 401 : 200).end()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const results = await checkReceiver({ url: `http://127.0.0.1:${port}/`, secret })
  const notPassed = results.filter(({ result }) => result !== 'pass')
  expect(notPassed[0]).toMatchObject({ id: failed, result: 'fail' })
  expect(notPassed[0]!.detail).toContain('no answer')
  const rest = notPassed.slice(1).map(({ result, detail }) => `${result}: ${detail}`)
  expect(new Set(rest)).toEqual(new Set(['skipped: not judged: the receiver is gone']))
  expect(results.at(-1)!.id).toBe('repeated')
})

describe('a receiver that refuses valid deliveries by Standard Webhooks', () => {
  const marked = 'whsec_c29tZSBzZWNyZXQ='
  const standardMac = ({ headers, body }: Received, key: string) => {
    const { 'webhook-id': id, 'webhook-timestamp': time } = headers
    return `v1,${mac(`${id as string}.${time as string}.${body.toString()}`, key).digest('base64')}`
  }
  const COMPUTE =
    'Compute the HMAC over `<webhook-id>.<webhook-timestamp>.<body>`, and compare `v1,<base64>` with webhook-signature.'
  const DECODE = 'Use the bytes that the part after whsec_ has in base64.'

  it.each<[mistake: string, isRight: (received: Received) => boolean, hint: string]>([
    [
      'signs the body alone',
      ({ headers, body }) =>
        headers['webhook-id'] !== undefined &&
        headers['webhook-signature'] === `v1,${mac(body, 'some secret').digest('base64')}`,
      `computes the HMAC over the body alone. ${COMPUTE}`,
    ],
    [
      'signs the body alone, in a header of its own',
      ({ headers, body }) => headers[HEADER] === mac(body, 'some secret').digest('hex'),
      `computes the HMAC over the body alone. ${COMPUTE}`,
    ],
    [
      'signs as the service does',
      ({ headers, body }) => headers[HEADER] === mac(body, marked).digest('hex'),
      'does not use the headers of Standard Webhooks. Verify webhook-signature, or check without --standard.',
    ],
    [
      'does not decode the secret',
      (received) => received.headers['webhook-signature'] === standardMac(received, marked),
      `computes the HMAC with the text of the secret. ${DECODE}`,
    ],
    [
      'only drops the mark of the secret',
      (received) =>
        received.headers['webhook-signature'] === standardMac(received, marked.slice(6)),
      `computes the HMAC with the secret without whsec_. ${DECODE}`,
    ],
    [
      'signs the body alone, with the access token',
      ({ headers, body }) => headers['x-signature'] === mac(body, 'my-token').digest('hex'),
      `computes the HMAC with the access token. ${DECODE} It also computes the HMAC over the body alone. ${COMPUTE}`,
    ],
    [
      'compares the secret itself',
      ({ headers }) => headers['webhook-signature'] === marked,
      `compares the header with the secret itself, which anyone on the way can read. ${COMPUTE}`,
    ],
    [
      'only looks whether there is a header',
      ({ headers }) => headers['x-signature'] !== undefined,
      'accepts any value in such headers: it does not verify the signature.',
    ],
  ])('and %s gets that hint', async (_mistake, isRight, hint) => {
    const check = { secret: marked, standard: true, token: 'my-token' }
    const { valid } = await resultsFor(await receiverThat(isRight), check)
    expect(valid!.hint).toBe(`Your receiver ${hint}`)
  })

  it('and accepts no signature at all is told of no option that changes nothing', async () => {
    const receiver = await receiverThat(() => false)
    const { valid } = await resultsFor(receiver, { secret: marked, standard: true })
    expect(valid!.hint).toContain('that it reads the header webhook-signature. If it requires')
    expect(receiver.received.length).toBeLessThan(150)
  })
})

it('the check names the serialization of a receiver that accepts only compact JSON', async () => {
  const receiver = await receiverThat(({ headers, body }) => {
    return headers[HEADER] === mac(JSON.stringify(JSON.parse(body.toString()))).digest('hex')
  })
  const results = await resultsFor(receiver)
  expect(results['valid']!.result).toBe('pass')
  expect(results['raw-bytes']).toMatchObject({
    result: 'fail',
    detail: 'delivery 1 of 3: answered 401 {"detail":"bad signature"}; expected 2xx',
    hint: `Your receiver computes the HMAC over re-serialized JSON, not the bytes that were sent (compact, as JSON.stringify writes it). ${RAW}`,
  })
})

it.each([
  { event_type: 'CREATE_ARTIFACT', isLast: true, none: false, tiny: 1e-21, control: '\u001e' },
  { event_type: 'RUN_STATE' },
  {},
])('the check finds no fault in a right receiver, whatever the payload is: %j', async (payload) => {
  const receiver = await receiverThat(({ headers, body }) => {
    JSON.parse(body.toString())
    return headers[HEADER] === mac(body).digest('hex')
  })
  const results = await resultsFor(receiver, { payload })
  const failed = Object.values(results).filter(({ result }) => result === 'fail')
  expect(failed).toEqual([])
})

it('the check names the format of its options, not that of the service', async () => {
  const receiver = await receiverThat(({ headers, body }) => {
    return headers[HEADER] === mac(body).digest('hex')
  })
  const { valid } = await resultsFor(receiver, { prefix: 'sha256=' })
  expect(valid!.hint).toBe(
    'Your receiver expects `<hex>`; this check sends `sha256=<hex>`. Compare with `sha256=<hex>`.',
  )
})

it('the check marks every delivery as a test, with invented names and a connection of its own', async () => {
  const receiver = await receiverThat(({ headers, body }) => {
    return headers[HEADER] === mac(body).digest('hex')
  })
  const plan = planOf({ url: receiver.url, secret })
  await resultsFor(receiver)
  expect(receiver.received).toHaveLength(plan.deliveries)
  expect(new Set(receiver.received.map(({ headers }) => headers['svtrain-test']))).toEqual(
    new Set(['true']),
  )
  // A receiver may close a connection after an error.
  expect(new Set(receiver.received.map(({ headers }) => headers.connection))).toEqual(
    new Set(['close']),
  )
  const aliases = receiver.received.map(
    ({ body }) => (JSON.parse(body.toString()) as { alias: string }).alias,
  )
  expect(new Set(aliases)).toEqual(new Set(['svtrain-test', '']))
  const accepted = receiver.received.filter(({ headers, body }) => {
    return headers[HEADER] === mac(body).digest('hex')
  })
  expect(accepted).toHaveLength(plan.valid)
})

it('the plan has three events of a count, one of them twice, unless jobs make them', () => {
  const check = { url: 'http://127.0.0.1/hook', secret, standard: true }
  const { deliveries, valid } = planOf(check)
  const count = (): Promise<number> => Promise.resolve(0)
  const counted = { deliveries: deliveries + 4, valid: valid + 4 }
  expect(planOf({ ...check, count })).toMatchObject(counted)
  const events = { happen: () => Promise.resolve(), repeat: () => Promise.resolve() }
  expect(planOf({ ...check, count, events })).toMatchObject({ deliveries, valid })
})

it('the check sends no user and password of the URL, as the emulator does', async () => {
  const receiver = await startReceiver()
  const url = receiver.url.replace('//', '//ann:pass@')
  const [valid] = await checkReceiver({ url, secret })
  expect(valid).toMatchObject({ id: 'valid', result: 'pass' })
  expect(receiver.received[0]!.headers).not.toHaveProperty('authorization')
})

it('the check never sends the secret to another machine', async () => {
  const receiver = await startReceiver((response) => response.writeHead(401).end())
  const fetched: string[] = []
  const { fetch } = globalThis
  vi.spyOn(globalThis, 'fetch').mockImplementation((_url, init) => {
    fetched.push(JSON.stringify(init!.headers))
    return fetch(receiver.url, init)
  })
  onTestFinished(() => void vi.restoreAllMocks())
  await checkReceiver({ url: 'https://receiver.example/hook', secret })
  expect(fetched.length).toBeGreaterThan(50)
  expect(fetched.filter((headers) => headers.includes(secret))).toEqual([])
})

describe('every variant of a wrong signature', () => {
  it.each<ExpectedSignature>([
    { secret, token: 'my-token' },
    { secret, encoding: 'base64', prefix: 'sha256=', header: 'X-Mine' },
  ])('has a diagnosis (%o)', async (due) => {
    const body = '{"event_type": "RUN_STATE", "author": "Zoë"}\r\n'
    const { header = HEADER, encoding, prefix, token } = due
    const rules = { secrets: secret, header, encoding, prefix, token }
    for (const variant of signatureVariants(body, due)) {
      if (!variant.movable) continue
      const stamp = { names: [header], id: 'a', moment: new Date(0) }
      const found = await diagnose({ body, headers: await variant.headers(stamp) }, rules)
      // The form that is due is among them: it may be expected in another header.
      if (variant.findings.length === 0) expect(found).toBeUndefined()
      else expect(found!.codes).not.toContain('unexplained')
      expect(found?.codes ?? []).not.toContain('not-signed')
    }
  })
})
