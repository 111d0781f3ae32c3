import type { SavedWorld } from '../../service/engine/saved/restore.js'
import { dataFolderAt } from './data-folder-at.js'

/**
 * Reads the world of the data folder that a path names. Undefined if it is something else.
 *
 * @throws {DataFolderError} When the folder is damaged, too large or not accessible.
 * @throws {SnapshotError} When another version wrote the folder.
 */
export async function worldAt(path: string): Promise<SavedWorld | undefined> {
  const folder = dataFolderAt(path)
  if (folder === undefined) return undefined
  // Loaded here, because other files do not need it.
  const { readDataFolder } = await import('./data-folder.js')
  const { loadedChecks } = await import('../checks.js')
  return readDataFolder(folder, loadedChecks.loaded)
}
