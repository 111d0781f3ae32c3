import { stat } from 'node:fs/promises'
import { DEFAULT_SCENARIO } from '../service/scenario/built-in-scenarios.js'
import { isFile } from './choose-scenario.js'
import type { Settings } from './options/settings.js'
import { assertWritable } from './ready-file.js'
import { UsageError } from './usage-error.js'

/**
 * Checks the settings that depend on each other or on the disk.
 *
 * @throws {UsageError} When the settings contradict each other, or name a missing folder or a file that cannot be written.
 */
export async function assertUsable(settings: Settings): Promise<void> {
  const { watch, scenario, dataRoot, port, inferencePort } = settings
  if (watch && !isFile(scenario ?? DEFAULT_SCENARIO)) {
    throw new UsageError(
      `--watch needs a scenario file to watch; "${scenario ?? DEFAULT_SCENARIO}" is a name. Pass a path with --scenario.`,
    )
  }
  if (port !== undefined && port !== 0 && port === inferencePort) {
    throw new UsageError(`--port and --inference-port are both ${port}; each API needs its own.`)
  }
  const { isolate, data, importFrom, exportOnExit } = settings
  const storage = data ?? importFrom ?? exportOnExit
  if (isolate && storage !== undefined) {
    throw new UsageError(
      '--data, --import and --export-on-exit save one world, but --isolate makes one for each key. Leave out --isolate or the others.',
    )
  }
  if (exportOnExit !== undefined) assertWritable('--export-on-exit', exportOnExit)
  if (dataRoot === undefined) return
  const found = await stat(dataRoot).catch(() => undefined)
  if (!found?.isDirectory()) {
    throw new UsageError(`--data-root takes a folder; there is none at "${dataRoot}".`)
  }
}
