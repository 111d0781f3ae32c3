import { parseBoundedJson } from '../../../base/text/json-text.js'
import { isRecord } from '../../contract/pydantic/record.js'
import { BadField } from './bad-field.js'

export type JsonSchema = Readonly<Record<string, unknown>> | boolean
/** A part of an answer that has a value of its own. */
export interface SchemaPart {
  readonly schema: JsonSchema
  /** The path of the schema in the request. */
  readonly at: string
  /** Whether the value is a text that is written as it is, and not as JSON. */
  readonly isText: boolean
}

/**
 * What an answer must look like: `text` for any text, `json` for any JSON, or its parts, one behind the other. Texts
 * among them are literal.
 */
export type AnswerFormat = 'text' | 'json' | { readonly parts: readonly (string | SchemaPart)[] }

type Parts = (string | SchemaPart)[]
type Fields = Readonly<Record<string, unknown>>

const FORMAT_AT = 'response_format.json_schema.schema'
const OUTPUTS = 'structured_outputs'
const KINDS = ['json', 'regex', 'choice', 'grammar', 'json_object', 'structural_tag'] as const

/** Reads the constraints of an answer. Their types were checked. A request can have one. */
export function readFormat({
  response_format: format,
  structured_outputs: outputs,
}: Fields): AnswerFormat | BadField {
  const given = constraintsIn(format, outputs)
  if (given.length > 1) {
    return BadField.worded(
      null,
      `You can only use one kind of structured outputs constraint but multiple are specified: ${given.join(', ')}`,
    )
  }
  if (given[0] === 'response_format') return formatOf(format as Fields)
  const [kind] = given as (typeof KINDS)[number][]
  if (kind !== undefined) return outputOf(kind, (outputs as Fields)[kind])
  if (!isRecord(outputs)) return 'text'
  return BadField.worded(
    null,
    'You must use one kind of structured outputs constraint but none are specified',
  )
}

function constraintsIn(format: unknown, outputs: unknown): string[] {
  const isFormat = isRecord(format) && format['type'] !== 'text'
  const kinds = KINDS.filter((kind) => ((Object(outputs) as Fields)[kind] ?? null) !== null)
  return [...(isFormat ? ['response_format'] : []), ...kinds]
}

function formatOf(format: Fields): AnswerFormat | BadField {
  if (format['type'] === 'json_object') return 'json'
  if (format['type'] === 'structural_tag') return tagFormat(format, 'response_format')
  return schemaFormat((format['json_schema'] as Fields)['schema'], FORMAT_AT)
}

function outputOf(kind: (typeof KINDS)[number], value: unknown): AnswerFormat | BadField {
  const at = `${OUTPUTS}.${kind}`
  switch (kind) {
    case 'json':
      return schemaFormat(typeof value === 'string' ? parseBoundedJson(value) : value, at)
    case 'regex':
      return { parts: [matching(value as string, at)] }
    case 'choice':
      return chosenFormat(value as string[], at)
    case 'grammar':
      return grammarFormat(value as string, at)
    case 'json_object':
      return 'json'
    case 'structural_tag': {
      const tag = parseBoundedJson(value as string)
      return isRecord(tag)
        ? tagFormat(tag, at)
        : BadField.own(at, 'expected a structural tag as JSON')
    }
  }
}

function schemaFormat(schema: unknown, at: string): AnswerFormat | BadField {
  if (!isRecord(schema)) return BadField.own(at, 'expected a JSON Schema')
  return { parts: [{ schema, at, isText: false }] }
}

/** A text that a regular expression matches as a whole. */
function matching(regex: string, at: string): SchemaPart {
  return { schema: { type: 'string', pattern: `^(?:${regex})$` }, at, isText: true }
}

function chosenFormat(choices: readonly string[], at: string): AnswerFormat | BadField {
  if (choices.length === 0) return BadField.own(at, 'expected at least one text')
  return { parts: [{ schema: { enum: choices }, at, isText: true }] }
}

/** Of grammars, only those whose one rule lists texts are known. */
function grammarFormat(grammar: string, at: string): AnswerFormat | BadField {
  const text = String.raw`\s*"(?:[^"\\]|\\.)*"\s*`
  const [, texts] =
    new RegExp(String.raw`^\s*\w+\s*(?:::=|:)(${text}(?:\|${text})*)$`).exec(grammar) ?? []
  if (texts === undefined) {
    const known = String.raw`root ::= "yes" | "no"`
    return BadField.own(
      at,
      `the emulator knows only grammars of one rule that lists texts: ${known}`,
    )
  }
  const listed = texts.match(/"(?:[^"\\]|\\.)*"/g)!
  return chosenFormat(
    listed.map((each) => (parseBoundedJson(each) as string | undefined) ?? each.slice(1, -1)),
    at,
  )
}

/** A structural tag, in the older form with `structures` or the newer one with `format`. */
function tagFormat({ structures, format }: Fields, at: string): AnswerFormat | BadField {
  if (!Array.isArray(structures)) {
    const parts = tagParts(format, `${at}.format`)
    return parts instanceof BadField ? parts : { parts }
  }
  const { begin, end, schema } = Object(structures[0]) as Fields
  const place = `${at}.structures[0]`
  if (typeof begin !== 'string' || typeof end !== 'string' || !isRecord(schema)) {
    return BadField.own(place, 'expected begin, schema and end')
  }
  return { parts: [begin, { schema, at: `${place}.schema`, isText: false }, end] }
}

/** The parts of a format of a structural tag. Of several that fit, the first one. */
function tagParts(format: unknown, at: string): Parts | BadField {
  const { type, value, json_schema: schema, pattern, elements, tags } = Object(format) as Fields
  const { begin, content, end } = Object(format) as Fields
  if (type === 'any_text') return []
  if (type === 'const_string' && typeof value === 'string') return [value]
  if (type === 'regex' && typeof pattern === 'string') return [matching(pattern, `${at}.pattern`)]
  if (type === 'json_schema' && isRecord(schema)) {
    return [{ schema, at: `${at}.json_schema`, isText: false }]
  }
  if (type === 'sequence' && Array.isArray(elements)) {
    const all = elements.map((each, index) => tagParts(each, `${at}.elements[${index}]`))
    return all.find((each) => each instanceof BadField) ?? (all as Parts[]).flat()
  }
  if (type === 'or' && Array.isArray(elements)) return tagParts(elements[0], `${at}.elements[0]`)
  if (type === 'triggered_tags' || type === 'tags_with_separator') {
    return Array.isArray(tags)
      ? tagParts(Object.assign({ type: 'tag' }, tags[0]), `${at}.tags[0]`)
      : []
  }
  if (type === 'tag' && typeof begin === 'string' && typeof end === 'string') {
    const inner = tagParts(content, `${at}.content`)
    return inner instanceof BadField ? inner : [begin, ...inner, end]
  }
  return BadField.own(at, 'the emulator does not know such a structural tag')
}
