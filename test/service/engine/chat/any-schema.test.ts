import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Undrawable } from '../../../../src/service/engine/chat/bad-field.js'
import { Structures } from '../../../../src/service/engine/chat/structures.js'
import { MOST_STEPS, Work } from '../../../../src/service/engine/chat/schema/work.js'
import { createEmulator } from '../../../../src/index.js'
import { chunksIn } from '../../../support/chat-text.js'
import { runs } from '../../../support/runs.js'
import { jsonHeaders } from '../../../support/api-client.js'

type JsonSchema = Readonly<Record<string, unknown>>

const AT = 'response_format.json_schema.schema'

interface Asked {
  /** The place of the schema in a request: the response format, or the parameters of a tool. */
  place: 'response_format' | 'tools'
  stream: boolean
  /** The host and the spelling of the path. */
  path: 'training' | 'slashed' | 'inference'
}

const asResponseFormat: Asked = { place: 'response_format', stream: false, path: 'training' }

const emulator = createEmulator()
const urls = {
  training: `${emulator.trainingUrl}/chat/completions`,
  slashed: `${emulator.trainingUrl}/chat/completions/`,
  inference: `${emulator.inferenceUrl}/chat/completions`,
}

function bodyWith(schema: unknown, { place, stream }: Asked): object {
  const tool = { type: 'function', function: { name: 'f', parameters: schema } }
  const more =
    place === 'tools'
      ? { tools: [tool], tool_choice: 'required' }
      : { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } }
  const messages = [{ role: 'user', content: 'Name a color.' }]
  return { model: 'example/base-8b-instruct', messages, stream, ...more }
}

interface Answered {
  status: number
  error?: { message: string; type: string; param: string | null; code: number; at: string }
  value?: unknown
}

const REFUSAL = /^Failed to transform json schema into a grammar: (.+?): /

interface Chunk {
  choices: { delta: { content?: string; tool_calls?: { function: { arguments: string } }[] } }[]
}

function ask(body: object, path: Asked['path'] = 'training'): Promise<Response> {
  const init = { method: 'POST', headers: jsonHeaders(), body: JSON.stringify(body) }
  return emulator.fetch(urls[path], init)
}

/** Sends a request with that schema, and returns the answer. */
async function answerTo(schema: unknown, asked: Asked): Promise<Answered> {
  const response = await ask(bodyWith(schema, asked), asked.path)
  const text = await response.text()
  if (response.status !== 200) {
    const { error } = JSON.parse(text) as Required<Pick<Answered, 'error'>>
    return {
      status: response.status,
      error: { ...error, at: REFUSAL.exec(error.message)?.[1] ?? '' },
    }
  }
  if (!asked.stream) {
    const { message } = JSON.parse(text).choices[0]
    const said =
      asked.place === 'tools' ? message.tool_calls[0].function.arguments : message.content
    return { status: 200, value: JSON.parse(said) }
  }
  const chunks = chunksIn<Chunk>(text)
  const said = chunks
    .flatMap(({ choices }) => choices.map(({ delta }) => delta))
    .map(({ content, tool_calls: calls }) => content ?? calls?.[0]?.function.arguments ?? '')
  return { status: 200, value: JSON.parse(said.join('')) }
}

/** What another validator has to say about the value. */
function problemsOf(value: unknown, schema: unknown): unknown {
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    logger: false,
    ownProperties: true,
  })
  const validate = ajv.compile(schema as JsonSchema)
  return validate(value) ? undefined : validate.errors
}

/** Why a request got no value, or what another validator has to say about it. */
async function flawOf(schema: unknown, asked = asResponseFormat): Promise<unknown> {
  const { error, value } = await answerTo(schema, asked)
  return error ?? problemsOf(value, schema)
}

/** A refusal that names a place in the schema. */
function refusal(path: string, message: RegExp, place: Asked['place'] = 'response_format') {
  const at = (place === 'tools' ? 'tools[0].function.parameters' : AT) + path
  const error = { type: 'BadRequestError', param: null, code: 400, at }
  return { status: 400, error: { ...error, message: expect.stringMatching(message) } }
}

