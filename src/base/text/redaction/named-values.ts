import { endOfString } from '../json-text.js'
import { readingsOf } from './readings.js'
import { HIDDEN } from './hidden.js'
import { HINT_OF_SECRET_NAME, holdsSecrets, isSecretName } from './secret-names.js'
import { SHORTEST_ANYWHERE, type Range } from './secret-search.js'

/** A value that is a secret because of its name, or a password in a URL. */
export interface NamedValue {
  readonly range: Range
  /** Whether the text with a replacement is JSON only if the replacement is in quotes. */
  readonly isNumber?: boolean
}

const LONGEST_NAME = 80
const NAME = String.raw`(["'])([^"'\\\s]{1,${LONGEST_NAME}})\1\s{0,20}`
const HIDDEN_PATTERN = HIDDEN.replaceAll(/[[\]]/g, String.raw`\$&`)
/** Parameters of a query, and of a form that is the whole text. What is hidden already may stand in a value. */
const QUERY = new RegExp(
  String.raw`(?:[?&]|^(?=[^&\s]*(?:&|\s*$)))([^=&?#\s"'<>]{1,${LONGEST_NAME}})=((?:${HIDDEN_PATTERN}|[^&#\s"'<>])*)`,
  'g',
)
const USER_INFO = /(?<=[a-z\d+.-]):\/\/([^\s/?#"'<>\\]+)(@)/iy
/** The same in a text whose end is missing, which may be that of a user and a password. */
const USER_INFO_OF_CUT = /(?<=[a-z\d+.-]):\/\/([^\s/?#"'<>\\]+)(@|$)/iy
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
const FORM_PART = new RegExp(String.raw`\bname="([^"\r\n]{1,${LONGEST_NAME}})"`, 'g')
/** In log probabilities, `token` is a text of the model. */
const TOKEN_OF_MODEL =
  /(?<=["'])token["']\s{0,20}:\s{0,20}(?:"(?:[^"\\]|\\.){0,2000}"|'(?:[^'\\]|\\.){0,2000}')\s{0,20},\s{0,20}["'](?:logprob|bytes|token_id|rank|top_logprobs)["']\s{0,20}:/sy
/** The same, if the log probability stands before it. */
const AFTER_LOGPROB = /["'](?:logprob|bytes)["']\s*:[^{}"']*,\s*$/
/** The most characters of a number, or of a list of bytes, before the text of a token. */
const LONGEST_BEFORE_TOKEN = 2000
const NUMBER = /-?\d[\d.eE+-]*/y

/**
 * Finds values by their names: fields of JSON, parameters of queries, parts of forms, and headers in pairs; and users
 * and passwords of URLs. The text need not be valid. No part of it is read again for each name, so the time is linear.
 *
 * @param isCut Whether the end of the text is missing.
 */
export function namedValuesIn(text: string, isCut = false): NamedValue[] {
  const values: NamedValue[] = []
  if (text.includes('=')) addParameters(values, text)
  addUsers(values, { text, isCut })
  addFields(values, text)
  return values
}

function addParameters(values: NamedValue[], text: string): void {
  for (const { 0: whole, 1: name = '', 2: value = '', index } of text.matchAll(QUERY)) {
    if (value !== '' && isSecretName(name, 'query')) values.push(endOf(whole, value, index))
  }
  if (text.includes('name="')) values.push(...formParts(text))
}

/** Goes from one `://` to the next: a pattern that looks at what is before each character is slow in long texts. */
function addUsers(values: NamedValue[], { text, isCut }: { text: string; isCut: boolean }): void {
  const pattern = isCut ? USER_INFO_OF_CUT : USER_INFO
  let at = text.indexOf('://')
  while (at !== -1) {
    const [whole = ':', user = '', end = ''] = matchAt(pattern, text, at) ?? []
    if (user !== '') values.push(endOf(whole.slice(0, whole.length - end.length), user, at))
    at = text.indexOf('://', at + whole.length)
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Looks only at names that may be those of secrets. Log probabilities have thousands of others. */
function addFields(values: NamedValue[], text: string): void {
  let end = 0
  for (const { index: hint } of text.matchAll(HINTS)) {
    const before = text.slice(Math.max(0, hint - LONGEST_NAME), hint)
    const place = hint - before.length + Math.max(before.lastIndexOf('"'), before.lastIndexOf("'"))
    // An object that is hidden as a whole may have more names in it.
    if (place < end || isTextOfModel(text, place)) continue
    const found = secretAt(text, place)
    if (found) end = addValue(values, found)
  }
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

/**
 * The values of secret fields in a text, also in JSON inside of JSON. Without short ones: elsewhere, such a value may be
 * an ordinary word.
 */
export function secretFieldsIn(text: string): string[] {
  const values = readingsOf(text).flatMap(({ text: reading }) => {
    return namedValuesIn(reading).map(({ range }) => reading.slice(...range))
  })
  return [...new Set(values)].filter(({ length }) => length >= SHORTEST_ANYWHERE)
}

function endOf(whole: string, value: string, index: number): NamedValue {
  const end = index + whole.length
  return { range: [end - value.length, end] }
}

function formParts(text: string): NamedValue[] {
  const values: NamedValue[] = []
  let end = 0
  for (const { 0: found, 1: name = '', index } of text.matchAll(FORM_PART)) {
    if (index < end || !isSecretName(name, 'query')) continue
    const line = text.indexOf('\n', index + found.length)
    if (line === -1) break
    const lineEnd = text[line - 1] === '\r' ? '\r\n' : '\n'
    // Headers of the part may follow. An empty line ends them.
    const empty = text.indexOf(lineEnd + lineEnd, line + 1 - lineEnd.length)
    if (empty === -1) break
    const start = empty + 2 * lineEnd.length
    const next = text.indexOf(`${lineEnd}--`, start)
    end = next === -1 ? text.length : next
    values.push({ range: [start, end] })
  }
  return values
}

interface Field {
  readonly text: string
  readonly name: string
  /** Where its value starts. */
  readonly start: number
}

/** Returns where the value ends. */
function addValue(values: NamedValue[], { text, name, start }: Field): number {
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
function addNumber(values: NamedValue[], text: string, start: number): number {
  const [number = ''] = matchAt(NUMBER, text, start) ?? []
  const end = start + number.length
  if (end > start) values.push({ range: [start, end], isNumber: true })
  return end
}

/** Adds all values inside of an object or a list. The names of its fields stay. Returns where it ends. */
function addAll(values: NamedValue[], text: string, start: number): number {
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
