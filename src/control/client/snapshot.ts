import type { Restored } from '../schemas.js'
import type { Snapshot, SnapshotOptions } from '../../emulator/snapshot.js'
import { queryOf, type Ask } from './ask.js'

export interface SnapshotCalls {
  /** All that is there, and is to come, as one JSON value. */
  snapshot: (options?: SnapshotOptions) => Promise<Snapshot>
  /**
   * Goes on with what a snapshot says, in the place of what was there. Refused with 400 where it is
   * damaged or a field is wrong, which the message names; with 409 where it is of another version or
   * its scenario holds functions. Then nothing is changed.
   */
  restore: (snapshot: unknown) => Promise<Restored>
}

export function snapshotCalls(ask: Ask): SnapshotCalls {
  return {
    snapshot: (options = {}) => ask('GET', `/snapshot${queryOf(options)}`),
    restore: (snapshot) => ask('PUT', '/snapshot', snapshot),
  }
}