/** Each place of a schema in a request. */
const places = ['response_format', 'tools'] as const

const words = ['a', 'b', 'c', 'constructor', 'two words']
const names = fc.constantFrom(...words)
const references = fc.constantFrom(
  '#',
  '#/$defs/a',
  '#/$defs/b',
  '#/$defs/c',
  '#/$defs/two%20words',
  '#/$defs/a/allOf/0',
  '#/properties/a',
  '#/$defs/nowhere',
  'https://example.com/other.json',
)
const counts = fc.nat(4)

/** An object with some of the keywords. */
const some = (keywords: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonSchema> =>
  fc.record(keywords, { requiredKeys: [] })

/** `if`, `then` and `else`, built from pairs, as an object with a `then` looks like a promise. */
const conditions = <T>(of: T): Record<string, T> =>
  Object.fromEntries(['if', 'then', 'else'].map((keyword) => [keyword, of]))

const { schema: part } = fc.letrec<{ schema: JsonSchema | boolean }>((tie) => {
  const inner = tie('schema')
  const inners = fc.array(inner, { minLength: 1, maxLength: 3 })
  const named = fc.dictionary(names, inner, { maxKeys: 3 })
  return {
    schema: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.constantFrom({ type: 'string' }, { type: 'integer' }, { type: ['null', 'boolean'] }, true),
      { weight: 3, arbitrary: references.map(($ref) => ({ $ref })) },
      fc.constant(false),
      some({
        type: fc.constantFrom('string', ['string', 'null']),
        minLength: counts,
        maxLength: counts,
        pattern: fc.constantFrom('^[a-z]{2,3}$', 'x+', '^(a|b)*$', '\\d'),
      }),
      some({
        type: fc.constantFrom('integer', 'number'),
        minimum: fc.integer({ min: -9, max: 9 }),
        exclusiveMaximum: fc.integer({ min: -9, max: 99 }),
        multipleOf: fc.constantFrom(1, 0.1, 0.25, 3, 7.5, 1e-7, 1e300),
      }),
      some({ enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 3 }) }),
      fc.jsonValue({ maxDepth: 1 }).map((value) => ({ const: value })),
      {
        weight: 4,
        arbitrary: some({
          type: fc.constant('object'),
          properties: named,
          required: fc.uniqueArray(names, { maxLength: 2 }),
          additionalProperties: inner,
          unevaluatedProperties: inner,
          propertyNames: inner,
          minProperties: counts,
          maxProperties: counts,
          patternProperties: fc.dictionary(fc.constantFrom('^a', 'b$', '^x-'), inner, {
            maxKeys: 1,
          }),
          dependentRequired: fc.dictionary(names, fc.uniqueArray(names, { maxLength: 2 }), {
            maxKeys: 2,
          }),
          dependentSchemas: fc.dictionary(names, inner, { maxKeys: 1 }),
        }),
      },
      {
        weight: 2,
        arbitrary: some({
          type: fc.constant('array'),
          items: inner,
          prefixItems: inners,
          contains: inner,
          minContains: fc.nat(2),
          maxContains: fc.nat(3),
          unevaluatedItems: inner,
          minItems: counts,
          maxItems: counts,
          uniqueItems: fc.boolean(),
        }),
      },
      { weight: 2, arbitrary: some({ allOf: inners, anyOf: inners, oneOf: inners }) },
      some({ not: inner, ...conditions(inner), type: fc.constant('object') }),
    ),
  }
})

/** A schema with definitions that its references may lead to, and that may lead back to it. */
const schemas = fc
  .tuple(
    part.filter((schema) => typeof schema === 'object'),
    fc.record({ a: part, b: part, c: part, 'two words': part }),
  )
  .map(([schema, $defs]): JsonSchema => ({ ...schema, $defs }))

const placesOfRequests: fc.Arbitrary<Asked> = fc.record({
  place: fc.constantFrom('response_format', 'tools'),
  stream: fc.boolean(),
  path: fc.constantFrom('training', 'slashed', 'inference'),
})

