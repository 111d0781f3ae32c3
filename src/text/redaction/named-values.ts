import { readingsOf } from './readings.js'
import { isSecretName } from './secret-names.js'
import type { Range } from './secret-search.js'

/** A value that is a secret because of its name, or a password in a URL. */
export interface NamedValue {
  readonly range: Range
  /** Whether the text with a replacement is JSON only if the replacement is in quotes. */
  readonly isNumber?: boolean
}

const QUERY = /[?&]([^=&?#\s"'<>]{1,80})=((?:\[not shown\]|[^&#\s"'<>])*)/g
const USER_INFO = /[a-z][a-z\d+.-]{0,30}:\/\/([^\s/?#"'<>\\]+)@/gi
/** A user and a password whose end is missing. */
const USER_INFO_WITHOUT_END = /[a-z][a-z\d+.-]{0,30}:\/\/([^\s/?#"'<>\\]+)$/i
const FIELD = /(["'])([^"'\\\s]{1,80})\1\s{0,20}:\s{0,20}/g
/** Headers as pairs: `["authorization", "…"]` and `{"name": "authorization", "value": "…"}`. */
const HEADER_PAIR =
  /(["'])((?:proxy-)?authorization|(?:set-)?cookie|(?:x-)?api-?key)\1\s{0,20},\s{0,20}(?:["']value["']\s{0,20}:\s{0,20})?(?=["'])/gi
const FORM_PART = /\bname="([^"\r\n]{1,80})"[^\r\n]*(\r?\n)/g
/** In log probabilities, `token` is a text of the model. */
const TOKEN_OF_MODEL = /^\s*,\s*["'](?:logprob|bytes|token_id|rank|top_logprobs)["']\s*:/
const AFTER_LOGPROB = /["'](?:logprob|bytes)["']\s*:\s*[^{}"']{0,2000},\s*$/
const NUMBER = /-?\d[\d.eE+-]*/y

/** Names whose object or list is hidden as a whole. In the others, each field is judged by its own name. */
const HOLDS_SECRETS = /(?:credential|cookie|secret|password|authorization)s?$/i

/**
 * Finds values by their names: fields of JSON, parameters of queries, parts of forms, and headers in pairs; and users
 * and passwords of URLs. The text need not be valid.
 *
 * @param isCut Whether the end of the text is missing.
 */
export function namedValuesIn(text: string, isCut = false): NamedValue[] {
  const values: NamedValue[] = []
  if (text.includes('=')) addParameters(values, text)
  if (text.includes('://')) addUsers(values, { text, isCut })
  if (text.includes('"') || text.includes("'")) addFields(values, text)
  return values
}

function addParameters(values: NamedValue[], text: string): void {
  for (const { 0: whole, 1: name = '', 2: value = '', index } of text.matchAll(QUERY)) {
    if (value !== '' && isSecretName(name, 'query')) values.push(endOf(whole, value, index))
  }
  if (text.includes('name="')) values.push(...formParts(text))
}

function addUsers(values: NamedValue[], { text, isCut }: { text: string; isCut: boolean }): void {
  for (const { 0: whole, 1: user = '', index } of text.matchAll(USER_INFO)) {
    values.push(endOf(whole.slice(0, -1), user, index))
  }
  const cut = isCut ? USER_INFO_WITHOUT_END.exec(text) : null
  if (cut) values.push(endOf(cut[0], cut[1]!, cut.index))
}

function addFields(values: NamedValue[], text: string): void {
  for (const { 0: found, 2: name = '', index } of text.matchAll(FIELD)) {
    if (!isSecretName(name, 'field')) continue
    addValue(values, { text, name, place: index, start: index + found.length })
  }
  for (const { 0: found, 2: name = '', index } of text.matchAll(HEADER_PAIR)) {
    addValue(values, { text, name, place: index, start: index + found.length })
  }
}

/** The values of secret fields in a text, also in JSON inside of JSON. */
export function secretFieldsIn(text: string): string[] {
  const values: string[] = []
  for (const { text: reading } of readingsOf(text)) {
    for (const { range } of namedValuesIn(reading)) values.push(reading.slice(...range))
  }
  return values
}

function endOf(whole: string, value: string, index: number): NamedValue {
  const end = index + whole.length
  return { range: [end - value.length, end] }
}

function formParts(text: string): NamedValue[] {
  const values: NamedValue[] = []
  for (const { 0: found, 1: name = '', 2: lineEnd = '', index } of text.matchAll(FORM_PART)) {
    if (!isSecretName(name, 'query')) continue
    // Headers of the part may follow. An empty line ends them.
    const lines = index + found.length - lineEnd.length
    const empty = text.indexOf(lineEnd + lineEnd, lines)
    if (empty === -1) continue
    const start = empty + 2 * lineEnd.length
    const end = text.indexOf(`${lineEnd}--`, start)
    values.push({ range: [start, end === -1 ? text.length : end] })
  }
  return values
}

interface Field {
  readonly text: string
  readonly name: string
  /** Where its name starts. */
  readonly place: number
  /** Where its value starts. */
  readonly start: number
}

function addValue(values: NamedValue[], { text, name, place, start }: Field): void {
  const first = text[start]
  if (first === '"' || first === "'") {
    const end = endOfString(text, start)
    const isOfModel =
      name === 'token' &&
      (TOKEN_OF_MODEL.test(text.slice(end + 1, end + 60)) ||
        AFTER_LOGPROB.test(text.slice(Math.max(0, place - 2100), place)))
    if (end > start + 1 && !isOfModel) values.push({ range: [start + 1, end] })
    return
  }
  NUMBER.lastIndex = start
  const [number] = NUMBER.exec(text) ?? []
  if (number !== undefined) values.push({ range: [start, start + number.length], isNumber: true })
  else if ((first === '[' || first === '{') && HOLDS_SECRETS.test(name)) {
    values.push(...stringsIn(text, start))
  }
}

/** All texts inside of an object or a list, without the names of its fields. */
function stringsIn(text: string, start: number): NamedValue[] {
  const values: NamedValue[] = []
  let depth = 0
  for (let index = start; index < text.length; index++) {
    const character = text[index]!
    if (character === '[' || character === '{') depth++
    else if (character === ']' || character === '}') {
      if (--depth === 0) break
    } else if (character === '"' || character === "'") {
      const end = endOfString(text, index)
      if (!/^\s*:/.test(text.slice(end + 1, end + 10)) && end > index + 1) {
        values.push({ range: [index + 1, end] })
      }
      index = end
    }
  }
  return values
}

/** Where the quote is that ends a string; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  const quote = text[start]!
  for (let end = text.indexOf(quote, start + 1); end !== -1; end = text.indexOf(quote, end + 1)) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end
  }
  return text.length
}
