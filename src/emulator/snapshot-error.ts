import { EmulatorError } from '../base/text/emulator-error.js'

/** Thrown when a world cannot be saved, or a saved world cannot be used. */
export class SnapshotError extends EmulatorError {
  override readonly name = 'SnapshotError'
  /**
   * Says why:
   * - `DAMAGED`: it is not a complete snapshot.
   * - `INVALID`: a record of it is wrong.
   * - `VERSION`: another version of the emulator saved it.
   * - `SEED`: it was saved with another seed.
   * - `SCENARIO`: its scenario has functions, which cannot be saved. Pass the scenario again.
   * - `ISOLATED`: each API key has a world of its own.
   * - `TAKEN`: the `data` folder has another world.
   * - `TOO_LARGE`: the world does not fit into one text.
   */
  readonly code: `SVTRAIN_SNAPSHOT_${'DAMAGED' | 'INVALID' | 'VERSION' | 'SEED' | 'SCENARIO' | 'ISOLATED' | 'TAKEN' | 'TOO_LARGE'}`
  constructor(code: SnapshotError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** The error when each key has its own world: a snapshot contains one world. */
export function notOneWorld(): SnapshotError {
  return new SnapshotError(
    'SVTRAIN_SNAPSHOT_ISOLATED',
    'Failed to save or restore a snapshot: a snapshot contains one world, and here each key has its own. Use emulator.world(key), createClient({ url, world: key }), or --world <key>.',
  )
}
