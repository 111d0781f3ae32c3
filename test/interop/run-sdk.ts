import { join } from 'node:path'
import { sdkVariables } from '../../src/emulator/sdk-variables.js'
import type { Emulator } from '../../src/index.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { runPython, type Python, type Ran } from './python.js'

/** Runs a program that logs to an emulator. What the SDK writes is in a folder of the current test. */
export function runSdk(
  { command }: Python,
  [program, ...argv]: readonly string[],
  emulator: Pick<Emulator, 'trainingUrl' | 'apiKey'>,
  variables: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return runPython(command!, [join('clients', program!), ...argv], {
    ...sdkSettings(emulator, temporaryFolder()),
    WANDB_SILENT: 'true',
    ...variables,
  })
}

/** The variables of a program with the SDK. All that it writes is in the folder. */
export function sdkSettings(
  emulator: Pick<Emulator, 'trainingUrl' | 'apiKey'>,
  folder: string,
): Record<string, string> {
  return {
    ...sdkVariables(emulator, {}),
    HOME: folder,
    WANDB_DIR: folder,
    WANDB_ARTIFACT_DIR: folder,
    NETRC: join(folder, 'netrc'),
  }
}
