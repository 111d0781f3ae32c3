import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { sdkVariables } from '../../src/emulator/sdk-variables.js'
import { createEmulator } from '../../src/index.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { checksFound } from './checks-found.js'
import { runPython } from './python.js'

/** Rows of docs/how-to/troubleshooting.md that need a client in Python. */

const { newest } = inject('pythons')

describe.skipIf(newest.why !== undefined)('openpipe-art with WANDB_API_KEY', () => {
  it('fails after the job has ended, and works with the variables of exec', async () => {
    await using emulator = createEmulator({ clock: 'instant' })
    await emulator.listen()
    const train = (environment: Record<string, string>): ReturnType<typeof runPython> =>
      runPython(newest.command!, [join('clients', 'art_trains_once.py')], {
        SVTRAIN_BASE_URL: emulator.trainingUrl,
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
        ...environment,
      })

    const failed = await train({ WANDB_API_KEY: 'any-key' })
    expect(failed.stderr).toContain('WANDB_API_KEY invalid: API key must have 40+ characters')
    expect(emulator.job().status).toBe('ended')

    const folder = temporaryFolder()
    const trained = await train({
      ...sdkVariables(emulator, { WANDB_API_KEY: 'any-key' }),
      HOME: folder,
      WANDB_DIR: folder,
    })
    expect(trained.stdout).toContain('Step 2')
    expect(checksFound(emulator)).toEqual([])
  })
})
