import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { LOCAL_API_KEY } from '../../src/emulator/local-key.js'
import { start } from '../cli/command.js'
import { numberFrom } from '../support/number-from-environment.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { resultOf } from './python.js'
import { runSdk } from './run-sdk.js'

/*
 * The SDK uploads a large file, and downloads it. The emulator keeps contents in a data folder, so its memory does not
 * grow with the file. `.ci/long` sends 1 GB.
 */

const { wandb } = inject('pythons')
const megabytes = numberFrom('SVTRAIN_ARTIFACT_MB', 320)
/** What the emulator may take, in megabytes. It is less than the file. */
const MOST_MEMORY = 300

/** The most memory that a process has taken so far, in megabytes. */
function mostMemoryOf(pid: number): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  return Number(kilobytes) / 1024
}

const runs = wandb.command !== undefined && process.platform === 'linux'

describe.skipIf(!runs)('A large artifact', () => {
  it('passes in both directions without being in memory', { timeout: 600_000 }, async () => {
    const data = temporaryFolder()
    const emulator = start(['--data', data])
    const { training } = await emulator.ready()
    const ran = await runSdk(wandb, [join('clients', 'large_artifact.py'), String(megabytes)], {
      trainingUrl: training,
      apiKey: LOCAL_API_KEY,
    })
    expect(resultOf(ran)).toEqual({
      state: 'COMMITTED',
      size: megabytes * 1024 ** 2,
      equal: true,
    })
    const memory = mostMemoryOf(emulator.process.pid!)
    process.stdout.write(`${megabytes} MB passed, with ${Math.round(memory)} MB of memory.\n`)
    expect(memory).toBeLessThan(MOST_MEMORY)
  })
})
