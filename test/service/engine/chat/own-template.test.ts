import { describe, expect, it } from 'vitest'
import { chatTemplate } from '../../../../src/service/engine/chat/own-template.js'
import { readsParts } from '../../../../src/service/engine/chat/template-messages.js'
import { createEmulator } from '../../../../src/index.js'
import { clientOf } from '../../../support/api-client.js'
import { tokenizerContent } from '../../../support/tokenizer.js'

const now = Date.UTC(2026, 6, 4, 9, 5, 7)

function render(source: string, variables: Record<string, unknown> = {}): string {
  return chatTemplate(source).render(variables, now)
}

describe('a chat template', () => {
  it.each([
    ["{{ '\\n x\\n'.lstrip('\\n') }}", ' x\n'],
    ["{{ '\\n x \\n'.rstrip('\\n') }}", '\n x '],
    ["{{ 'abxba'.strip('ab') }}", 'x'],
    ["{{ ' \\n x\\t'.strip() }}", 'x'],
    ["{{ text.split('|')[-1].lstrip('-') }}", ' b'],
    ["{{ '\\ufeffx'.strip() }}", '\ufeffx'],
  ])('strips only the characters that it names: %s', (source, text) => {
    expect(render(source, { text: 'a|-- b' })).toBe(text)
  })

  it('has the time of the clock of the emulator', async () => {
    expect(render("{{ strftime_now('%d %b %Y') }}")).toBe('04 Jul 2026')
    expect(render("{{ strftime_now('%A, %B %d, %y %H:%M:%S %% %Q') }}")).toBe(
      'Saturday, July 04, 26 09:05:07 % %Q',
    )
    const files = { ...tokenizerContent(), chatTemplate: "{{ strftime_now('%Y') }}" }
    const baseModels = [{ id: 'org/model', tokenizer: files }]
    const emulator = createEmulator({ clock: 'manual', baseModels })
    const body = { model: 'org/model', messages: [{ role: 'user', content: 'a' }] }
    const idsOf = async (): Promise<unknown> => {
      const asked = { ...body, return_token_ids: true }
      return (await clientOf(emulator).post('/chat/completions', asked)).body.prompt_token_ids
    }
    const before = await idsOf()
    emulator.clock.advance('400d')
    expect(await idsOf()).not.toEqual(before)
  })

  it('fails with its own words', () => {
    expect(() => render("{{ raise_exception('Not so.') }}")).toThrow('Not so.')
    expect(() => render('{% if %}')).toThrow('CloseStatement')
  })

  it.each([
    ["{% for part in message['content'] %}", true],
    ['{%- for part in message.content -%}', true],
    ['{% for message in messages %}{{ message.content }}', false],
  ])('reads the content of messages in parts or not: %s', (source, expected) => {
    expect(readsParts(source)).toBe(expected)
  })
})
