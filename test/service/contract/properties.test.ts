import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { chatCompletionRequest } from '../../../src/service/contract/chat.js'
import { deleteCheckpointsRequest } from '../../../src/service/contract/checkpoint.js'
import { messageOrChoice } from '../../../src/service/contract/message.js'
import { modelCreate } from '../../../src/service/contract/model.js'
import { orderedPageQuery } from '../../../src/service/contract/page.js'
import {
  createSftTrainingJob,
  createTrainingJob,
} from '../../../src/service/contract/training-job.js'
import { logRequest } from '../../../src/service/contract/trajectory.js'
import { readJsonBody } from '../../../src/service/contract/pydantic/body.js'
import { plainOf } from '../../../src/service/contract/pydantic/exact.js'
import { printDetail } from '../../../src/service/contract/pydantic/python-print.js'
import { pythonFloat } from '../../../src/service/contract/pydantic/python-text.js'
import { dateTime } from '../../../src/service/contract/pydantic/date-time.js'
import { integer } from '../../../src/service/contract/pydantic/integer.js'
import { number } from '../../../src/service/contract/pydantic/number.js'
import type { Problem } from '../../../src/service/contract/pydantic/problem.js'
import { parsePythonJson } from '../../../src/service/contract/pydantic/python-json.js'
import { INVALID, Reader } from '../../../src/service/contract/pydantic/reader.js'
import type { Schema } from '../../../src/service/contract/pydantic/schema.js'
import { uuid } from '../../../src/service/contract/pydantic/uuid.js'
import {
  validate,
  validateBody,
  type Validation,
} from '../../../src/service/contract/pydantic/validate.js'

const bodies: readonly Schema<unknown>[] = [
  chatCompletionRequest,
  createSftTrainingJob,
  createTrainingJob,
  deleteCheckpointsRequest,
  logRequest,
  modelCreate,
]

// Keys that mean something to our schemas or to JavaScript, so that random objects get somewhere.
const key = fc.constantFrom(
  'model_id',
  'trajectory_groups',
  'trajectories',
  'messages_and_choices',
  'role',
  'content',
  'message',
  'index',
  'finish_reason',
  'metrics',
  'steps',
  'name',
  'tools',
  '__proto__',
  'constructor',
  'toString',
  '0',
)
const word = fc.constantFrom('user', 'assistant', 'text', 'stop', '1', '1.5', 'yes', '', 'é')
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.oneof(word, fc.string(), fc.double(), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('json'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.oneof(key, fc.string()), tie('json')), { maxLength: 6 })
      .map((entries) => Object.fromEntries(entries) as unknown),
  ),
}))

it('no JSON body makes a schema throw, and both ways of reading agree', () => {
  fc.assert(
    fc.property(json, (value) => {
      for (const schema of bodies) {
        const fits = schema.read(value, new Reader(true)) !== INVALID
        const teller = new Reader(false)
        expect(schema.read(value, teller) !== INVALID).toBe(fits)
        expect(teller.problems.length === 0).toBe(fits)
      }
    }),
  )
})

it('no text makes a schema throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (text) => {
      for (const schema of [integer, number, uuid, dateTime]) {
        const read = validate<unknown>(schema, text, [])
        expect(problemsOf(read).length).toBe(read.ok ? 0 : 1)
      }
      const query = orderedPageQuery.validate({ after: text, limit: text, order: text })
      expect(problemsOf(query).map(({ loc }) => loc)).not.toContainEqual(['query', 'after'])
    }),
  )
})

it('the shortcut for messages changes no result', () => {
  const message = fc.record(
    {
      role: fc.oneof(fc.constantFrom('user', 'assistant', 'system', 'tool', 'critic'), json),
      content: fc.oneof(fc.string(), json),
      name: fc.string(),
      tool_call_id: fc.string(),
      message: fc.oneof(fc.constant({ role: 'assistant', content: null }), json),
      index: fc.oneof(fc.nat(), json),
      finish_reason: fc.oneof(fc.constant('stop'), json),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(message, (value) => {
      const quick = messageOrChoice.read(value, new Reader(true))
      const thorough = messageOrChoice.read(value, new Reader(false))
      expect(quick === INVALID).toBe(thorough === INVALID)
    }),
  )
})

it('what may be a message or a choice is read as the one with more fields, inner ones included', () => {
  const texts = Array.from({ length: 8 }, () => ({ type: 'text', text: 'Hello' }))
  const choice = {
    finish_reason: 'stop',
    index: 0,
    message: { role: 'assistant', content: 'Hi' },
    logprobs: { content: null },
  }
  const read = (content: unknown): object => {
    const value = messageOrChoice.read({ role: 'user', content, ...choice }, new Reader(true))
    return value as object
  }
  expect(read('Hello')).toMatchObject(choice)
  expect(read(texts)).toEqual({ role: 'user', content: texts })
})

it('reading changes neither the input nor any prototype', () => {
  const prototypes = [Object.prototype, Array.prototype, String.prototype]
  const before = prototypes.map((prototype) => Reflect.ownKeys(prototype).length)
  fc.assert(
    fc.property(json, (value) => {
      const text = JSON.stringify(value)
      for (const schema of bodies) {
        const read = validateBody<unknown>(schema, value)
        const made = read.ok ? read.value : {}
        expect(Object.getPrototypeOf(made)).toBe(Object.prototype)
      }
      expect(JSON.stringify(value)).toBe(text)
    }),
  )
  expect(prototypes.map((prototype) => Reflect.ownKeys(prototype).length)).toEqual(before)
})

it('a key with the name __proto__ is an ordinary key', () => {
  const body = JSON.parse(
    '{"trajectories":[{"metrics":{"__proto__":"1.5","a":"2"},"__proto__":{"reward":9}}]}',
  ) as unknown
  const read = validate(logRequest, { split: 'val', trajectory_groups: [body] }, ['body'])
  if (!read.ok) throw new Error('should have been accepted')
  const trajectory = read.value.trajectory_groups[0]!.trajectories![0]!
  expect(trajectory.reward).toBeUndefined()
  expect(Object.getPrototypeOf(trajectory)).toBe(Object.prototype)
  expect(Object.entries(trajectory.metrics!)).toEqual([
    ['__proto__', 1.5],
    ['a', 2],
  ])
})

it('the scanner reads what JSON.parse reads', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'binary' }), fc.nat(4), (text, indent) => {
      const pretty = JSON.stringify(JSON.parse(text), null, indent)
      for (const form of [text, pretty]) expect(plainly(form)).toEqual(JSON.parse(form))
    }),
  )
})

