import { expect, it } from 'vitest'
import type { RequestEntry } from '../../../src/service/engine/journal.js'
import { mayBeRead } from '../../../src/service/engine/received.js'

const unreadable = { id: 'scenario-1', name: 'odd', fault: 'malformed' } as const

it.each([
  ['odd: truncated', true],
  ['odd: html', false],
])('a part of an answer with the effect "%s" may be read: %s', (effect, expected) => {
  const entry = { status: 200, faults: [unreadable], effects: [effect, 'a webhook: truncated'] }
  expect(mayBeRead(entry as unknown as RequestEntry)).toBe(expected)
})
