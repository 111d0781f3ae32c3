import { expect, it } from 'vitest'
import { isUtf8 } from '../../src/dashboard/parts/utf8.js'

it.each([
  ['a literal replacement character', Buffer.from('{"a":"\uFFFD"}'), true],
  ['an emoji', Buffer.from('🚆'), true],
  ['an empty body', Buffer.alloc(0), true],
  ['a byte of Latin-1', Buffer.from([0x7b, 0xe9, 0x7d]), false],
  ['half a character', Buffer.from('é').subarray(0, 1), false],
])('%s is UTF-8 or not', (_what, bytes, expected) => {
  expect(isUtf8(bytes.toString('base64'))).toBe(expected)
})
