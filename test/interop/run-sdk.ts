import type { Emulator } from '../../src/index.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { runPython, type Python, type Ran } from './python.js'

/** Runs a program that logs to an emulator. What the SDK writes is in a folder of the current test. */
export function runSdk(
  { command }: Python,
  argv: readonly string[],
  { trainingUrl, apiKey }: Pick<Emulator, 'trainingUrl' | 'apiKey'>,
  variables: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const folder = temporaryFolder()
  return runPython(command!, argv, {
    WANDB_BASE_URL: new URL(trainingUrl).origin,
    WANDB_API_KEY: apiKey,
    WANDB_MODE: 'online',
    WANDB_SILENT: 'true',
    WANDB_ERROR_REPORTING: 'false',
    WANDB_DIR: folder,
    WANDB_DATA_DIR: folder,
    WANDB_CACHE_DIR: folder,
    WANDB_CONFIG_DIR: folder,
    ...variables,
  })
}