/** A chain of definitions, each made from a reference to the one before. */
function chained(length: number, make: (before: object) => object): JsonSchema {
  const $defs: Record<string, object> = { d0: { type: 'string' } }
  for (let i = 1; i <= length; i++) $defs[`d${i}`] = make({ $ref: `#/$defs/d${i - 1}` })
  return { $ref: `#/$defs/d${length}`, $defs }
}

function nested(depth: number, make: (inner: object) => object): object {
  return depth === 0 ? { type: 'string' } : make(nested(depth - 1, make))
}

const a = { $ref: '#/$defs/a' }
const b = { $ref: '#/$defs/b' }

describe('a schema that refers to itself', () => {
  it.each([
    [{ $ref: '#' }, ''],
    [{ allOf: [{ $ref: '#' }] }, '.allOf[0]'],
    [{ anyOf: [{ type: 'string' }, { $ref: '#' }] }, '.anyOf[1]'],
    [{ oneOf: [{ $ref: '#' }, { type: 'null' }] }, '.oneOf[0]'],
    [{ not: { $ref: '#' } }, '.not'],
    [{ if: { $ref: '#' } }, '.if'],
    [{ ...conditions({ $ref: '#' }), if: true }, '.then'],
    [{ if: true, else: { $ref: '#' } }, '.else'],
    [{ dependentSchemas: { x: { $ref: '#' } } }, '.dependentSchemas.x'],
    [{ $ref: '#/allOf/0', allOf: [{ $ref: '#' }] }, '.allOf[0]'],
    [{ ...a, $defs: { a: b, b: a } }, '.$defs.b'],
    [{ ...a, $defs: { a: { allOf: [b] }, b: { anyOf: [{ not: a }] } } }, '.$defs.b.anyOf[0].not'],
    [{ items: a, $defs: { a } }, '.$defs.a'],
    [{ $ref: '#/$defs/a%20b', $defs: { 'a b': { $ref: '#/$defs/a%20b' } } }, '.$defs["a b"]'],
    [{ $id: 'https://example.com/x', allOf: [{ $ref: 'https://example.com/x' }] }, '.allOf[0]'],
    [{ allOf: [{ $ref: '#me' }], $anchor: 'me' }, '.allOf[0]'],
  ])('without a nested value, as in %j, is refused at %j', async (schema, path) => {
    const message = /: the reference .* leads back to the same value/
    for (const place of places) {
      for (const host of ['training', 'slashed', 'inference'] as const) {
        for (const stream of [false, true]) {
          const answer = await answerTo(schema, { place, stream, path: host })
          expect(answer).toMatchObject(refusal(path, message, place))
        }
      }
    }
  })

  it.each([
    [{ properties: { a: { $ref: '#' } }, required: ['a'], type: 'object' }, '.properties.a'],
    [{ type: 'array', items: { $ref: '#' }, minItems: 1 }, '.items'],
    [{ type: 'array', prefixItems: [{ $ref: '#' }], minItems: 1 }, '.prefixItems[0]'],
    [{ type: 'array', contains: { $ref: '#' } }, '.contains'],
    [
      {
        ...a,
        $defs: {
          a: { type: 'object', properties: { b }, required: ['b'] },
          b: { anyOf: [a, { type: 'array', items: a, minItems: 2 }] },
        },
      },
      '.$defs.b.anyOf[0]',
    ],
  ])('in all of its values, as in %j, is refused at %j', async (schema, path) => {
    const message = /makes every value contain another such value/
    expect(await answerTo(schema, asResponseFormat)).toMatchObject(refusal(path, message))
  })

  it.each([
    [{ type: 'object', properties: { next: { $ref: '#' } } }],
    [{ type: 'object', properties: { kids: { items: { $ref: '#' } } }, required: ['kids'] }],
    [{ type: 'array', items: { $ref: '#' } }],
    [{ type: ['object', 'null'], properties: { next: { $ref: '#' } }, required: ['next'] }],
    [
      {
        type: 'object',
        properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
        required: ['next'],
      },
    ],
    [
      {
        ...a,
        $defs: {
          a: { type: 'object', properties: { left: b, right: b }, required: ['left', 'right'] },
          b: { oneOf: [a, { type: 'integer' }] },
        },
      },
    ],
  ])('in values that can end, as in %j, gets a finite value', async (schema) => {
    for (const place of places) {
      expect(await flawOf(schema, { ...asResponseFormat, place })).toBeUndefined()
    }
  })
})

