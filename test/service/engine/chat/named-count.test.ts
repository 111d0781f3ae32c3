import { expect, it } from 'vitest'
import { namedCount } from '../../../../src/service/engine/chat/named-count.js'

const user = (content: string) => ({ role: 'user', content })

it.each([
  ['Give me four questions about the sea.', 4],
  ['Generate 25 diverse and realistic inputs for this task.', 25],
  ['Write exactly\n3 test cases.', 3],
  ['List three to five colors.', 5],
  ['In at most 50 words, name twelve very different things.', 12],
  ['Answer in 3 sentences.', undefined],
  ['Write one haiku.', undefined],
  ['What is 2 + 2?', undefined],
  ['Version 1.5 has bugs.', undefined],
  ['', undefined],
])('the prompt "%s" names the count %s', (content, count) => {
  expect(namedCount([user(content)])).toBe(count)
})

it('is that of the last user message, and otherwise of the system message', () => {
  const system = { role: 'system', content: 'You write 6 scenarios for a task.' }
  expect(namedCount([system, user('The task: to sort mail.')])).toBe(6)
  expect(namedCount([system, user('Ten ideas, please.'), user('Now two scenarios.')])).toBe(2)
})
