import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { diagnose, type Clues, type SignatureRules } from '../../../src/webhooks.js'

const secret = 's3cret'
const body = '{"event_type":"RUN_STATE","author":"Zoë"}'

function mac(text: string | Uint8Array, key = secret, algorithm = 'sha256') {
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
    [
      mac(body, 'nobody knows').digest('hex'),
      ['unexplained'],
      'No known secret makes this signature of these bytes: it was made with another secret, or the body was altered since.',
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

it('a diagnosis says that there is no secret', async () => {
  expect(await diagnose({ body, headers: {} }, {})).toEqual({
    codes: ['no-secret'],
    text: 'There is no secret to verify it with.',
  })
})
