import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { nodeHmac } from '../../src/adapters/node-hmac.js'

const bodies = fc.uint8Array({ maxLength: 300 })
const secrets = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ minLength: 60, maxLength: 70 }))

it('is what Node makes of any body and any secret', () => {
  fc.assert(
    fc.property(bodies, secrets, (body, secret) => {
      expect(nodeHmac(body, secret)).toEqual(createHmac('sha256', secret).update(body).digest())
    }),
  )
})

it.each([0, 1, 65_536, 65_537, 1_000_000])('of %i bytes, too', (length) => {
  const body = new Uint8Array(length).fill(97)
  const expected = createHmac('sha256', 's3cret').update(body).digest()
  expect(nodeHmac(body, 's3cret')).toEqual(expected)
})

it('keeps no secret from another, however many there are', () => {
  const body = new Uint8Array([1, 2, 3])
  for (let n = 0; n < 2500; n++) {
    const expected = createHmac('sha256', `secret ${n % 1200}`)
      .update(body)
      .digest()
    expect(nodeHmac(body, `secret ${n % 1200}`)).toEqual(expected)
  }
})
