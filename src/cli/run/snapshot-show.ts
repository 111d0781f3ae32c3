import { printableJson } from '../terminal.js'
import { snapshotJson } from '../report/snapshot-json.js'
import { snapshotLines } from '../report/snapshot-lines.js'
import type { Run } from '../command.js'
import type { snapshotShow } from '../commands/snapshot-show.js'
import { worldAt } from '../../emulator/adapters/world-at.js'
import { readSnapshot } from './input.js'

export const runCommand: Run<typeof snapshotShow> = async ({ file, json }, { terminal }) => {
  // A data folder has its secrets.
  const saved = await worldAt(file)
  const shown = snapshotJson(
    saved ? { snapshot: { secrets: '' }, saved } : await readSnapshot(file),
  )
  terminal.write(json ? printableJson(shown, 2) : snapshotLines(shown).join('\n'))
  return 0
}
