import { describe, expect, it } from 'vitest'
import { linesOf, small } from './documents.js'

const text = { type: 'string' }

/** The differences of a request, and of a response, with the same schemas. */
function found(theirs: unknown, ours: unknown): { request: string[]; response: string[] } {
  const plain = (lines: string[]): string[] =>
    lines.map((line) => line.replace(/POST \/jobs → (?:request|response 200)(?: → )?/, '').trim())
  return {
    request: plain(linesOf(small({ request: theirs }), small({ request: ours }))),
    response: plain(linesOf(small({ response: theirs }), small({ response: ours }))),
  }
}

function fields(properties: object, required: string[] = []): object {
  return { type: 'object', properties, required }
}

describe('a comparison of schemas', () => {
  it.each([
    [
      'a new field',
      fields({ a: text, b: text }),
      fields({ a: text }),
      { request: ['additive field-added b'], response: ['additive field-added b'] },
    ],
    [
      'a new field that is required',
      fields({ a: text, b: text }, ['b']),
      fields({ a: text }),
      { request: ['breaking field-added b'], response: ['additive field-added b'] },
    ],
    [
      'a field that is gone',
      fields({ a: text }),
      fields({ a: text, b: text }),
      { request: ['breaking field-removed b'], response: ['breaking field-removed b'] },
    ],
    [
      'a field that became required',
      fields({ a: text }, ['a']),
      fields({ a: text }),
      { request: ['breaking required-added a'], response: ['additive required-added a'] },
    ],
    [
      'a field that became optional',
      fields({ a: text }),
      fields({ a: text }, ['a']),
      { request: ['additive required-removed a'], response: ['breaking required-removed a'] },
    ],
    [
      'another type',
      fields({ a: { type: 'integer' } }),
      fields({ a: text }),
      { request: ['breaking type-changed a'], response: ['breaking type-changed a'] },
    ],
    [
      'a wider type',
      fields({ a: { type: 'number' } }),
      fields({ a: { type: 'integer' } }),
      { request: ['additive type-changed a'], response: ['breaking type-changed a'] },
    ],
    [
      'one more type',
      fields({ a: { anyOf: [text, { type: 'integer' }] } }),
      fields({ a: text }),
      { request: ['additive type-changed a'], response: ['breaking type-changed a'] },
    ],
    [
      'null',
      fields({ a: { type: ['string', 'null'] } }),
      fields({ a: text }),
      { request: ['additive null-added a'], response: ['breaking null-added a'] },
    ],
    [
      'no null any more',
      fields({ a: text }),
      fields({ a: { anyOf: [text, { type: 'null' }] } }),
      { request: ['breaking null-removed a'], response: ['additive null-removed a'] },
    ],
    [
      'a new value',
      fields({ a: { enum: ['x', 'y'] } }),
      fields({ a: { const: 'x' } }),
      {
        request: ['additive enum-value-added a "y"'],
        response: ['breaking enum-value-added a "y"'],
      },
    ],
    [
      'a value that is gone',
      fields({ a: { enum: ['x'] } }),
      fields({ a: { enum: ['x', 'y'] } }),
      {
        request: ['breaking enum-value-removed a "y"'],
        response: ['additive enum-value-removed a "y"'],
      },
    ],
    [
      'a list of values',
      fields({ a: { enum: ['x'] } }),
      fields({ a: text }),
      { request: ['breaking enum-added a'], response: ['additive enum-added a'] },
    ],
    [
      'a format',
      fields({ a: { ...text, format: 'uuid' } }),
      fields({ a: text }),
      { request: ['breaking format-changed a'], response: ['additive format-changed a'] },
    ],
    [
      'a higher minimum',
      fields({ a: { type: 'integer', minimum: 2 } }),
      fields({ a: { type: 'integer', minimum: 1 } }),
      { request: ['breaking minimum-changed a'], response: ['additive minimum-changed a'] },
    ],
    [
      'a higher maximum',
      fields({ a: { ...text, maxLength: 9 } }),
      fields({ a: { ...text, maxLength: 8 } }),
      { request: ['additive max-length-changed a'], response: ['breaking max-length-changed a'] },
    ],
    [
      'a default',
      fields({ a: { ...text, default: 'x' } }),
      fields({ a: { ...text, default: 'y' } }),
      { request: ['breaking default-changed a'], response: [] },
    ],
    [
      'items of an array',
      fields({ a: { type: 'array', items: fields({ b: text }) } }),
      fields({ a: { type: 'array', items: fields({ b: { type: 'boolean' } }) } }),
      { request: ['breaking type-changed a[].b'], response: ['breaking type-changed a[].b'] },
    ],
    [
      'fields without a name',
      { type: 'object', additionalProperties: { type: 'integer' } },
      { type: 'object', additionalProperties: text },
      { request: ['breaking type-changed *'], response: ['breaking type-changed *'] },
    ],
    [
      'no other fields',
      { ...fields({ a: text }), additionalProperties: false },
      fields({ a: text }),
      {
        request: ['breaking other-fields-changed *'],
        response: ['additive other-fields-changed *'],
      },
    ],
    [
      'a pattern of field names',
      { type: 'object', patternProperties: { '^x-': text } },
      { type: 'object', patternProperties: { '^y-': text } },
      {
        request: ['breaking pattern-properties-changed'],
        response: ['breaking pattern-properties-changed'],
      },
    ],
    [
      'any fields',
      { type: 'object', additionalProperties: true },
      fields({ a: text }),
      { request: ['additive free-form-added'], response: ['breaking free-form-added'] },
    ],
    [
      'any value besides a list of values, and no difference of the lists',
      fields({ a: { anyOf: [{}, { enum: ['x'] }] } }),
      fields({ a: { enum: ['x', 'y'] } }),
      { request: ['additive type-changed a'], response: ['breaking type-changed a'] },
    ],
    [
      'a deprecated field',
      fields({ a: { ...text, deprecated: true } }),
      fields({ a: text }),
      { request: ['additive deprecated-added a'], response: ['additive deprecated-added a'] },
    ],
  ])('finds %s', (_name, theirs, ours, expected) => {
    expect(found(theirs, ours)).toEqual(expected)
  })

  it.each([
    ['names of schemas', { $ref: '#/components/schemas/A' }, text],
    ['OpenAPI 3.0 and 3.1', { ...text, nullable: true }, { type: ['string', 'null'] }],
    [
      'lists of types and anyOf',
      { type: ['string', 'integer'] },
      { anyOf: [{ type: 'integer' }, text] },
    ],
    ['oneOf and anyOf', { oneOf: [text, { type: 'null' }] }, { anyOf: [{ type: 'null' }, text] }],
    ['allOf of one part', { allOf: [fields({ a: text })] }, fields({ a: text })],
    [
      'allOf of several parts',
      { allOf: [fields({ a: text }), fields({ b: text }, ['b'])] },
      fields({ a: text, b: text }, ['b']),
    ],
    [
      'allOf of several parts with the same field',
      {
        allOf: [fields({ a: { ...text, minLength: 1 } }), fields({ a: { ...text, maxLength: 8 } })],
      },
      fields({ a: { ...text, minLength: 1, maxLength: 8 } }),
    ],
    ['const and enum of one value', { const: 'x' }, { type: 'string', enum: ['x'] }],
    [
      'exclusive bounds of both versions',
      { type: 'number', minimum: 0, exclusiveMinimum: true },
      { type: 'number', exclusiveMinimum: 0 },
    ],
    [
      'bounds of integers',
      { type: 'integer', exclusiveMinimum: 0 },
      { type: 'integer', minimum: 1 },
    ],
    [
      'limits that limit nothing',
      { type: 'array', minItems: 0, uniqueItems: false },
      { type: 'array' },
    ],
    [
      'additionalProperties that is open',
      { ...fields({ a: text }), additionalProperties: {} },
      fields({ a: text }),
    ],
    [
      'integer beside number',
      { anyOf: [{ type: 'integer' }, { type: 'number' }] },
      { type: 'number' },
    ],
    ['titles and descriptions', { ...text, title: 'A', description: 'B', examples: ['c'] }, text],
  ])('ignores %s', (_name, theirs, ours) => {
    const inside = (schema: unknown): object => fields({ a: schema })
    const document = (schema: unknown): Record<string, unknown> => ({
      ...small({ request: inside(schema), response: inside(schema) }),
      components: { schemas: { A: text } },
    })
    expect(linesOf(document(theirs), document(ours))).toEqual([])
    expect(linesOf(document(ours), document(theirs))).toEqual([])
  })

  it('pairs the forms of a message by what tells them apart, not by their order', () => {
    const form = (role: string, more: object = {}): object =>
      fields({ role: { const: role }, content: text, ...more }, ['role'])
    const request = (...forms: object[]): object =>
      small({ request: { type: 'array', items: { anyOf: forms } } })
    const ours = request(form('user'), form('assistant'), form('tool'))
    const theirs = request(form('assistant', { name: text }), form('developer'), form('user'))
    expect(linesOf(theirs, ours)).toEqual([
      'additive form-added POST /jobs → request → []{role=developer}',
      'breaking form-removed POST /jobs → request → []{role=tool}',
      'additive field-added POST /jobs → request → []{role=assistant}.name',
    ])
  })

  it('ends with schemas that contain themselves', () => {
    const tree = (value: object): Record<string, unknown> => ({
      ...small({ response: { $ref: '#/components/schemas/Node' } }),
      components: {
        schemas: {
          Node: fields({
            value,
            children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
          }),
        },
      },
    })
    expect(linesOf(tree(text), tree(text))).toEqual([])
    expect(linesOf(tree({ type: 'integer' }), tree(text))).toEqual([
      'breaking type-changed POST /jobs → response 200 → value',
    ])
  })

  it('ignores what only the other side uses', () => {
    const one = fields({
      a: text,
      id: { ...text, readOnly: true },
      secret: { ...text, writeOnly: true },
    })
    expect(found(one, fields({ a: text }))).toEqual({
      request: ['additive field-added secret'],
      response: ['additive field-added id'],
    })
  })
})
