import { WORLD_VERSION, type WorldRecord } from './engine/persistence/records.js'
import type { Scenario } from './engine/scenario.js'
import { hasRulesOf, savedWorld, type SavedWorld } from './engine/persistence/restore.js'

/** A whole world as one JSON value, to be put into another emulator. */
export interface Snapshot {
  readonly format: 'svtrain-emulator snapshot'
  readonly version: number
  /** SHA-256 of the records' JSON, in hex. */
  readonly digest: string
  readonly records: readonly WorldRecord[]
}

const FORMAT = 'svtrain-emulator snapshot'

export async function snapshotOf(records: readonly WorldRecord[]): Promise<Snapshot> {
  return { format: FORMAT, version: WORLD_VERSION, digest: await digestOf(records), records }
}

/** Reads what `snapshotOf` made. Raises `SnapshotError`; `from` says where it came from. */
export async function readSnapshot(value: unknown, from = 'the snapshot'): Promise<SavedWorld> {
  const { format, version, digest, records } = Object(value) as Partial<Snapshot>
  if (format !== FORMAT || typeof version !== 'number' || !Array.isArray(records)) {
    throw new SnapshotError(
      'SVTRAIN_SNAPSHOT_DAMAGED',
      `Failed to read ${from}: it is no snapshot.`,
    )
  }
  assertKnownVersion(version, from)
  const saved = digest === (await digestOf(records)) ? savedWorld(records) : undefined
  if (saved) return saved
  throw new SnapshotError(
    'SVTRAIN_SNAPSHOT_DAMAGED',
    `Failed to read ${from}: it is damaged, for its digest does not fit. Export it again.`,
  )
}

/** Raises `SnapshotError` where a world was written by a version whose records mean something else. */
export function assertKnownVersion(version: number, from: string): void {
  if (version === WORLD_VERSION) return
  throw new SnapshotError(
    'SVTRAIN_SNAPSHOT_VERSION',
    `Failed to read ${from}: it has version ${version}, and this emulator reads version ${WORLD_VERSION}. Nothing was changed. Use the emulator that wrote it, or begin anew.`,
  )
}

/**
 * With which scenario and seed a kept world goes on. Raises `SnapshotError` where it cannot with what
 * was asked for.
 */
export function goingOn(
  saved: SavedWorld,
  asked: { scenario?: Scenario | undefined; seed?: number | undefined },
): { scenario: Scenario; seed: number } {
  const { seed, functions } = saved
  const { name } = saved.scenario
  if (asked.seed !== undefined && asked.seed !== seed) {
    throw new SnapshotError(
      'SVTRAIN_SNAPSHOT_SEED',
      `Failed to go on with seed ${asked.seed}: what was kept was drawn from seed ${seed}. Leave the seed out, or begin anew.`,
    )
  }
  const { scenario = saved.scenario } = asked
  if (asked.scenario ? hasRulesOf(scenario, saved) : !functions) return { scenario, seed }
  throw new SnapshotError(
    'SVTRAIN_SNAPSHOT_SCENARIO',
    `Failed to go on: what was kept follows the scenario "${name}", which holds functions, and those cannot be kept. Name that scenario again.`,
  )
}

async function digestOf(records: readonly WorldRecord[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(records))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Raised where a kept world cannot be read; `code` says why. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError'
  readonly code: `SVTRAIN_SNAPSHOT_${'DAMAGED' | 'VERSION' | 'SEED' | 'SCENARIO'}`
  constructor(code: SnapshotError['code'], message: string) {
    super(message)
    this.code = code
  }
}
