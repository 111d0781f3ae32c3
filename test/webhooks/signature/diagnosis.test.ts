import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { diagnose, type Clues, type SignatureRules } from '../../../src/webhooks.js'
import { hmac } from '../../../src/webhooks/signature/signature.js'

const secret = 's3cret'
const body = '{"event_type":"RUN_STATE","author":"Zoë"}'

function mac(text: string | Uint8Array, key: string | Uint8Array = secret, algorithm = 'sha256') {
  return createHmac(algorithm, key).update(text)
}

const hex = mac(body).digest('hex')
const base64 = mac(body).digest('base64')

async function told(
  signature: string,
  rules: SignatureRules & Clues = {},
  sent: string | Uint8Array = body,
) {
  const headers = { 'x-service-signature': signature }
  const found = await diagnose({ body: sent, headers }, { secrets: secret, ...rules })
  expect(found?.text).not.toContain(secret)
  return found && { codes: found.codes, text: found.text }
}

it('reads headers that can only be asked by name', async () => {
  const found = async (name: string) => {
    const headers = { get: (asked: string) => (asked.toLowerCase() === name ? `${hex}00` : null) }
    return (await diagnose({ body, headers }, { secrets: secret }))?.codes
  }
  expect(await found('x-service-signature')).toEqual(['unexplained'])
  expect(await found('x-signature')).toEqual(['no-signature'])
})

it('finds the signature in another header that Node has as a list', async () => {
  const found = await diagnose({ body, headers: { 'x-signature': [hex] } }, { secrets: secret })
  expect(found?.codes).toEqual(['wrong-header'])
})

describe('a diagnosis names a wrong format:', () => {
  it.each([
    [base64, ['wrong-encoding'], 'It is written in base64; expected hex.'],
    [hex.toUpperCase(), ['upper-case'], 'It is written in upper-case hex; expected hex.'],
    [`sha256=${hex}`, ['wrong-prefix'], 'There is "sha256=" before it; expected nothing.'],
    [hex.slice(0, 40), ['truncated'], 'It is truncated: 40 of 64 characters.'],
    [` ${hex}\n`, ['surrounding-space'], 'There is whitespace around it.'],
    [
      `sha256=${base64}`,
      ['wrong-prefix', 'wrong-encoding'],
      'There is "sha256=" before it; expected nothing; it is written in base64; expected hex.',
    ],
    [
      Buffer.from(hex).toString('base64'),
      ['wrong-encoding'],
      'It is written in base64 of the hexadecimal digits; expected hex.',
    ],
    [
      mac(body).digest('base64url'),
      ['wrong-encoding'],
      `It is written in ${/[-_]/.test(mac(body).digest('base64url')) ? 'base64url' : 'base64 without its padding'}; expected hex.`,
    ],
  ])('%s', async (signature, codes, text) => {
    expect(await told(signature)).toEqual({ codes, text })
  })

  it('and the expected format', async () => {
    expect(await told(hex, { encoding: 'base64' })).toEqual({
      codes: ['wrong-encoding'],
      text: 'It is written in hex; expected base64.',
    })
    expect((await told(hex, { prefix: 'sha256=' }))?.text).toBe(
      'There is nothing before it; expected "sha256=".',
    )
    expect((await told(base64.slice(0, 43), { encoding: 'base64' }))?.text).toBe(
      'It is written in base64 without its padding; expected base64.',
    )
  })
})

describe('a diagnosis names a wrong key:', () => {
  it.each([
    [
      mac(body, 'retired').digest('hex'),
      ['other-secret'],
      'It was signed with a secret that is known but not accepted here (secret "old").',
    ],
    [
      mac(body, 'my-token').digest('hex'),
      ['token-as-secret'],
      'It was signed with the access token; expected the secret.',
    ],
    [
      mac(body, `${secret}\n`).digest('hex'),
      ['mangled-secret'],
      'It was signed with the secret and a line end after it.',
    ],
    [
      mac(body, Buffer.from(secret, 'base64')).digest('hex'),
      ['mangled-secret'],
      'It was signed with the secret decoded from base64.',
    ],
    [
      mac(body, Buffer.from(secret).toString('hex')).digest('hex'),
      ['mangled-secret'],
      'It was signed with the secret in hex.',
    ],
    [
      secret,
      ['plain-secret'],
      'The header holds the secret itself, which everyone can read, instead of a signature made with it.',
    ],
    [
      mac(body, secret, 'sha1').digest('hex'),
      ['wrong-algorithm'],
      'It is as long as a digest of SHA-1; expected an HMAC with SHA-256.',
    ],
    [
      mac(body, secret, 'sha512').digest('base64'),
      ['wrong-algorithm'],
      'It is as long as a digest of SHA-512; expected an HMAC with SHA-256.',
    ],
    ...[
      ['the body alone', body],
      ['the secret with the body after it', secret + body],
      ['the body with the secret after it', body + secret],
    ].map(([what, hashed]): [string, string[], string] => [
      createHash('sha256').update(hashed!).digest('hex'),
      ['wrong-algorithm'],
      `It is the SHA-256 of ${what}; expected an HMAC with the secret as its key.`,
    ]),
    [
      mac(body, 'nobody knows').digest('hex'),
      ['unexplained'],
      'The secrets that are given here make no such signature of these bytes, nor of a usual change of them: check the secret, what changes the body on the way, and whether a time or an id is signed that is not sent.',
    ],
    [
      'Bearer of news',
      ['not-signed'],
      'The header holds 14 characters and no signature; expected 64 hexadecimal digits.',
    ],
  ])('%s', async (signature, codes, text) => {
    expect(await told(signature, { known: { old: 'retired' }, token: 'my-token' })).toEqual({
      codes,
      text,
    })
  })
})

