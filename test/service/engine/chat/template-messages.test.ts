import { expect, it } from 'vitest'
import { readsParts } from '../../../../src/service/engine/chat/template-messages.js'

it.each([
  ["{% for part in message['content'] %}", true],
  ['{%- for part in message.content -%}', true],
  ['{% for message in messages %}{{ message.content }}', false],
])('The content of messages is read in parts or not: %s', (source, expected) => {
  expect(readsParts(source)).toBe(expected)
})
