import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { findingsIn } from '../../src/emulator/testing/client-checks.js'
import { createEmulator, type EmulatorOptions } from '../../src/index.js'
import { runPython } from './python.js'

/** What the client checks find in programs with the SDK that logs runs and artifacts. */

const { wandb } = inject('pythons')

async function findings(program: string, faults: EmulatorOptions['scenario'] = 'happy-path') {
  await using emulator = createEmulator({ clock: 'real', scenario: faults })
  await emulator.listen()
  const folder = mkdtempSync(join(tmpdir(), 'svtrain-wandb-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  await runPython(wandb.command!, [join('clients', 'wandb_mistakes.py'), program], {
    WANDB_BASE_URL: new URL(emulator.trainingUrl).origin,
    WANDB_API_KEY: emulator.apiKey,
    WANDB_MODE: 'online',
    WANDB_ERROR_REPORTING: 'false',
    WANDB_DIR: folder,
    WANDB_DATA_DIR: folder,
    WANDB_CACHE_DIR: folder,
    WANDB_CONFIG_DIR: folder,
  })
  return findingsIn(emulator).map(({ check, text }) => [check, text])
}

const slowUploads = {
  name: 'slow-uploads',
  faults: [{ fault: 'hang' as const, match: { operation: 'uploadFile' as const } }],
}

describe.skipIf(wandb.command === undefined)('A program that', { timeout: 60_000 }, () => {
  it.each(['steps_in_order', 'run_at_exit', 'artifact_that_is_logged'])(
    'makes no mistake has no finding: %s',
    async (program) => {
      expect(await findings(program)).toEqual([])
    },
  )

  it('logs an earlier step loses it', async () => {
    expect(await findings('steps_out_of_order')).toEqual([
      ['unorderedMetrics', expect.stringContaining('lost what its program logged at step 3')],
    ])
  })

  it('opens a run again, and begins at a lower step, mixes its steps', async () => {
    expect(await findings('two_runs_of_one_id')).toEqual([
      ['unorderedMetrics', expect.stringContaining('shared logged step 1 after step 5')],
    ])
  })

  it('is killed leaves its run open', async () => {
    expect(await findings('run_that_is_killed')).toEqual([
      ['unfinishedRuns', expect.stringContaining('never finished')],
    ])
  })

  it('ends in the middle of an upload leaves its artifact uncommitted', async () => {
    expect(await findings('artifact_that_is_cut_off', slowUploads)).toEqual([
      ['unfinishedRuns', expect.stringContaining('never finished')],
      ['uncommittedArtifacts', expect.stringContaining('uploaded files: 0 of 1')],
    ])
  })
})
