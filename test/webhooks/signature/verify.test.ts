import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { build } from 'esbuild'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diagnose, sign, verify, type SignatureForm } from '../../../src/webhooks.js'
import type { Hmac } from '../../../src/webhooks/signature/verify.js'

const header = 'X-Service-Signature'
const body = '{"event_type":"RUN_STATE","n":1}'

describe('a signature of another program', () => {
  // From: printf '%s' '{"event_type":"RUN_STATE","n":1}' | openssl dgst -sha256 -hmac s3cret
  it('is valid if openssl created it earlier', async () => {
    const hex = '5a59c3b3e5723d9d52ad67a7f519e04232642ee65abfeea0d03d64f2501de15b'
    expect(await sign(new TextEncoder().encode(body), 's3cret')).toBe(hex)
    const found = await verify({ body, headers: { [header]: hex } }, { secrets: 's3cret' })
    expect(found).toEqual({ verdict: 'valid', secret: 'the secret' })
  })
})

describe('the verdict on a signature', () => {
  const form = fc.record<SignatureForm>({
    encoding: fc.constantFrom('hex', 'base64'),
    prefix: fc.constantFrom('', 'sha256=', 'v1,'),
  })
  // A key longer than a block is replaced by its digest, and zeros at its end change nothing.
  const secret = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 200 })
    .filter((text) => !text.endsWith('\0'))

  it('is valid for any bytes and any secret, in every format, as another implementation signs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), secret, form, async (bytes, key, written) => {
        const { encoding = 'hex', prefix = '' } = written
        const hmac = createHmac('sha256', new TextEncoder().encode(key)).update(bytes)
        const headers = { [header]: prefix + hmac.digest(encoding) }
        expect(await sign(bytes, key, written)).toBe(headers[header])
        const rules = { secrets: { current: key }, ...written }
        const found = await verify({ body: bytes, headers }, rules)
        expect(found).toEqual({ verdict: 'valid', secret: 'secret "current"' })
        expect(await diagnose({ body: bytes, headers }, rules)).toBeUndefined()
      }),
    )
  })

  it.each(['', [''], ['s3cret', ''], { old: '' }])(
    'is refused with the secrets %j',
    async (secrets) => {
      const empty = createHmac('sha256', '').update('{}').digest('hex')
      const delivered = { body: '{}', headers: { [header]: empty } }
      for (const judge of [verify, diagnose]) {
        await expect(judge(delivered, { secrets })).rejects.toThrow(/is empty; expected a secret/)
      }
      await expect(sign('{}', '')).rejects.toThrow(/secret is empty/)
    },
  )

  it('is invalid for any other bytes, and for any other secret', async () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 50 })
    await fc.assert(
      fc.asyncProperty(bytes, secret, fc.nat(), async (sent, key, place) => {
        const headers = { [header]: await sign(sent, key) }
        const altered = sent.map((byte, at) => (at === place % sent.length ? byte ^ 1 : byte))
        expect(await verify({ body: altered, headers }, { secrets: key })).toEqual({
          verdict: 'invalid',
        })
        expect(await verify({ body: sent, headers }, { secrets: `${key}x` })).toEqual({
          verdict: 'invalid',
        })
      }),
    )
  })

  it('never throws, for any header', async () => {
    const alike = fc.stringMatching(/^(?:sha256=)?[0-9A-Fa-f]{8,70}$/)
    const anything = fc.oneof(fc.string(), fc.base64String(), alike)
    // The dozens of HMACs that a diagnosis takes, without a promise for each.
    const digest: Hmac = (bytes, key) => createHmac('sha256', key).update(bytes).digest()
    await fc.assert(
      fc.asyncProperty(anything, async (signature) => {
        const delivered = { body, headers: { 'x-service-signature': signature } }
        const rules = { secrets: 's3cret' }
        const { verdict } = await verify(delivered, rules, digest)
        expect(verdict).toBe(signature === '' ? 'missing' : 'invalid')
        const diagnosis = await diagnose(delivered, rules, digest)
        expect(diagnosis!.text).toMatch(/^[^a-z].*\.$/s)
      }),
    )
  })

  it('is missing without the header, and unverifiable without a secret', async () => {
    const signed = { body, headers: { [header]: await sign(new Uint8Array(), 's3cret') } }
    expect(await verify({ body, headers: {} }, { secrets: 's3cret' })).toEqual({
      verdict: 'missing',
    })
    expect(await verify(signed, {})).toEqual({ verdict: 'unverifiable' })
  })
})

it('the verify function bundles for the browser', async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '../../../src/webhooks.ts')],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'esm',
  })
  expect(outputFiles[0]!.text).not.toMatch(/\brequire\(|from ?["']node:|\bBuffer\b|\bprocess\b/)
})
