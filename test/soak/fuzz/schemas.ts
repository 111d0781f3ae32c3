import type { Draw } from '../../support/draw.js'
import { BASE_MODEL, jsonHeaders } from '../../support/api-client.js'
import { assertSame, emptyEmulator, stateOf } from './look.js'
import type { StartKind } from './kind.js'
import { edited, mutated } from './mutations.js'

type Schema = Record<string, unknown>

const patterns: readonly string[] = [
  '^[a-z]{1,5}$',
  '(a+)+$',
  '((a{99}){99}){9}',
  '(?=a)b',
  '\\p{L}+',
  '[',
  '^$',
  '(.*)*',
  'a|b|',
  '^\\d{4}-\\d{2}$',
  `${'a?'.repeat(200)}${'a'.repeat(200)}`,
  '(?<x>a)\\k<x>',
  '[^\\s\\S]',
  '\\b',
]

const formats = ['date-time', 'uuid', 'email', 'uri', 'ipv6', 'regex', 'duration', 'none', '']

const refs = [
  '#',
  '#/$defs/a',
  '#/$defs/b',
  '#/properties/a',
  '#/$defs/missing',
  '',
  'http://a.test/b',
]

/** Schemas with cycles, contradictions, rare keywords and odd patterns. */
function drawSchema(draw: Draw, depth = 0): unknown {
  if (draw.isHit(0.03)) return draw.isHit(0.5)
  const inner = (): unknown => (depth > 3 ? {} : drawSchema(draw, depth + 1))
  const number = (): number => draw.oneOf([-1, 0, 1, 2, 3, 5, 10, 0.5, 1e3, 1e9, 2 ** 53])
  const list = (most: number): unknown[] => Array.from({ length: draw.below(most) }, inner)
  const keywords: readonly (() => Schema)[] = [
    () => ({
      type: draw.oneOf(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']),
    }),
    () => ({ type: ['string', 'null', draw.oneOf(['integer', 'object', 'x'])] }),
    () => ({ type: 'object', properties: { a: inner(), b: inner() }, required: ['a'] }),
    () => ({
      type: 'object',
      properties: { a: inner() },
      required: ['a', 'c'],
      additionalProperties: false,
    }),
    () => ({ patternProperties: { [draw.oneOf(patterns)]: inner() }, minProperties: number() }),
    () => ({ additionalProperties: inner(), maxProperties: number() }),
    () => ({ propertyNames: inner(), unevaluatedProperties: inner() }),
    () => ({ type: 'array', items: inner(), minItems: number(), maxItems: number() }),
    () => ({ type: 'array', prefixItems: list(4), uniqueItems: true, contains: inner() }),
    () => ({ type: 'string', minLength: number(), maxLength: number() }),
    () => ({ type: 'string', pattern: draw.oneOf(patterns) }),
    () => ({ type: 'string', format: draw.oneOf(formats) }),
    () => ({ type: draw.oneOf(['number', 'integer']), minimum: number(), maximum: number() }),
    () => ({ exclusiveMinimum: number(), exclusiveMaximum: number(), multipleOf: number() }),
    () => ({ enum: [1, 'a', null, { a: 1 }].slice(0, draw.below(5)) }),
    () => ({ const: draw.oneOf([1, 'a', null, 1e300, [], {}]) }),
    () => ({ anyOf: list(4) }),
    () => ({ oneOf: list(4) }),
    () => ({ allOf: list(4) }),
    () => ({ not: inner() }),
    () => Object.fromEntries(['if', 'then', 'else'].map((name) => [name, inner()])),
    () => ({ $ref: draw.oneOf(refs) }),
    () => ({ $defs: { a: inner(), b: { $ref: '#/$defs/a' } } }),
    () => ({
      $defs: {
        a: { anyOf: [{ $ref: '#/$defs/b' }, inner()] },
        b: { allOf: [{ $ref: '#/$defs/a' }] },
      },
    }),
    () => ({ dependentRequired: { a: ['b'] }, dependentSchemas: { a: inner() } }),
    () => ({ $id: 'http://a.test/b', $anchor: 'a', $dynamicRef: '#a', $schema: 'x' }),
  ]
  const chosen = Array.from({ length: 1 + draw.below(3) }, () => draw.oneOf(keywords)())
  return Object.assign({}, ...chosen) as Schema
}

/** JSON Schemas in chats: as the response format and as parameters of tools. */
export const startSchemas: StartKind = () => {
  const emulator = emptyEmulator()
  let before = stateOf(emulator)
  let chats = 0
  return Promise.resolve({
    async attempt(draw) {
      const place = draw.tell(draw.oneOf(['response_format', 'tools', 'both'] as const))
      const stream = draw.isHit(0.2)
      const made = draw.tell(drawSchema(draw))
      const schema = draw.isHit(0.4) ? mutated(draw, made, { most: 2 }) : made
      const body = JSON.stringify(bodyWith(schema, place, stream))
      const isEdited = draw.isHit(0.04)
      const response = await emulator.fetch(`${emulator.inferenceUrl}/chat/completions`, {
        method: 'POST',
        headers: jsonHeaders(),
        body: isEdited ? edited(draw, body, 2) : body,
      })
      const text = await response.text()
      if (response.status === 200) {
        if (!stream) assertJsonAnswer(text, isEdited)
        // The world stays small, because it is compared after each chat.
        if (++chats % MOST_CHATS === 0) emulator.reset()
        before = stateOf(emulator)
        return 'accepted'
      }
      if (response.status === 500 || !/message|detail/.test(text)) {
        throw new Error(`A chat is answered with ${response.status}: ${text.slice(0, 500)}`)
      }
      assertSame(before, stateOf(emulator))
      return 'refused'
    },
    end: () => emulator.close(),
  })
}

const MOST_CHATS = 20

function bodyWith(schema: unknown, place: string, stream: boolean): object {
  const tool = { type: 'function', function: { name: 'f', parameters: schema } }
  const format = { type: 'json_schema', json_schema: { name: 'x', schema } }
  return {
    model: BASE_MODEL,
    messages: [{ role: 'user', content: 'Name a color.' }],
    stream,
    ...(place !== 'tools' && { response_format: format }),
    ...(place !== 'response_format' && { tools: [tool], tool_choice: 'required' }),
  }
}

function assertJsonAnswer(text: string, isEdited: boolean): void {
  const { choices } = JSON.parse(text) as {
    choices: {
      finish_reason: string
      message: { content: string | null; tool_calls?: { function: { arguments: string } }[] }
    }[]
  }
  // An edit may have removed the schema, and then any text is an answer.
  if (isEdited) return
  const [{ finish_reason: reason, message }] = choices as [(typeof choices)[number]]
  // The answer is longer than its limit of tokens.
  if (reason === 'length') return
  const { content, tool_calls: calls } = message
  JSON.parse(calls?.[0]?.function.arguments ?? content ?? '')
}
