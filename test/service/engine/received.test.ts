import { expect, it } from 'vitest'
import type { RequestEntry } from '../../../src/service/engine/journal.js'
import { mayBeRead } from '../../../src/service/engine/received.js'

const hit = (effect: string) => ({ id: effect, name: 'odd', fault: 'malformed', effect })

it.each([
  [['truncated'], true],
  [['html'], false],
  // Two faults of one name.
  [['truncated', 'html'], false],
])('a part of an answer after %j may be read: %s', (forms, expected) => {
  const effects = [...forms.map((form) => `odd: ${form}`), 'a webhook: truncated']
  const entry = { status: 200, faults: forms.map(hit), effects }
  expect(mayBeRead(entry as unknown as RequestEntry)).toBe(expected)
})
