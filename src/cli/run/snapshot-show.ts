import { printableJson } from '../terminal.js'
import { snapshotJson } from '../report/snapshot-json.js'
import { snapshotLines } from '../report/snapshot-lines.js'
import type { Run } from '../command.js'
import type { snapshotShow } from '../commands/snapshot-show.js'
import { dataFolderAt } from '../../emulator/adapters/data-folder-at.js'
import type { ExportedSnapshot } from '../../emulator/adapters/snapshot-file.js'
import { readSnapshot } from './input.js'

export const runCommand: Run<typeof snapshotShow> = async ({ file, json }, { terminal }) => {
  const shown = snapshotJson((await savedIn(file)) ?? (await readSnapshot(file)))
  terminal.write(json ? printableJson(shown, 2) : snapshotLines(shown).join('\n'))
  return 0
}

/** Reads the world of a data folder, which has its secrets. Undefined if it is none. */
async function savedIn(path: string): Promise<ExportedSnapshot | undefined> {
  const folder = dataFolderAt(path)
  if (folder === undefined) return undefined
  // Loaded here, because snapshots do not need it.
  const { readDataFolder } = await import('../../emulator/adapters/data-folder.js')
  const { loadedChecks } = await import('../../emulator/checks.js')
  const saved = readDataFolder(folder, loadedChecks.loaded)
  return saved && { snapshot: { secrets: '' }, saved }
}
