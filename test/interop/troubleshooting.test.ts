import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { createEmulator } from '../../src/index.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { runCopy } from './python.js'

/** Rows of docs/how-to/troubleshooting.md that need a client in Python. */

const PROGRAM = join('clients', 'art_with_runs.py')
const { newest } = inject('pythons')

describe.skipIf(newest.why !== undefined)('openpipe-art with WANDB_API_KEY', () => {
  // art-with-runs.test.ts shows that it works by `exec`, with the same key in the environment.
  it('fails after the job has ended', async () => {
    await using emulator = createEmulator({ clock: 'instant' })
    await emulator.listen()
    const failed = await runCopy(newest, [PROGRAM, 'train', temporaryFolder()], {
      SVTRAIN_BASE_URL: emulator.trainingUrl,
      STEPS: '1',
      WANDB_API_KEY: 'any-key',
    })
    expect(failed.stderr).toContain('WANDB_API_KEY invalid: API key must have 40+ characters')
    expect(emulator.job().status).toBe('ended')
  })
})
