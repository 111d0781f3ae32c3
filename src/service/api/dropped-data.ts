import { counted } from '../../base/text/counted.js'
import type { RequestEntry } from '../engine/journal.js'

/** Says in the journal how much of the data was too long. Without a limit, nothing was. */
export function explainDropped(
  { effects }: RequestEntry,
  { dropped, most }: { dropped: string; most: number | undefined },
): void {
  if (most === undefined) return
  effects.push(`dropped ${dropped} with more than ${counted(most, 'token')}`)
}
