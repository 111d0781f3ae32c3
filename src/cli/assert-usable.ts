import { stat } from 'node:fs/promises'
import { isFile } from './choose-scenario.js'
import type { Settings } from './flags.js'
import { UsageError } from './usage-error.js'

/** What only shows when settings meet each other, or the disk. Raises `UsageError`. */
export async function assertUsable(settings: Settings): Promise<void> {
  const { watch, scenario, dataRoot, port, inferencePort } = settings
  if (watch && !isFile(scenario)) {
    throw new UsageError(
      `--watch needs a scenario file to watch; "${scenario}" is a name. Pass a path with --scenario.`,
    )
  }
  if (port !== undefined && port !== 0 && port === inferencePort) {
    throw new UsageError(`--port and --inference-port are both ${port}; each API needs its own.`)
  }
  if (dataRoot === undefined) return
  const found = await stat(dataRoot).catch(() => undefined)
  if (!found?.isDirectory()) {
    throw new UsageError(`--data-root takes a folder; there is none at "${dataRoot}".`)
  }
}
