import { counted } from '../../base/text/counted.js'
import { printable } from '../terminal.js'
import { missingText } from '../../service/scenario/missing-secrets.js'
import { missingWebhooksText } from '../../webhooks/sending/missing-webhooks.js'
import type { Run } from '../command.js'
import type { snapshotImport } from '../commands/snapshot-import.js'
import { withRunning } from './running-emulator.js'
import { readSnapshot } from './input.js'

export const runCommand: Run<typeof snapshotImport> = async (args, { terminal }) => {
  const { snapshot } = await readSnapshot(args.file)
  return withRunning(args, terminal, async (client) => {
    const restored = await client.restore(snapshot)
    const { scenario, models, running_jobs, now } = restored
    const contents = `${counted(models, 'model')}, ${counted(running_jobs, 'running job')}`
    terminal.write(`Imported: scenario ${printable(scenario)}, ${contents}, at ${now}.`)
    const missing = [
      missingText(restored.secrets_without_value),
      missingWebhooksText(restored.missing_webhooks),
    ]
    for (const text of missing) if (text !== undefined) terminal.writeError(printable(text))
    return 0
  })
}
