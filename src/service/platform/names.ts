import { shortJson } from '../../base/text/shortened.js'
import { MOST_NESTED } from '../../base/text/writable.js'
import { hasHalf } from '../contract/pydantic/python-text.js'
import { isRecord } from '../contract/pydantic/record.js'
import { PlatformError, quoted } from './platform-error.js'
import { rowOf } from './run-row.js'

const LONGEST_NAME = 128
const LONGEST_PATH = 1024

/** What has a name of one segment. */
export type NamedThing =
  | 'entity'
  | 'project'
  | 'run'
  | 'writer'
  | 'collection'
  | 'artifact type'
  | 'alias'
  | 'tag'

/**
 * Checks a name of one segment.
 *
 * @throws {PlatformError} When it is empty, longer than 128 characters, `.` or `..`, or has a character that a path or
 * a reference needs.
 */
export function checkName(thing: NamedThing, name: string): string {
  const problem = problemOfName(name)
  if (problem === undefined) return name
  throw new PlatformError(
    'invalid',
    `The name of the ${thing} is ${quoted(name)}, which ${problem}. Allowed: 1 to ${LONGEST_NAME} characters without / \\ : # ? %, control characters and halves of characters, and neither "." nor ".." alone.`,
  )
}

function problemOfName(name: string): string | undefined {
  if (name.trim() === '') return 'is empty'
  if (name.length > LONGEST_NAME) return `has ${name.length} characters`
  if (name === '.' || name === '..') return 'is a place in a file system'
  const [bad] = /[/\\:#?%\p{Cc}\p{Surrogate}]/u.exec(name) ?? []
  return bad === undefined ? undefined : `contains ${quoted(bad)}`
}

/**
 * Checks the path of a file in a run or in an artifact.
 *
 * @throws {PlatformError} When it is empty, absolute, too long, or leads out of its folder.
 */
export function checkPath(path: string): string {
  const problem = problemOfPath(path)
  if (problem === undefined) return path
  throw new PlatformError(
    'invalid',
    `The path of the file is ${quoted(path)}, which ${problem}. Allowed: a relative path of 1 to ${LONGEST_PATH} characters with / between its parts, such as data/train.jsonl.`,
  )
}

function problemOfPath(path: string): string | undefined {
  if (path === '') return 'is empty'
  if (path.length > LONGEST_PATH) return `has ${path.length} characters`
  if (path.startsWith('/')) return 'begins with a slash'
  if (path.includes('\\')) return 'contains a backslash'
  if (/\p{Cc}/u.test(path)) return 'contains a control character'
  if (hasHalf(path)) return 'contains half of a character'
  if (/^[A-Za-z]:/.test(path)) return 'begins with a drive'
  const parts = path.split('/')
  if (parts.includes('..')) return 'contains ".."'
  return parts.includes('') || parts.includes('.') ? 'has an empty part' : undefined
}

/** The index in the name of a version, such as 3 in `v3`. Undefined: it is an alias. */
export function versionIndexIn(name: string): number | undefined {
  const [, digits] = /^v(0|[1-9]\d{0,8})$/.exec(name) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/**
 * Checks an alias.
 *
 * @throws {PlatformError} When it cannot be one: `v3` always names a version.
 */
export function checkAlias(alias: string): string {
  checkName('alias', alias)
  if (versionIndexIn(alias) === undefined) return alias
  throw new PlatformError(
    'invalid',
    `The alias is ${quoted(alias)}, which is the name of a version. Choose a name that is not v and a number.`,
  )
}

/**
 * Checks a text that must be a JSON object, such as metadata.
 *
 * @throws {PlatformError} When it is none.
 */
export function checkJsonObject(what: string, text: string): string {
  if (rowOf(text)) return text
  throw new PlatformError('invalid', `The ${what} is ${kindOf(text)}.`)
}

function kindOf(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) {
      return `nested too deeply; at most ${MOST_NESTED} lists and objects can be inside each other`
    }
    const kind = Array.isArray(value) ? 'a list' : shortJson(value, 100)
    return `${kind}; expected a JSON object`
  } catch (error) {
    return `not JSON: ${(error as Error).message}`
  }
}
