import * as z from 'zod'
import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { clientOf } from '../../support/api-client.js'
import { chat } from '../../support/trainer.js'

describe('a chat whose schema no value satisfies', () => {
  it('is refused without being counted: no repetition, no turn of a rule', async () => {
    const rule = { match: { user: 'again' }, answers: [{ tool_calls: [{ name: 'f' }] }, 'two'] }
    await using emulator = createEmulator({ scenario: { name: 'mine', chat: { rules: [rule] } } })
    const before = await emulator.snapshot()
    const parameters = { type: 'string', not: { type: 'string' } }
    const tools = [{ type: 'function', function: { name: 'f', parameters } }]
    for (const content of ['again', 'something else']) {
      const { inference } = clientOf(emulator)
      const { status } = await chat(inference, content, { tools, tool_choice: 'required' })
      expect(status).toBe(400)
    }
    expect((await emulator.snapshot()).records).toEqual(
      before.records.map((record) => (record.kind === 'world' ? expect.anything() : record)),
    )
  })
})

describe('other constraints of an answer', () => {
  const emulator = createEmulator()
  async function ask(constraints: object): Promise<{ status: number; text: string }> {
    const { inference } = clientOf(emulator)
    const { status, body } = await chat(inference, 'Is it wonderful?', { ...constraints })
    return { status, text: status === 200 ? body.choices[0].message.content : body.error.message }
  }
  const said = async (outputs: object): Promise<string> => {
    return (await ask({ structured_outputs: outputs })).text
  }
  const unit = { type: 'object', properties: { unit: { enum: ['m'] } }, required: ['unit'] }
  const json = { ...unit, additionalProperties: false }
  const tag = { begin: '<t>', schema: json, end: '</t>' }

  it('are a choice, a schema, a regular expression, any JSON or a grammar', async () => {
    expect(['yes', 'no']).toContain(await said({ choice: ['yes', 'no'] }))
    expect(await said({ json })).toBe('{"unit":"m"}')
    expect(await said({ json: JSON.stringify(json) })).toBe('{"unit":"m"}')
    expect(await said({ regex: 'a|[A-Z]{3}-\\d{2}' })).toMatch(/^(?:a|[A-Z]{3}-\d{2})$/)
    expect(typeof JSON.parse(await said({ json_object: true }))).toBe('object')
    expect(['yes', 'no "x"']).toContain(await said({ grammar: 'root ::= "yes" | "no \\"x\\""' }))
  })

  it.each([
    ['date-time', z.iso.datetime()],
    ['email', z.email()],
    ['uuid', z.uuid()],
  ])('can be the format %s, as another library reads it', async (format, read) => {
    const text: unknown = JSON.parse(await said({ json: { type: 'string', format } }))
    expect(read.safeParse(text).error).toBeUndefined()
  })

  it('are a structural tag, in both of its forms', async () => {
    const older = { type: 'structural_tag', structures: [tag], triggers: ['<t>'] }
    const content = { type: 'json_schema', json_schema: json }
    const tags = [{ begin: '<t>', content, end: '</t>' }]
    const format = { type: 'triggered_tags', triggers: ['<t>'], tags }
    const newer = { type: 'structural_tag', format }
    for (const each of [older, newer]) {
      expect((await ask({ response_format: each })).text).toBe('<t>{"unit":"m"}</t>')
      expect(await said({ structural_tag: JSON.stringify(each) })).toBe('<t>{"unit":"m"}</t>')
    }
  })

  it.each([
    [{ choice: ['a'], regex: 'b' }, 'multiple are specified: regex, choice'],
    [{}, 'none are specified'],
    [{ choice: [] }, 'structured_outputs.choice: expected at least one text'],
    [{ choice: 'a' }, 'structured_outputs'],
    [{ json: 'no schema' }, 'structured_outputs.json: expected a JSON Schema'],
    [{ regex: '(' }, 'structured_outputs.regex'],
    [{ grammar: 'root ::= a b' }, 'the emulator knows only grammars of one rule'],
    [{ structural_tag: '{}' }, 'structured_outputs.structural_tag.format: the emulator'],
  ])('are refused with a reason: %j', async (outputs, reason) => {
    const { status, text } = await ask({ structured_outputs: outputs })
    expect([status, text]).toEqual([400, expect.stringContaining(reason)])
  })

  it('are refused beside a format', async () => {
    const both = { structured_outputs: { regex: 'a' }, response_format: { type: 'json_object' } }
    expect((await ask(both)).status).toBe(400)
  })
})
