import type * as z from 'zod'
import { didYouMean } from '../../base/text/nearest.js'
import { shortened } from '../../base/text/shortened.js'

export type Issue = z.core.$ZodIssue

/** Says that a key is unknown, and where it is known, or else which are known there. */
export function formatUnknownKey(key: string, known: string[], elsewhere: string[]): string {
  const place = elsewhere.length > 0 ? ` Its place is ${elsewhere.join(' or ')}.` : undefined
  const listed = known.length > 0 ? ` Known here: ${known.join(', ')}.` : ''
  return `unknown key ${formatValue(key)}.${place ?? didYouMean(key, known)}${listed}`
}

/** Formats the type of a value that may be secret. */
export function formatType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return typeNames.array!
  return typeNames[typeof value] ?? typeof value
}

/** Says what is wrong with a value. `formatted` is the value as a message may show it. */
export function formatIssue(
  issue: Issue,
  { value, formatted }: { value: unknown; formatted: string },
): string {
  const allowed = allowedBy(issue)
  const listed = allowed ? ` Allowed: ${allowed.join(', ')}.` : ''
  if (value === undefined) return listed === '' ? 'is missing' : `is missing.${listed}`
  if (allowed) {
    // A suggestion would reveal a hidden value, and another number is not a misspelling.
    const isSilent = formatted !== formatValue(value) || typeof value === 'number'
    const written = typeof value === 'string' ? value : formatted
    return `${formatted} is not allowed here${isSilent ? '.' : suggestion(written, allowed)}${listed}`
  }
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message
  const expected = expectedBy(issue)
  if (expected !== undefined) return `${EXPECTED}${expected}, got ${formatted}`
  if (issue.code === 'too_small') return `must not be empty, got ${formatted}`
  // Our own complete sentences need no "got".
  return issue.code === 'custom' ? issue.message : `${issue.message}, got ${formatted}`
}

function suggestion(written: string, known: readonly string[]): string {
  return `.${didYouMean(written, known)}`
}

/** What our own messages begin with, unless they are complete sentences. Those of the library never do. */
const EXPECTED = 'expected '

/** What an own message says that is expected. Undefined for a complete sentence, and for a message of the library. */
function ownExpectation({ message }: Issue): string | undefined {
  return message.startsWith(EXPECTED) ? message.slice(EXPECTED.length) : undefined
}

/** What is expected in the place of a value. Our own messages say it; those of the library are replaced. */
function expectedBy(issue: Issue): string | undefined {
  const own = ownExpectation(issue)
  if (own !== undefined) return own
  if (issue.code === 'invalid_type') return typeNames[issue.expected] ?? issue.expected
  if (issue.code === 'too_small' && issue.origin === 'number') {
    return `${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`
  }
  if (issue.code === 'too_big') return `at most ${issue.maximum}`
  if (issue.code !== 'invalid_union') return undefined
  const variants = new Set(issue.errors.flatMap(variantsIn))
  return variants.size > 0 ? [...variants].join(' or ') : undefined
}

/** What a variant of a union expects. Nothing if it has no words, as a function has none: a file can't have it. */
function variantsIn([issue]: readonly Issue[]): readonly string[] {
  if (issue?.code === 'invalid_value') return issue.values.map(String)
  const expected = issue && expectedBy(issue)
  return expected === undefined ? [] : [expected]
}

const typeNames: Readonly<Record<string, string>> = {
  object: 'a map of keys and values',
  record: 'a map of keys and values',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
}

const LONGEST_SHOWN = 80

/** Formats a value in one short line. */
export function formatValue(value: unknown): string {
  // YAML has these numbers, JSON does not.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (typeof value === 'function') return 'a function'
  const text = jsonOf(value)
  if (text === undefined) {
    return typeof value === 'bigint' || typeof value === 'symbol'
      ? String(value)
      : formatType(value)
  }
  return shortened(text, LONGEST_SHOWN)
}

/** The JSON of a value. Undefined if JSON cannot write it, such as a bigint or an object that contains itself. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** The values that are allowed in place of a wrong one, if they can be listed. */
export function allowedBy(issue: Issue): string[] | undefined {
  if (issue.code === 'invalid_value') return issue.values.map(String)
  if (issue.code !== 'invalid_union') return undefined
  // A union with a discriminator. The type of the library does not have the options.
  const { options } = issue as { options?: string[] }
  if (options) return options
  const variants = issue.errors.flat().map(allowedBy)
  if (variants.every((values) => values !== undefined)) return variants.flat()
  // The other variants are lists or maps of the same values, or have a message of their own.
  const values = variants.flatMap((each) => each ?? [])
  return typeof issue.input === 'string' && ownExpectation(issue) === undefined && values.length > 0
    ? values
    : undefined
}
