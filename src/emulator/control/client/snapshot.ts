import type { Snapshot, SnapshotOptions } from '../../snapshot.js'
import type { Restored } from '../schemas/snapshot.js'
import type { Call } from './call.js'

/** The methods of a client for snapshots. */
export const snapshotMethods = (call: Call) => ({
  /**
   * Returns all records and everything scheduled as one JSON value.
   *
   * @example
   * const snapshot = await client.snapshot()
   * await client.restore(snapshot)
   */
  snapshot: (options: SnapshotOptions = {}): Promise<Snapshot> =>
    call('GET /snapshot', { query: options }),
  /**
   * Replaces the current state by a snapshot. Refused with 400 if the snapshot is damaged or a field
   * is wrong, and with 409 if it has another version or its scenario contains functions. A refused
   * snapshot changes nothing.
   */
  restore: (snapshot: unknown): Promise<Restored> =>
    call('PUT /snapshot', { body: snapshot as object }),
})
