import { matchAt } from '../match-at.js'
import { HIDDEN } from './hidden.js'
import { isSecretName, LONGEST_NAME_IN_TEXT } from './secret-names.js'
import type { Range } from './secret-search.js'

const HIDDEN_PATTERN = HIDDEN.replaceAll(/[[\]]/g, String.raw`\$&`)
/** Parameters of a query, and of a form that is the whole text. What is hidden already may stand in a value. */
const QUERY = new RegExp(
  String.raw`(?:[?&]|^(?=[^&\s]*(?:&|\s*$)))([^=&?#\s"'<>]{1,${LONGEST_NAME_IN_TEXT}})=((?:${HIDDEN_PATTERN}|[^&#\s"'<>])*)`,
  'g',
)
const USER_INFO = /(?<=[a-z\d+.-]):\/\/([^\s/?#"'<>\\]+)(@)/iy
/** The same in a text whose end is missing, which may be that of a user and a password. */
const USER_INFO_OF_CUT = /(?<=[a-z\d+.-]):\/\/([^\s/?#"'<>\\]+)(@|$)/iy
const FORM_PART = new RegExp(String.raw`\bname="([^"\r\n]{1,${LONGEST_NAME_IN_TEXT}})"`, 'g')

/** Finds the values of parameters of queries and of forms that are secrets by their names. */
export function secretParameters(text: string): Range[] {
  const values: Range[] = []
  if (!text.includes('=')) return values
  for (const { 0: whole, 1: name = '', 2: value = '', index } of text.matchAll(QUERY)) {
    if (value !== '' && isSecretName(name, 'query')) values.push(endOf(whole, value, index))
  }
  if (text.includes('name="')) values.push(...formParts(text))
  return values
}

/**
 * Finds users and passwords of URLs. Goes from one `://` to the next: a pattern that looks at what is before each
 * character is slow in long texts.
 *
 * @param isCut Whether the end of the text is missing.
 */
export function usersOfUrls(text: string, isCut: boolean): Range[] {
  const values: Range[] = []
  const pattern = isCut ? USER_INFO_OF_CUT : USER_INFO
  let at = text.indexOf('://')
  while (at !== -1) {
    const [whole = ':', user = '', end = ''] = matchAt(pattern, text, at) ?? []
    if (user !== '') values.push(endOf(whole.slice(0, whole.length - end.length), user, at))
    at = text.indexOf('://', at + whole.length)
  }
  return values
}

function endOf(whole: string, value: string, index: number): Range {
  const end = index + whole.length
  return [end - value.length, end]
}

function formParts(text: string): Range[] {
  const values: Range[] = []
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
    values.push([start, end])
  }
  return values
}
