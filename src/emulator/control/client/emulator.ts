import type { Snapshot, SnapshotOptions } from '../../snapshot.js'
import type { Info } from '../schemas/info.js'
import type { Restored } from '../schemas/snapshot.js'
import type { Call } from './call.js'

/** The methods of a client about the emulator as a whole. */
export const emulatorMethods = (call: Call) => ({
  /** Resolves when the emulator listens and its scenario's records exist. */
  async ready(): Promise<void> {
    await call('GET /ready')
  },
  /** Returns version, seed, scenario and addresses. */
  info: (): Promise<Info> => call('GET /info'),
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
