import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { findingsIn } from '../../src/emulator/testing/client-checks.js'
import { createEmulator, type EmulatorOptions } from '../../src/index.js'
import { runSdk } from './run-sdk.js'

/** What the client checks find in programs with the SDK that logs runs and artifacts. */

const { wandb } = inject('pythons')

async function findings(
  programs: string | readonly string[],
  faults: EmulatorOptions['scenario'] = 'happy-path',
) {
  await using emulator = createEmulator({ clock: 'real', scenario: faults })
  await emulator.listen()
  const argv = [join('clients', 'wandb_mistakes.py'), ...[programs].flat()]
  // A program waits for what the SDK warns of.
  const ran = await runSdk(wandb, argv, emulator, { WANDB_SILENT: 'false' })
  // A program that breaks off would make no mistake.
  if (ran.stderr.includes('Traceback')) throw new Error(ran.stderr.slice(-3000))
  return findingsIn(emulator).map(({ check, text }) => [check, text])
}

const slowUploads = {
  name: 'slow-uploads',
  faults: [{ fault: 'hang' as const, match: { operation: 'uploadFile' as const } }],
}

describe.skipIf(wandb.command === undefined)('A program that', { timeout: 60_000 }, () => {
  it('makes no mistake has no finding', async () => {
    // The last run ends with the process.
    const programs = ['steps_in_order', 'artifact_that_is_logged', 'run_at_exit']
    expect(await findings(programs)).toEqual([])
  })

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
