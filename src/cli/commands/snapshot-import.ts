import { counted } from '../../text/counted.js'
import { printable } from '../printable.js'
import { missingText } from '../../scenario/missing-secrets.js'
import { readArguments } from './arguments.js'
import type { Run } from './command.js'
import { runningFlags, withRunning } from './running-emulator.js'
import { snapshotFrom } from './snapshot-source.js'

export const snapshotImport: Run = async (called, terminal) => {
  const read = await readArguments(called, {
    flags: runningFlags,
    takes: 'a file, or - for stdin',
  })
  if (read.kind === 'text') {
    terminal.write(read.text)
    return 0
  }
  const { snapshot } = await snapshotFrom(read.positionals[0]!)
  return withRunning(read.flags, terminal, async (client) => {
    const { scenario, models, running_jobs, now, secrets_without_value } =
      await client.restore(snapshot)
    const contents = `${counted(models, 'model')}, ${counted(running_jobs, 'running job')}`
    terminal.write(`Imported: scenario ${printable(scenario)}, ${contents}, at ${now}.`)
    const missing = missingText(secrets_without_value)
    if (missing !== undefined) terminal.writeError(printable(missing))
    return 0
  })
}
