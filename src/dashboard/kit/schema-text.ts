import type { FieldKind, JsonSchema } from './json-schema.js'
import { parsed } from '../parts/json-text.js'

/** A kind of field with one control. */
export type PlainKind = Exclude<FieldKind, { kind: 'object' | 'union' }>

/** Reads what a user wrote. What cannot be read stays a text, and the check says what is wrong. */
export function valueIn(text: string, kind: PlainKind): unknown {
  if (text.trim() === '') return undefined
  switch (kind.kind) {
    case 'number':
      return numberIn(text)
    case 'list': {
      const parts = text.split(',').flatMap((part) => part.trim() || [])
      const values = kind.of === 'number' ? parts.map(numberIn) : parts
      return values.length === 1 && kind.single ? values[0] : values
    }
    case 'map': {
      const lines = text.split('\n').filter((line) => line.trim() !== '')
      return Object.fromEntries(lines.map(pairIn))
    }
    case 'json':
      return jsonIn(text)
    case 'text':
    case 'choice':
    case 'boolean':
      return text
  }
}

function numberIn(text: string): number | string {
  const number = Number(text)
  return text.trim() !== '' && Number.isFinite(number) ? number : text.trim()
}

function pairIn(line: string): [string, unknown] {
  const [name = '', ...rest] = line.split(':')
  return [name.trim(), jsonIn(rest.join(':').trim())]
}

function jsonIn(text: string): unknown {
  const value = parsed(text)
  return value === undefined ? text : value
}

/** The text that `valueIn` reads as the value. */
export function textFor(value: unknown, kind: PlainKind): string {
  if (value === undefined) return ''
  if (kind.kind === 'map' && typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([name, part]) => `${name}: ${plainJson(part)}`)
      .join('\n')
  }
  if (kind.kind === 'list' && Array.isArray(value)) return value.map(String).join(', ')
  if (Array.isArray(value) && value.length > 1) {
    return `[\n${value.map((each) => `  ${JSON.stringify(each)}`).join(',\n')}\n]`
  }
  return plainJson(value)
}

/** A text is itself unless it would be read as something else. */
function plainJson(value: unknown): string {
  const json = JSON.stringify(value)
  return typeof value === 'string' && typeof jsonIn(value) === 'string' ? value : json
}

export function unsetText({ default: usual }: JsonSchema): string {
  return usual === undefined ? 'not set' : `default: ${JSON.stringify(usual).replaceAll('"', '')}`
}

export function placeholderOf(schema: JsonSchema, kind: PlainKind): string {
  if (schema.default !== undefined) return unsetText(schema)
  const [example] = schema.examples ?? []
  return example === undefined ? '' : `such as ${textFor(example, kind)}`
}