describe('a reference', () => {
  it.each([
    ['#/$defs/two%20words', { $defs: { 'two words': { const: 1 } } }],
    ['#/$defs/a~1b~0c', { $defs: { 'a/b~c': { const: 1 } } }],
    ['#/components/schemas/One', { components: { schemas: { One: { const: 1 } } } }],
    ['#one', { $defs: { first: { $anchor: 'one', const: 1 } } }],
    [
      'https://example.com/x#/$defs/one',
      { $id: 'https://example.com/x', $defs: { one: { const: 1 } } },
    ],
  ])('%s is followed', async ($ref, rest) => {
    expect(await answerTo({ $ref, ...rest }, asResponseFormat)).toEqual({ status: 200, value: 1 })
  })

  it.each([
    ['#/$defs/adress', /leads to no schema inside this one. Did you mean "#\/\$defs\/address"\?/],
    ['#/$defs/address/type', /leads to no schema/],
    ['#/__proto__', /leads to no schema/],
    ['https://example.com/other.json', /leads to no schema inside this one/],
  ])('%s has no target and is refused', async ($ref, message) => {
    const schema = { items: { $ref }, $defs: { address: { type: 'string' } } }
    expect(await answerTo(schema, asResponseFormat)).toMatchObject(refusal('.items', message))
  })
})

// Some of these kept the whole process busy until it was killed.
describe('a schema of excessive size', () => {
  const all: [string, unknown, string][] = [
    ['a list of 100 million', { type: 'array', minItems: 1e8 }, 'needs more than 1,000 values'],
    ['100 million that it contains', { contains: {}, minContains: 1e8 }, 'more than 1,000 values'],
    ['100 million properties', { type: 'object', minProperties: 1e8 }, 'more than 1,000 values'],
    ['a text of a billion', { type: 'string', minLength: 1e9 }, 'more than 100,000 characters'],
    [
      'lists in lists',
      nested(6, (items) => ({ type: 'array', minItems: 50, items })),
      'more than 1,000 values',
    ],
    [
      'a long text in each of 100 items',
      { type: 'array', minItems: 100, items: { const: 'word '.repeat(20_000) } },
      'within the limits',
    ],
    [
      '300 regular expressions',
      { anyOf: Array.from({ length: 300 }, () => ({ pattern: 'x'.repeat(100) })) },
      'more than 20,000 characters together',
    ],
    [
      'a second of compiling',
      { allOf: Array.from({ length: 1000 }, (_, count) => ({ pattern: `a{${count}}.*b` })) },
      'compiled, they have more than 50,000 instructions',
    ],
    ['a large regular expression', { pattern: 'a{999}'.repeat(142) }, 'RE2 syntax'],
    ['a billion repetitions', { pattern: '((((a{99}){99}){99}){99}){99}' }, 'RE2 syntax'],
    [
      'a deep value',
      nested(450, (items) => ({ type: 'array', items, minItems: 1 })),
      'within the limits',
    ],
    ['nested negations', nested(450, (not) => ({ not })), 'more than 200 schemas to one value'],
    ['a long chain', chained(1000, (before) => before), 'more than 200 schemas to one value'],
    [
      '20,000 schemas',
      { anyOf: Array.from({ length: 20_000 }, () => ({})) },
      'more than 10,000 schemas',
    ],
    [
      'a million properties, doubled in each definition',
      chained(20, (each) => ({
        type: 'object',
        properties: { a: each, b: each },
        required: ['a', 'b'],
      })),
      'within the limits',
    ],
  ]
  it.each(all)('(%s) is refused', async (_name, schema, message) => {
    const { status, error } = await answerTo(schema, asResponseFormat)
    expect(status).toBe(400)
    expect(error!.at.startsWith(AT)).toBe(true)
    expect(error!.message).toContain(message)
  })

  it.each<[string, object]>([
    ['a list of up to 100 million', { type: 'array', maxItems: 1e8, items: { type: 'string' } }],
    [
      'optional twice',
      chained(20, (each) => ({ type: 'object', properties: { a: each, b: each } })),
    ],
    ['an empty list of lists', nested(100, (items) => ({ type: 'array', items }))],
    ['nested repetitions', { type: 'string', pattern: '(((((((a+)+)+)+)+)+)+)+b' }],
    ['a large enum', { enum: Array.from({ length: 100_000 }, (_, index) => index) }],
    ['a far number', { type: 'number', minimum: 1e300 }],
    ['the whole range', { type: 'number', minimum: -1.7e308, maximum: 1.7e308 }],
    ['a tiny unit', { type: 'number', multipleOf: 5e-324 }],
    ['a huge unit', { type: 'integer', multipleOf: 1e300 }],
  ])('(%s) gets a value that satisfies it', async (_name, schema) => {
    const { value } = await answerTo(schema, asResponseFormat)
    expect(problemsOf(value, schema)).toBeUndefined()
    expect(JSON.stringify(value).length).toBeLessThan(200_000)
  })
})

