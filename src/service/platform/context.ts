import type { SeededRandom } from '../../base/random/random.js'
import type { Blobs } from './blobs.js'
import type { PlatformLimits, TextMeter } from './limits.js'
import type { Author, ChangeFacts } from './platform-change.js'
import type { RecordChange } from './savable.js'
import type { StoredFile } from './stored-file.js'

/** What the records of one world share. */
export interface PlatformContext {
  /** The clock of the world, in milliseconds since the epoch. */
  readonly now: () => number
  readonly random: SeededRandom
  readonly limits: PlatformLimits
  readonly blobs: Blobs
  readonly texts: TextMeter
  /** All files that have an address of their own, by id. */
  readonly files: Map<string, StoredFile>
  /** Reports what changed. Call it after the change. */
  readonly report: (facts: ChangeFacts, author: Author) => void
  /** Records that a thing must be saved. Its record is made when the call is over. */
  readonly changed: RecordChange
}

/** Returns an id as clients expect it: a kind and letters, in base64. The same parts give the same id. */
export function newId(
  { random }: PlatformContext,
  kind: string,
  ...parts: readonly (string | number)[]
): string {
  return btoa(`${kind}:${random.token(12, 'platform', kind, ...parts)}`)
}

/** The same for what can be renamed: another one may have the id of its name. */
export function newUnusedId(
  isUsed: (id: string) => boolean,
  ...[context, kind, ...parts]: Parameters<typeof newId>
): string {
  let id = newId(context, kind, ...parts)
  for (let times = 1; isUsed(id); times++) id = newId(context, kind, ...parts, times)
  return id
}
