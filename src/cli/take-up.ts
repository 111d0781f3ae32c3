import type { DataFolder } from '../adapters/data-folder.js'
import { readSnapshotFile } from '../adapters/snapshot-file.js'
import { DEFAULT_SCENARIO } from '../scenario/built-in-scenarios.js'
import type { Scenario } from '../scenario/scenario.js'
import type { SavedWorld } from '../engine/snapshot/restore.js'
import { goingOn, takenUp } from '../emulator/snapshot.js'
import type { WorldStorage } from '../emulator/world-keeper.js'
import { chooseScenario } from './choose-scenario.js'
import type { Settings } from './options.js'

/** What the emulator begins, or goes on, with. */
export interface Beginning {
  scenario: Scenario
  seed: number | undefined
  /** Of the scenario, where it was read from any. */
  files: string[]
  saved: SavedWorld | undefined
  storage: WorldStorage | undefined
}

/** Raises `UsageError`, `ScenarioError`, `SnapshotError` or `DataFolderError`; the folder is free then. */
export async function takeUp(settings: Settings): Promise<Beginning> {
  const { scenario: named, data, importFrom, seed } = settings
  const kept = data !== undefined || importFrom !== undefined
  const chosen =
    named === undefined && kept ? undefined : await chooseScenario(named ?? DEFAULT_SCENARIO)
  const files = chosen?.files ?? []
  const read = importFrom === undefined ? undefined : (await readSnapshotFile(importFrom)).saved
  const storage = data === undefined ? undefined : await openFolder(data)
  try {
    const saved = takenUp({ storage, read })
    if (saved) {
      return { ...goingOn(saved, { scenario: chosen?.scenario, seed }), files, saved, storage }
    }
    const { scenario } = chosen ?? (await chooseScenario(DEFAULT_SCENARIO))
    return { scenario, seed, files, saved, storage }
  } catch (error) {
    storage?.close()
    throw error
  }
}

/** Reading one loads the schema library, which most starts do without. */
async function openFolder(path: string): Promise<DataFolder> {
  const { openDataFolder } = await import('../adapters/data-folder.js')
  return openDataFolder(path)
}