describe('schemas of tools', () => {
  it('have a limit together', async () => {
    const tools = Array.from({ length: 6 }, (_, tool) => ({
      type: 'function',
      function: { name: `f${tool}`, parameters: { pattern: `${'a{999}'.repeat(9)}${tool}` } },
    }))
    const askWith = (count: number): Promise<Response> =>
      ask({ ...bodyWith({}, asResponseFormat), tools: tools.slice(0, count) })
    expect((await askWith(5)).status).toBe(200)
    const refused = await askWith(6)
    expect(refused.status).toBe(400)
    expect(await refused.text()).toMatch(
      /tools\[5\]\.function\.parameters: the regular expressions are too large together/,
    )
  })
})

// Other validators hang at these themselves.
describe('a schema that is very slow to validate', () => {
  const hostile = '^(a+)+$'
  const long = `${'a'.repeat(60)}!`
  it.each<[string, object, unknown]>([
    ['allOf', chained(40, (each) => ({ allOf: [each, each] })), expect.any(String)],
    ['anyOf', chained(40, (each) => ({ anyOf: [each, each] })), expect.any(String)],
    ['not', chained(40, (each) => ({ not: { not: { allOf: [each, each] } } })), expect.any(String)],
    ['pattern', { anyOf: [{ const: long, pattern: hostile }, { const: 'b' }] }, 'b'],
    [
      'patternProperties',
      {
        type: 'object',
        patternProperties: { [hostile]: { const: 1 } },
        additionalProperties: { const: 2 },
        required: [long],
        maxProperties: 1,
      },
      { [long]: 2 },
    ],
  ])('(%s) gets a value quickly', async (_name, schema, value) => {
    expect(await answerTo(schema, asResponseFormat)).toEqual({ status: 200, value })
  })
})

describe('a schema that no value satisfies', () => {
  it.each([
    [{ enum: [] }, ''],
    [{ type: 'string', allOf: [{ type: 'integer' }] }, ''],
    [{ type: 'array', minItems: 2, maxItems: 1 }, ''],
    [{ type: 'object', properties: { a: false }, required: ['a'] }, '.properties.a'],
    [
      { properties: { size: { enum: ['S'], minLength: 2 } }, required: ['size'] },
      '.properties.size',
    ],
    [{ type: 'integer', minimum: 1.2, maximum: 1.8 }, ''],
    [{ not: {} }, ''],
    [{ type: 'string', not: { type: 'string' } }, ''],
  ])('(%j) is refused', async (schema, path) => {
    expect(await answerTo(schema, asResponseFormat)).toMatchObject(refusal(path, /no value/))
  })
})