it('names a change of a body that is no text in UTF-8', async () => {
  const bytes = Uint8Array.of(0xff, 0xfe, 0)
  const encoded = Buffer.from(bytes).toString('base64')
  const latin1 = Buffer.from(bytes).toString('latin1')
  const found = async (sent: string | Uint8Array, signed: string | Uint8Array) => {
    return (await told(mac(signed).digest('hex'), {}, sent))?.text
  }
  expect(await found(bytes, encoded)).toContain('It was made over the base64 of the body')
  expect(await found(encoded, bytes)).toContain('over the body decoded from base64')
  expect(await found(bytes, latin1)).toContain('over the body read as latin1')
})

describe('a diagnosis names a changed body:', () => {
  const sent = '{ "b": 1,\r\n "a": "é" }\r\n'
  it.each([
    ['{"b":1,"a":"é"}', 'compact, as JSON.stringify writes it'],
    [String.raw`{"b": 1, "a": "\u00e9"}`, "as Python's json.dumps writes it"],
    ['{"a":"é","b":1}', 'compact, keys sorted'],
    ['{\n  "b": 1,\n  "a": "é"\n}', 'indented by 2'],
    ['{ "b": 1,\n "a": "é" }\n', 'the body with LF line ends'],
    ['{ "b": 1,\r\n "a": "é" }', 'the body without the line end at its end'],
    ['{}', 'the text {}'],
    ['', 'an empty body'],
  ])('%j', async (signed, what) => {
    const found = await told(mac(signed).digest('hex'), {}, sent)
    expect(found?.codes).toEqual(['altered-body'])
    expect(found?.text).toContain(what)
  })

  it('a line end at the end of JSON, which was not serialized again', async () => {
    const found = await told(mac('{"a":1}').digest('hex'), {}, '{"a":1}\n')
    expect(found?.text).toContain('the body without the line end at its end')
  })

  const poet = '{"run_name":"a<b> 😊 é","at":1777940637,"url":"https://a/b"}'
  const json = JSON.parse(poet) as object
  it.each<[string | Buffer, string]>([
    [Buffer.from(poet, 'latin1'), 'encoded as latin1, not as UTF-8'],
    [Buffer.from(poet.replaceAll(/[^\0-\u00ff]/g, '?'), 'latin1'), 'encoded as latin1'],
    [poet.replaceAll(/[\u0080-\uffff]/g, '?'), 'encoded as ASCII, with ? for other'],
    [Buffer.from(poet).toString('latin1'), 'read as latin1'],
    [JSON.stringify(poet), 'the JSON of the JSON text, which is encoded twice'],
    [Buffer.from(poet).toString('base64'), 'the base64 of the body'],
    [`b'${poet}'`, 'as Python writes bytes'],
    [poet.replace('<', '\\u003c').replace('>', '\\u003e'), 'as Go and Rails do'],
    [poet.replaceAll('/', '\\/'), 'slashes escaped'],
    [
      poet
        .replace('<', '\\u003C')
        .replace('>', '\\u003E')
        .replace('😊 é', '\\uD83D\\uDE0A \\u00E9'),
      'as .NET does',
    ],
    [JSON.stringify(json, null, '\t'), 'indented by tabs'],
    [JSON.stringify(json, null, 1), 'indented by 1'],
    [JSON.stringify(json, null, 3), 'indented by 3'],
    [`1777940637.${poet}`, 'the body with the time 1777940637 in front ("1777940637.")'],
    [`1777940637000${poet}`, 'the time 1777940637 in milliseconds in front'],
  ])('%s', async (signed, what) => {
    const found = await told(mac(signed).digest('hex'), {}, poet)
    expect(found).toMatchObject({ codes: ['altered-body'], text: expect.stringContaining(what) })
  })

  it.each<[string, string]>([
    [`\ufeff${poet}`, 'the body without its byte order mark'],
    [Buffer.from(poet).toString('base64'), 'the body decoded from base64'],
    [poet.replaceAll('/', '\\/'), 'compact, as JSON.stringify writes it'],
  ])('that was sent as %s', async (arrived, what) => {
    expect((await told(mac(poet).digest('hex'), {}, arrived))?.text).toContain(what)
  })

  it.each([
    ['msg_1.1777940637.', 'the header webhook-id, the time 1777940637 and the body'],
    ['msg_1.1777940637000.', 'the header webhook-id, the time 1777940637 in milliseconds and'],
    ['other.1777940637.', 'the header x-request-id, the time 1777940637 and the body'],
    ['msg_1.', 'the body with the header webhook-id in front'],
  ])('that has %s in front, as the headers say', async (prefix, what) => {
    const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
    const signature = createHmac('sha256', key)
      .update(prefix + body)
      .digest('base64')
    const headers = {
      'webhook-id': 'msg_1',
      'x-request-id': 'other',
      'webhook-timestamp': '1777940637',
      'webhook-signature': `v1,${signature}`,
    }
    const rules = { secrets: `whsec_${key.toString('base64')}` }
    const { codes, text } = (await diagnose({ body, headers }, rules))!
    expect(codes).toEqual(
      expect.arrayContaining(['wrong-header', 'mangled-secret', 'altered-body']),
    )
    expect(text).toContain(what)
    expect(text).toContain('the secret decoded from base64')
  })

  it('that has the time of the signature itself in front', async () => {
    const signature = `t=1777940637,v1=${mac(`1777940637.${body}`).digest('hex')}`
    expect((await told(signature))?.text).toContain('the time 1777940637 in front')
  })

  it('and all other problems', async () => {
    const signature = `sha256=${mac('{"b":1,"a":"é"}', 'my-token').digest('hex').toUpperCase()}`
    expect((await told(signature, { token: 'my-token' }, sent))?.codes).toEqual([
      'token-as-secret',
      'altered-body',
      'wrong-prefix',
      'upper-case',
    ])
  })
})

