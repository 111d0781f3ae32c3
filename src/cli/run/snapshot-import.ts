import { counted } from '../../base/text/counted.js'
import { printable } from '../terminal.js'
import { missingText } from '../../service/scenario/missing-secrets.js'
import type { Run } from '../context.js'
import { withRunning, type RunningArguments } from './running-emulator.js'
import { readSnapshot } from './input.js'

export const snapshotImport: Run<RunningArguments & { file: string }> = async (
  args,
  { terminal },
) => {
  const { snapshot } = await readSnapshot(args.file)
  return withRunning(args, terminal, async (client) => {
    const { scenario, models, running_jobs, now, secrets_without_value } =
      await client.restore(snapshot)
    const contents = `${counted(models, 'model')}, ${counted(running_jobs, 'running job')}`
    terminal.write(`Imported: scenario ${printable(scenario)}, ${contents}, at ${now}.`)
    const missing = missingText(secrets_without_value)
    if (missing !== undefined) terminal.writeError(printable(missing))
    return 0
  })
}
