import { snapshotText, writeSnapshotFile } from '../../emulator/adapters/snapshot-file.js'
import { contentsOf } from '../../service/engine/saved/contents.js'
import { readSnapshot } from '../../emulator/read-snapshot.js'
import { printable, printableLines } from '../terminal.js'
import type { Run } from '../command.js'
import type { snapshotExport } from '../commands/snapshot-export.js'
import { runningUrl, withRunning } from './running-emulator.js'

export const runCommand: Run<typeof snapshotExport> = async (args, { terminal }) => {
  const { file, 'without-secrets': without = false } = args
  return withRunning(args, terminal, async (client) => {
    const snapshot = await client.snapshot({ secrets: !without })
    // Only a snapshot that can be read again may replace a file.
    const saved = readSnapshot(snapshot, `what ${runningUrl(args)} answered`)
    if (file === '-') terminal.write(printableLines(snapshotText(snapshot)))
    else {
      const secrets = without ? '' : ' It has the secrets and API keys of the emulator.'
      writeSnapshotFile(file, snapshot)
      terminal.write(`Exported to ${printable(file)}: ${contentsOf(saved)}.${secrets}`)
    }
    return 0
  })
}
