import { snapshotText, writeSnapshotFile } from '../../adapters/snapshot-file.js'
import { contentsOf } from '../../engine/snapshot/contents.js'
import { readSnapshot } from '../../emulator/read-snapshot.js'
import { printable } from '../printable.js'
import { toggle } from '../values.js'
import { readArguments } from './arguments.js'
import type { Run } from './command.js'
import { runningFlags, runningUrl, withRunning } from './running-emulator.js'

const withoutSecrets = {
  describe: 'Leave out API keys, secrets and deliveries',
  value: toggle,
} as const

export const snapshotExport: Run = async (called, terminal) => {
  const read = await readArguments(called, {
    flags: { ...runningFlags, 'without-secrets': withoutSecrets },
    takes: 'a file, or - for stdout',
  })
  if (read.kind === 'text') {
    terminal.write(read.text)
    return 0
  }
  const { 'without-secrets': without = false, ...running } = read.flags
  const file = read.positionals[0]!
  return withRunning(running, terminal, async (client) => {
    const snapshot = await client.snapshot({ secrets: !without })
    // Nothing takes the place of a good file but what can be read again.
    const saved = readSnapshot(snapshot, `what ${runningUrl(running)} answered`)
    if (file === '-') terminal.write(snapshotText(snapshot))
    else {
      writeSnapshotFile(file, snapshot)
      terminal.write(`Exported to ${printable(file)}: ${contentsOf(saved)}.`)
    }
    return 0
  })
}
