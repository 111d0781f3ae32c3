import type { FieldKind, JsonSchema } from './json-schema.js'
import { parsed } from '../parts/json-text.js'

/** A kind of field with one control. */
export type PlainKind = Exclude<FieldKind, { kind: 'object' | 'union' }>

/** How a field writes a value, and reads what it or a user wrote. What cannot be read stays a text. */
interface Writing {
  read: (text: string) => unknown
  write: (value: unknown) => string
  /** Set if it also reads JSON, so that each value can be written. */
  readsJson?: true
}

/** Reads what a user wrote. What cannot be read stays a text, and the check says what is wrong. */
export function valueIn(text: string, kind: PlainKind): unknown {
  const isNothing = kind.kind === 'text' ? text === '' : text.trim() === ''
  return isNothing ? undefined : writingOf(kind).read(text)
}

/** The text that `valueIn` reads as the value. */
export function textFor(value: unknown, kind: PlainKind): string {
  if (value === undefined) return ''
  const { write, readsJson } = writingOf(kind)
  return readsJson ? exactText(value, { read: (text) => valueIn(text, kind), write }) : write(value)
}

/** The usual text of a value, or JSON if that text means another value. */
function exactText(value: unknown, { read, write }: Writing): string {
  const [text, json] = [write(value), JSON.stringify(value)]
  return JSON.stringify(read(text)) === json ? text : json
}

function writingOf(kind: PlainKind): Writing {
  switch (kind.kind) {
    case 'number':
      return { read: numberIn, write: String }
    case 'list':
      return listWriting(kind)
    case 'map':
      return MAP
    case 'json':
      return ANY_JSON
    case 'text':
    case 'choice':
    case 'boolean':
      return { read: (text) => text, write: String }
  }
}

function numberIn(text: string): number | string {
  const number = Number(text)
  return text.trim() !== '' && Number.isFinite(number) ? number : text.trim()
}

/** Values with commas between them. */
function listWriting({ of, single }: Extract<PlainKind, { kind: 'list' }>): Writing {
  return {
    read: (text) => {
      const json = parsed(text)
      if (Array.isArray(json) || (single && typeof json === 'string')) return json
      const parts = text.split(',').flatMap((part) => part.trim() || [])
      const values = of === 'number' ? parts.map(numberIn) : parts
      return values.length === 1 && single ? values[0] : values
    },
    readsJson: true,
    write: (value) => [value].flat().join(', '),
  }
}

/** A line for each name, with its value after a colon. */
const MAP: Writing = {
  read: (text) => {
    const json = parsed(text)
    if (typeof json === 'object' && json !== null) return json
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    return Object.fromEntries(lines.map(pairIn))
  },
  readsJson: true,
  write: (value) => {
    const parts = Object.entries(Object(value))
    return parts.map(([name, part]) => `${name}: ${exactText(part, PART)}`).join('\n')
  },
}

function pairIn(line: string): [string, unknown] {
  const [name = '', ...rest] = line.split(':')
  return [name.trim(), PART.read(rest.join(':'))]
}

/** A value in one line. */
const PART: Writing = {
  read: (text) => (text.includes('\n') ? undefined : jsonIn(text.trim())),
  write: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
}

const ANY_JSON: Writing = {
  read: jsonIn,
  readsJson: true,
  write: (value) => {
    if (!Array.isArray(value) || value.length < 2) return PART.write(value)
    return `[\n${value.map((each) => `  ${JSON.stringify(each)}`).join(',\n')}\n]`
  },
}

function jsonIn(text: string): unknown {
  const value = parsed(text)
  return value === undefined ? text : value
}

export function unsetText({ default: usual }: JsonSchema): string {
  return usual === undefined ? 'not set' : `default: ${JSON.stringify(usual).replaceAll('"', '')}`
}

export function placeholderOf(schema: JsonSchema, kind: PlainKind): string {
  if (schema.default !== undefined) return unsetText(schema)
  const [example] = schema.examples ?? []
  return example === undefined ? '' : `such as ${textFor(example, kind)}`
}
