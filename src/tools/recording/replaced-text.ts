import { counted } from '../../base/text/counted.js'

/**
 * What a recording has in place of a text, and how a reader knows it. Both are here, because files that were written
 * before must stay readable.
 */

const REDACTED = 'redacted'
const BINARY = 'binary'
const MISSING = 'not recorded'

/** The text that replaces contents. */
export function replacement(length: number): string {
  return `[${REDACTED} ${counted(length, 'character')}]`
}

/** The text in place of bytes that are no text. */
export function binaryText(length: number): string {
  return `[${BINARY}, ${counted(length, 'character')}]`
}

/** The text in place of a body that is too large to record. */
export function tooLarge(length: number, unit: 'character' | 'byte' = 'character'): string {
  return `[${MISSING}: ${counted(length, unit)}]`
}

/** In place of a part of a call that cannot be recorded, because nobody knows what it shows. */
export const UNREADABLE = `[${MISSING}: its secrets cannot be removed]`

/** In place of a body that a file does not have. */
export const NOT_IN_FILE = `[${MISSING}]`

const ALL_MISSING = new RegExp(String.raw`^\[${MISSING}\b.*\]$`)
const END_MISSING = new RegExp(String.raw`\[${MISSING}: [^\n\]]*\]$`)
const ALL_REPLACED = new RegExp(String.raw`^\[(?:${REDACTED}|${BINARY}|${MISSING})\b.*\]$`)

/** Whether a recording has no body where an exchange had one. */
export function isMissing(text: string): boolean {
  return ALL_MISSING.test(text)
}

/** Whether an answer was too long to be recorded, or could not be decoded: all of it, or its end. */
export function isUnread(text: string): boolean {
  return END_MISSING.test(text)
}

/** Whether the recorder wrote something else in place of a whole body. */
export function isReplaced(text: string): boolean {
  return ALL_REPLACED.test(text)
}
