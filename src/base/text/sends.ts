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

/** Counts sends: `2 attempts`, `1 attempt and 1 copy`. */
export function countedSends(sends: readonly Send[], attempt = 'attempt'): string {
  const copies = new Set(sends.flatMap(({ copy }) => copy ?? [])).size
  return countedAttempts({ attempts: sends.length - copies, copies }, attempt)
}

/** Counts attempts and, if there are any, copies. */
export function countedAttempts(
  { attempts, copies }: { attempts: number; copies: number },
  attempt = 'attempt',
): string {
  const also = copies === 0 ? '' : ` and ${counted(copies, 'copy', 'copies')}`
  return counted(attempts, attempt) + also
}
