import { hasRulesOf, type SavedWorld } from '../service/engine/saved/restore.js'
import type { Scenario } from '../service/scenario/scenario.js'
import { SnapshotError } from './snapshot-error.js'

/**
 * The world to continue, if there is one.
 *
 * @throws {SnapshotError} When both the snapshot and the folder contain one.
 */
export function worldToContinue({ storage, read }: SavedWorlds): SavedWorld | undefined {
  const saved = storage?.takeSaved?.()
  if (!saved || !read) return read ?? saved
  throw new SnapshotError(
    'SVTRAIN_SNAPSHOT_TAKEN',
    'Failed to import the snapshot: its folder already contains a world. Nothing was changed. Choose another folder, or leave out the snapshot to continue the world of the folder.',
  )
}

interface SavedWorlds {
  storage: { takeSaved?: () => SavedWorld | undefined } | undefined
  read: SavedWorld | undefined
}

/**
 * The scenario and seed with which a saved world continues.
 *
 * @throws {SnapshotError} When it cannot continue with the scenario or the seed that was requested.
 */
export function continuationOf(
  saved: SavedWorld,
  requested: { scenario?: Scenario | undefined; seed?: number | undefined },
): { scenario: Scenario; seed: number } {
  const { seed, functions } = saved
  const { name } = saved.scenario
  if (requested.seed !== undefined && requested.seed !== seed) {
    throw new SnapshotError(
      'SVTRAIN_SNAPSHOT_SEED',
      `Failed to continue the world with seed ${requested.seed}: it was drawn from seed ${seed}. Leave the seed out, or start with a new world.`,
    )
  }
  const { scenario = saved.scenario } = requested
  if (requested.scenario ? hasRulesOf(scenario, saved) : !functions) return { scenario, seed }
  throw new SnapshotError(
    'SVTRAIN_SNAPSHOT_SCENARIO',
    `Failed to continue the world: its scenario "${name}" contains functions, which cannot be saved. Pass that scenario again.`,
  )
}

/**
 * The scenario and seed of a snapshot's world. A snapshot cannot contain functions. They come from the
 * scenario that is `followed`, if it has the same name.
 *
 * @throws {SnapshotError} When it has another name.
 */
export function withFunctionsOf(
  followed: Scenario,
  saved: SavedWorld,
): { scenario: Scenario; seed: number } {
  const isSame = saved.functions && saved.scenario.name === followed.name
  return continuationOf(saved, { scenario: isSame ? followed : undefined })
}