describe('a diagnosis finds a signature in another place:', () => {
  async function missing(headers: Record<string, string>) {
    return diagnose({ body, headers: new Headers(headers) }, { secrets: secret })
  }

  it.each([
    [
      { 'x-hub-signature-256': `sha256=${hex}` },
      ['wrong-header', 'wrong-prefix'],
      'The signature is in the header x-hub-signature-256; expected X-Service-Signature; there is "sha256=" before it; expected nothing.',
    ],
    [
      { 'x-other-signature': 'abc' },
      ['wrong-header'],
      'There is no header X-Service-Signature; there is one x-other-signature, which contains no signature of this body with a known secret.',
    ],
    [
      { accept: '*/*' },
      ['no-signature'],
      'There is no header X-Service-Signature: the sender has no secret to sign with, or something on the way dropped it.',
    ],
  ])('%j', async (headers, codes, text) => {
    expect(await missing(headers)).toEqual({ codes, text })
  })
})

it('a diagnosis names a secret that was decoded from hex', async () => {
  const signature = mac(body, Buffer.from('abcdef12', 'hex')).digest('hex')
  const headers = { 'x-service-signature': signature }
  const found = await diagnose({ body, headers }, { secrets: 'abcdef12' })
  expect(found?.text).toBe('It was signed with the secret decoded from hex.')
})

it('a diagnosis says that there is no secret', async () => {
  expect(await diagnose({ body, headers: {} }, {})).toEqual({
    codes: ['no-secret'],
    text: 'There is no secret to verify it with.',
  })
})

describe('a diagnosis of a body that is odd', () => {
  const wrong = '0'.repeat(64)

  it.each([
    ['deep', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['deep, with objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    [
      'as deep as it is explained, and wide',
      `${'['.repeat(200)}${'1,'.repeat(90_000)}1${']'.repeat(200)}`,
    ],
  ])('is made if it is %s', async (_how, odd) => {
    expect((await told(wrong, {}, odd))?.codes).toEqual(['unexplained'])
  })

  it('says that a body of more than 1 MB is not searched', async () => {
    const long = JSON.stringify({ a: 'x\n'.repeat(500_000) })
    expect(await told(wrong, {}, long)).toEqual({
      codes: ['unexplained'],
      text: `The signature is wrong, and the body has ${long.length} bytes: common mistakes are searched for in at most 1000000, so repeat it with a shorter one.`,
    })
  })

  it('computes no digest twice, however many headers may be the signature', async () => {
    let digests = 0
    const counting = (bytes: Uint8Array, key: string) => {
      digests++
      return hmac(bytes, key)
    }
    const headers = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x-sig-${i}`, wrong]))
    await diagnose(
      { body: '{"a": 1}', headers: { 'x-sig': wrong } },
      { secrets: 's3cret' },
      counting,
    )
    const once = digests
    digests = 0
    await diagnose({ body: '{"a": 1}', headers }, { secrets: 's3cret' }, counting)
    expect(digests).toBe(once)
  })
})