describe('a keyword of the wrong type', () => {
  it.each([
    [{ type: 'dict' }, '.type', /expected one of null, boolean, .*, got "dict"/],
    [{ properties: [] }, '.properties', /expected an object of JSON Schemas, got \[\]/],
    [{ items: { minLength: -1 } }, '.items.minLength', /a whole number of at least 0, got -1/],
    [{ multipleOf: 0 }, '.multipleOf', /expected a number above 0, got 0/],
    [{ pattern: '(' }, '.pattern', /expected a regular expression in RE2 syntax/],
    [{ required: 'a' }, '.required', /expected a list of names, got "a"/],
  ])('in %j is refused at %j if the answer must satisfy it', async (schema, path, message) => {
    for (const place of places) {
      const answer = await answerTo(schema, { ...asResponseFormat, place })
      expect(answer).toMatchObject(refusal(path, message, place))
    }
  })

  it('is ignored if the tool call is optional', async () => {
    const parameters = { type: 'dict', properties: { price: { type: 'float', minimum: 1 } } }
    const { tools } = bodyWith(parameters, { ...asResponseFormat, place: 'tools' }) as {
      tools: object[]
    }
    const response = await ask({ ...bodyWith({}, asResponseFormat), response_format: null, tools })
    const { choices } = (await response.json()) as {
      choices: { message: { tool_calls: { function: { arguments: string } }[] } }[]
    }
    const [call] = choices[0]!.message.tool_calls
    expect(JSON.parse(call!.function.arguments)).toEqual({ price: expect.any(Number) })
  })
})

describe('a keyword', () => {
  const colors = { enum: ['red', 'blue'] }
  it.each<[string, object]>([
    ['a negation', { ...colors, not: { const: 'red' } }],
    [
      'a negation of all items',
      { type: 'array', items: colors, minItems: 2, not: { items: { const: 'red' } } },
    ],
    [
      'a negation of unique items',
      { type: 'array', items: colors, minItems: 3, not: { uniqueItems: true } },
    ],
    [
      'a length',
      { type: 'array', items: { type: 'string', minLength: 2, maxLength: 2 }, minItems: 100 },
    ],
    [
      'the names of properties',
      { type: 'object', propertyNames: { pattern: '^x-' }, minProperties: 2 },
    ],
    [
      'no items that no other keyword describes',
      { type: 'array', prefixItems: [{ type: 'string' }], unevaluatedItems: false, minItems: 1 },
    ],
  ])('can demand %s', async (_what, schema) => {
    expect(await flawOf(schema)).toBeUndefined()
  })

  it('is not treated as a property', async () => {
    const schema = { type: 'object', unevaluatedProperties: false }
    expect(await answerTo(schema, asResponseFormat)).toEqual({ status: 200, value: {} })
  })

  it('can require a property with the name __proto__', async () => {
    const properties = JSON.parse('{"__proto__": {"type": "integer"}}')
    const schema = { type: 'object', properties, required: ['__proto__'] }
    const { value } = await answerTo(schema, asResponseFormat)
    expect(Object.entries(value as object)).toEqual([['__proto__', expect.any(Number)]])
  })
})

describe('any schema', () => {
  it('gets a value that satisfies it, or a 400 that names a place in the request', async () => {
    const statuses = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(schemas, placesOfRequests, async (schema, asked) => {
        const { status, error, value } = await answerTo(schema, asked)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status === 200) {
          expect(problemsOf(value, schema)).toBeUndefined()
          return
        }
        const at = asked.place === 'tools' ? 'tools[0].function.parameters' : AT
        expect({ status, ...error }).toMatchObject({
          status: 400,
          type: 'BadRequestError',
          param: null,
          code: 400,
        })
        expect(error!.at.startsWith(at)).toBe(true)
      }),
      runs(200) as fc.Parameters<[JsonSchema, Asked]>,
    )
    expect(statuses.get(200)).toBeGreaterThan(50)
    expect(statuses.get(400)).toBeGreaterThan(50)
  })

  it('takes a limited number of steps', () => {
    fc.assert(
      fc.property(schemas, fc.nat(), (schema, seed) => {
        const work = new Work()
        try {
          new Structures().make(schema, { seed, at: AT, work })
        } catch (error) {
          expect(error).toBeInstanceOf(Undrawable)
        }
        expect(work.spent).toBeLessThan(2 * MOST_STEPS)
      }),
      runs(200) as fc.Parameters<[JsonSchema, number]>,
    )
  })
})
