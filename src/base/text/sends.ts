import { counted } from './counted.js'

/** One time that a delivery was sent: an attempt, or an attempt of a copy. */
export interface Send {
  /** Which copy of the delivery it is, from 2. Undefined for the delivery itself. */
  readonly copy?: number | undefined
}

/** Tells a send from those before it: ` (attempt 2)`, ` (copy 2)`, ` (copy 2, attempt 2)`. Empty for the first of all. */
export function nameOfSend({ copy }: Send, before: readonly Send[]): string {
  const attempt = 1 + before.filter((each) => each.copy === copy).length
  const parts = [
    ...(copy === undefined ? [] : [`copy ${copy}`]),
    ...(attempt === 1 ? [] : [`attempt ${attempt}`]),
  ]
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}

/**
 * Counts the sends of one delivery: `2 attempts`, `1 attempt and 1 copy`, and `3 attempts and 1 copy (3 attempts)` if a
 * copy was sent more than once.
 */
export function countedSends(sends: readonly Send[]): string {
  const ofCopies = sends.flatMap(({ copy }) => copy ?? [])
  const attempts = counted(sends.length - ofCopies.length, 'attempt')
  if (ofCopies.length === 0) return attempts
  const copies = new Set(ofCopies).size
  const again = ofCopies.length === copies ? '' : ` (${counted(ofCopies.length, 'attempt')})`
  return `${attempts} and ${counted(copies, 'copy', 'copies')}${again}`
}
