import { levelsOf } from '../../../base/text/json-scan.js'
import { LONG_JSON } from '../../../base/text/json-text.js'
import { plainOf } from './exact.js'
import type { Problem } from './problem.js'
import { DEEPEST, mayHaveLongInteger, parsePythonJson } from './python-json.js'
import { decodeJsonText, decodeWhole } from './text-encoding.js'

export type JsonBody =
  /** The body has no bytes. The content type does not matter. */
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'value'
      readonly value: unknown
      /** Reads the same text without loss: see docs/explain/contract.md#exact-values. */
      readonly exact: () => unknown
    }
  /** The body is not JSON. It gets a 422 of its own, even without an API key. */
  | { readonly kind: 'problem'; readonly problem: Problem }
  /** The body is not text, or the framework cannot parse it: too deep, or a number that is too long. It gets a 400. */
  | { readonly kind: 'unreadable' }

/**
 * Reads the body of a request as FastAPI does. A body without a Content-Type is read as JSON, because real clients
 * may omit the header. FastAPI does so up to version 0.131, and refuses it later: see ../framework.ts. A body of
 * another type is returned as text, which the schema refuses.
 */
export function readJsonBody(bytes: Uint8Array, contentType: string | undefined): JsonBody {
  if (bytes.length === 0) return { kind: 'absent' }
  if (contentType && !isJson(contentType)) return textBody(bytes)

  const text = decodeJsonText(bytes)
  if (text === undefined) return { kind: 'unreadable' }
  const isLong = text.length > LONG_JSON
  if (isLong && levelsOf(text, DEEPEST) > DEEPEST) return readUncommonJson(text)
  try {
    const value: unknown = JSON.parse(text)
    if (!isLong && isTooDeep(text, value)) return { kind: 'unreadable' }
    if (mayHaveLongInteger(text)) return readUncommonJson(text)
    return { kind: 'value', value, exact: () => readExactly(text) }
  } catch {
    return readUncommonJson(text)
  }
}

/** A body that is not JSON. */
function textBody(bytes: Uint8Array): JsonBody {
  const text = decodeWhole(bytes, 'utf-8')
  if (text !== undefined) return { kind: 'value', value: text, exact: () => text }
  const value = new TextDecoder().decode(bytes)
  // The framework has bytes here, which it cannot print. It cannot print a half of a surrogate pair either.
  return { kind: 'value', value, exact: () => `${value}\udcff` }
}

/** Reads a text again that was read before. */
function readExactly(text: string): unknown {
  const parsed = parsePythonJson(text)
  if (parsed.kind !== 'value') throw new Error(`The body was JSON, and now it is: ${parsed.kind}`)
  return parsed.value
}

function readUncommonJson(text: string): JsonBody {
  const parsed = parsePythonJson(text)
  if (parsed.kind === 'value')
    return { kind: 'value', value: plainOf(parsed.value), exact: () => parsed.value }
  if (parsed.kind !== 'error') return { kind: 'unreadable' }
  return {
    kind: 'problem',
    problem: {
      type: 'json_invalid',
      loc: ['body', parsed.position],
      msg: 'JSON decode error',
      input: {},
      ctx: { error: parsed.message },
    },
  }
}

/** `application/json` or `application/<anything>+json`, read as Python's mail parser reads a type. */
function isJson(contentType: string): boolean {
  if (contentType === 'application/json') return true
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase()
  const [main, subtype, ...rest] = type.split('/')
  if (main !== 'application' || subtype === undefined || rest.length > 0) return false
  return subtype === 'json' || subtype.endsWith('+json')
}

/**
 * Whether a document is nested deeper than the framework can parse. It first counts brackets, which is cheap: few
 * documents have enough of them.
 */
function isTooDeep(text: string, value: unknown): boolean {
  if (text.length <= 2 * DEEPEST) return false
  return (hasMany(text, '[') || hasMany(text, '{')) && isDeeperThan(DEEPEST, value)
}

function hasMany(text: string, bracket: string): boolean {
  let count = 0
  for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1))
    if (++count > DEEPEST / 2) return true
  return false
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeperThan(levels - 1, item)) return true
  } else {
    for (const key in value)
      if (isDeeperThan(levels - 1, (value as Record<string, unknown>)[key])) return true
  }
  return false
}
