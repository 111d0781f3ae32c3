import { matchAt } from '../match-at.js'
import { endOfString } from '../json-scan.js'
import {
  HINT_OF_SECRET_NAME,
  holdsSecrets,
  isSecretName,
  LONGEST_NAME_IN_TEXT,
} from './secret-names.js'
import type { Range } from './secret-search.js'

/** The value of a field. */
export interface FieldValue {
  readonly range: Range
  /** Whether the text with a replacement is JSON only if the replacement is in quotes. */
  readonly isNumber?: boolean
}

const NAME = String.raw`(["'])([^"'\\\s]{1,${LONGEST_NAME_IN_TEXT}})\1\s{0,20}`
/** Python writes bytes as `b'…'`. */
const FIELD = new RegExp(String.raw`${NAME}:\s{0,20}(?:b(?=["']))?`, 'y')
/** Headers as pairs: `["authorization", "…"]` and `{"name": "authorization", "value": "…"}`. */
const HEADER_PAIR = new RegExp(
  String.raw`${NAME},\s{0,20}(["']value["']\s{0,20}:\s{0,20})?b?(?=["'])`,
  'iy',
)
/** The names of headers that are no words of other lists: `["password", "email"]` may be names of fields. */
const ONLY_A_HEADER = /-|^(?:authorization|cookie|api_?key)$/i
const HINTS = new RegExp(HINT_OF_SECRET_NAME, 'gi')
/** In log probabilities, `token` is a text of the model. */
const TOKEN_OF_MODEL =
  /(?<=["'])token["']\s{0,20}:\s{0,20}(?:"(?:[^"\\]|\\.){0,2000}"|'(?:[^'\\]|\\.){0,2000}')\s{0,20},\s{0,20}["'](?:logprob|bytes|token_id|rank|top_logprobs)["']\s{0,20}:/sy
/** The same, if the log probability stands before it. */
const AFTER_LOGPROB = /["'](?:logprob|bytes)["']\s*:[^{}"']*,\s*$/
/** The most characters of a number, or of a list of bytes, before the text of a token. */
const LONGEST_BEFORE_TOKEN = 2000
const NUMBER = /-?\d[\d.eE+-]*/y

/**
 * Finds the values of fields of JSON, and of headers in pairs, that are secrets by their names. Looks only at names that
 * may be those of secrets: log probabilities have thousands of others.
 */
export function secretFieldValues(text: string): FieldValue[] {
  const values: FieldValue[] = []
  let end = 0
  for (const { index: hint } of text.matchAll(HINTS)) {
    const before = text.slice(Math.max(0, hint - LONGEST_NAME_IN_TEXT), hint)
    const place = hint - before.length + Math.max(before.lastIndexOf('"'), before.lastIndexOf("'"))
    // An object that is hidden as a whole may have more names in it.
    if (place < end || isTextOfModel(text, place)) continue
    const found = secretAt(text, place)
    if (found) end = addValue(values, found)
  }
  return values
}

/** Finds a field, or a pair of a header and its value, whose name is that of a secret. */
function secretAt(text: string, place: number): Field | undefined {
  const field = matchAt(FIELD, text, place)
  const isField = field !== null && isSecretName(field[2]!, 'field')
  const found = isField ? field : matchAt(HEADER_PAIR, text, place)
  if (!found) return undefined
  const { 0: whole, 2: name = '', 3: isNamed } = found
  if (!isField && !isHeader(name, isNamed !== undefined)) return undefined
  return { text, name, start: place + whole.length }
}

/** Whether a name before a value is that of a header with a secret. `isNamed`: the value has a name, too. */
function isHeader(name: string, isNamed: boolean): boolean {
  return isSecretName(name, 'header') && (isNamed || ONLY_A_HEADER.test(name))
}

/** Whether a field `token` is a text of the model: it stands beside a log probability. */
function isTextOfModel(text: string, place: number): boolean {
  if (matchAt(TOKEN_OF_MODEL, text, place + 1)) return true
  if (!/^["']token["']/.test(text.slice(place, place + '"token"'.length))) return false
  return AFTER_LOGPROB.test(text.slice(Math.max(0, place - LONGEST_BEFORE_TOKEN), place))
}

interface Field {
  readonly text: string
  readonly name: string
  /** Where its value starts. */
  readonly start: number
}

/** Returns where the value ends. */
function addValue(values: FieldValue[], { text, name, start }: Field): number {
  const first = text[start]
  if (first === '"' || first === "'") {
    const end = endOfString(text, start)
    if (end > start + 1) values.push({ range: [start + 1, end] })
    return end
  }
  if ((first === '[' || first === '{') && holdsSecrets(name)) {
    return addAll(values, text, start)
  }
  return addNumber(values, text, start)
}

/** Returns where the number ends; its start if it is none. */
function addNumber(values: FieldValue[], text: string, start: number): number {
  const [number = ''] = matchAt(NUMBER, text, start) ?? []
  const end = start + number.length
  if (end > start) values.push({ range: [start, end], isNumber: true })
  return end
}

/** Adds all values inside of an object or a list. The names of its fields stay. Returns where it ends. */
function addAll(values: FieldValue[], text: string, start: number): number {
  let depth = 0
  for (let index = start; index < text.length; index++) {
    const character = text[index]!
    if (character === '[' || character === '{') depth++
    else if (character === ']' || character === '}') {
      if (--depth === 0) return index
    } else if (character === '"' || character === "'") {
      const end = endOfString(text, index)
      if (!/^\s*:/.test(text.slice(end + 1, end + 10)) && end > index + 1) {
        values.push({ range: [index + 1, end] })
      }
      index = end
    } else index = Math.max(index, addNumber(values, text, index) - 1)
  }
  return text.length
}