function exactly(text: string): unknown {
  const parsed = parsePythonJson(text)
  if (parsed.kind !== 'value') throw new Error(`${parsed.kind}: ${text}`)
  return parsed.value
}

/** The value as JSON.parse gives it, which also has -0. */
function plainly(text: string): unknown {
  return JSON.parse(JSON.stringify(plainOf(exactly(text))))
}

// Numbers in the form in which Python prints them, so that a text can come back unchanged.
const digits = fc.stringMatching(/^-?[1-9]\d{0,40}$/)
const float = fc.double({ noNaN: true, noDefaultInfinity: true }).map(pythonFloat)
const { exact } = fc.letrec<{ exact: string }>((tie) => ({
  exact: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(
      digits,
      float,
      fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
    ),
    fc.array(tie('exact'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc
      .uniqueArray(fc.tuple(fc.oneof(key, fc.nat(12).map(String), fc.string()), tie('exact')), {
        maxLength: 5,
        selector: ([name]) => name,
      })
      .map(
        (fields) =>
          `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`,
      ),
  ),
}))

it('an exact text comes back unchanged: digits, floats, and the order of keys', () => {
  fc.assert(
    fc.property(exact, (text) => {
      expect(printDetail(exactly(text))).toBe(text)
    }),
  )
})

it('pythonRepr and JSON write the same floats', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(Number(pythonFloat(value))).toBe(value)
      expect(pythonFloat(value)).toMatch(/^-?\d+\.\d+$|^-?\d(\.\d+)?e[+-]\d\d+$/)
    }),
  )
})

it('exact values make no schema throw, and never reach an accepted value', () => {
  fc.assert(
    fc.property(exact, (text) => {
      const value: unknown = JSON.parse(text)
      for (const schema of bodies) {
        const read = validateBody<unknown>(schema, value, { exact: () => exactly(text) })
        if (!read.ok) {
          expect(read.problems.length).toBeGreaterThan(0)
          expect(() => printDetail(read.problems)).not.toThrow()
        } else if (!schema.exact) {
          expect(() => JSON.stringify(read.value)).not.toThrow()
        }
      }
    }),
  )
})

it('an integer that is too long is found wherever it is', () => {
  fc.assert(
    fc.property(fc.nat(20_000), fc.integer({ min: 4290, max: 4310 }), (before, length) => {
      const text = `["${'x'.repeat(before)}",${'7'.repeat(length)}]`
      expect(readJsonBody(encode(text), undefined).kind).toBe(
        length > 4300 ? 'unreadable' : 'value',
      )
      const inText = `["${'x'.repeat(before)}","${'7'.repeat(length)}",0.${'7'.repeat(length)}]`
      expect(readJsonBody(encode(inText), undefined).kind).toBe('value')
    }),
    { numRuns: 40 },
  )
})

it('the scanner refuses what JSON.parse refuses, with a position in the text', () => {
  const broken = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('', '"', '{', ']', ',', ':', '\\', '\n', 'é', '😀'))
    .map(([text, at, piece]) => {
      const index = at % (text.length + 1)
      return text.slice(0, index) + piece + text.slice(index + 1)
    })
  fc.assert(
    fc.property(broken, (text) => {
      const parsed = parsePythonJson(text)
      if (parsed.kind === 'value') return
      expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError)
      if (parsed.kind !== 'error') throw new Error('nothing here is deep')
      expect(parsed.position).toBeLessThanOrEqual(Array.from(text).length)
    }),
  )
})

it('no bytes make the body reader throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.string(), (bytes, type) => {
      expect(readJsonBody(bytes, 'application/json').kind).toBe(readJsonBody(bytes, undefined).kind)
      readJsonBody(bytes, type)
    }),
  )
})

it.for(['[', '{"a":', '[{"a":'])('100,000 nested levels of %s get a clear answer', (open) => {
  const close = { '[': ']', '{"a":': '}', '[{"a":': '}]' }[open]!
  const count = 100_000
  const closed = `${open.repeat(count)}1${close.repeat(count)}`
  expect(readJsonBody(encode(closed), undefined)).toEqual({ kind: 'unreadable' })
  expect(readJsonBody(encode(open.repeat(count)), undefined)).toEqual({ kind: 'unreadable' })
})

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function problemsOf(read: Validation<unknown>): readonly Problem[] {
  return read.ok ? [] : read.problems
}
