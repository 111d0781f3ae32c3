import { LAX } from './reader.js'
import type { Schema } from './schema.js'

const HEX = '[0-9a-fA-F]'
const HYPHENATED = `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`
// Most likely first: plain, in braces, as a URN, without hyphens.
const ACCEPTED = new RegExp(
  `^(?:${HYPHENATED}|\\{${HYPHENATED}\\}|urn:uuid:${HYPHENATED}|${HEX}{32})$`,
)
const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const URN = 'urn:uuid:'
const GROUPS = [8, 4, 4, 4, 12]
/** The length of a UUID with hyphens. */
const HYPHENATED_SIZE = 36

function canonical(text: string): string {
  const digits = text.replace(URN, '').replaceAll(/[{}-]/g, '').toLowerCase()
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Returns the message of the parser of pydantic 2.13 for a text that is not a UUID. */
function findUuidProblem(input: string): string {
  // The parser removes braces or a prefix twice. It first does so if the length is that of a UUID with braces or
  // prefix. Positions then count without them. Then it removes them from the rest. Positions count them.
  const size = sizeOf(input)
  const text = size === 38 || size === 45 ? unwrap(input, size).inner : input
  const { inner, offset } = unwrap(text)

  // Only hex digits and hyphens can come before the first invalid character, so bytes and characters are the same.
  const invalid = /[^0-9a-fA-F-]/u.exec(inner)
  if (invalid) {
    const position = invalid.index + offset + 1
    return `invalid character: found \`${invalid[0]}\` at ${position}`
  }

  const groups = inner.split('-')
  if (groups.length === 1 && offset === 0)
    return `invalid length: expected length 32 for simple format, found ${text.length}`
  return findGroupProblem(groups, text)
}

function findGroupProblem(groups: readonly string[], text: string): string {
  if (groups.length !== 5) return `invalid group count: expected 5, found ${groups.length}`
  const wrong = groups.findIndex(({ length }, index) => index < 4 && length !== GROUPS[index])
  const group = wrong < 0 ? 4 : wrong
  // The parser measures the last group by the whole text, including braces or prefix.
  const found = group === 4 ? text.length - 24 : groups[group]!.length
  return `invalid group length in group ${group}: expected ${GROUPS[group]}, found ${found}`
}

/** Returns the message of the parser of pydantic 2.14 for a text that is not a UUID. */
export function newerUuidProblem(input: string): string {
  const size = sizeOf(input)
  if (size > URN.length + HYPHENATED_SIZE) return `invalid length: found ${size}`
  const isPlain = size === 32 || size === HYPHENATED_SIZE
  const { inner, offset } = isPlain ? { inner: input, offset: 0 } : unwrap(input)
  // If what is inside has the length of a UUID, positions count from there. Otherwise, from the start of the text.
  const isWrapped = offset > 0 && sizeOf(inner) === HYPHENATED_SIZE
  const text = isWrapped ? inner : input
  const invalid = /[^0-9a-fA-F-]/u.exec(inner)
  if (invalid) {
    const position = invalid.index + (isWrapped ? 0 : offset)
    return `invalid character: found \`${invalid[0]}\` at ${position}`
  }
  const groups = inner.split('-')
  const isSimple = offset === 0 && size !== HYPHENATED_SIZE
  if (groups.length === 1 && isSimple) return `invalid length: found ${size}`
  return findGroupProblem(groups, text)
}

function unwrap(text: string, size?: number): { inner: string; offset: number } {
  if (size !== 45 && text.length > 1 && text.startsWith('{') && text.endsWith('}'))
    return { inner: text.slice(1, -1), offset: 1 }
  if (size !== 38 && text.startsWith(URN))
    return { inner: text.slice(URN.length), offset: URN.length }
  return { inner: text, offset: 0 }
}

/** Returns the number of bytes in UTF-8, which the parser counts. */
function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length
}

/** A UUID in any form, read as lower case with hyphens. */
export const uuid: Schema<string> = {
  label: 'uuid',
  read(input, reader) {
    reader.bend(LAX)
    if (typeof input !== 'string')
      return reader.refuse(
        'uuid_type',
        'UUID input should be a string, bytes or UUID object',
        input,
      )
    if (CANONICAL.test(input)) return input
    if (ACCEPTED.test(input)) return canonical(input)
    if (reader.quiet) return reader.refuse('uuid_parsing', '', input)
    const error = findUuidProblem(input)
    return reader.refuseWith({
      type: 'uuid_parsing',
      msg: `Input should be a valid UUID, ${error}`,
      input,
      ctx: { error },
    })
  },
  describe: () => ({ type: 'string', format: 'uuid' }),
}
