import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { createEmulator } from '../../src/index.js'
import { checksFound } from './checks-found.js'
import { runPython } from './python.js'

/** Rows of docs/troubleshooting.md that need a client in Python. */

const { newest } = inject('pythons')

describe.skipIf(newest.why !== undefined)('openpipe-art with WANDB_API_KEY', () => {
  it('fails after the job has ended, and works without the variable', async () => {
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

    const trained = await train({})
    expect(trained.stdout).toContain('Step 2')
    expect(checksFound(emulator)).toEqual([])
  })
})
