import { readFileSync } from 'node:fs'
import { describe, expect, inject, it } from 'vitest'
import { LOCAL_API_KEY } from '../../src/emulator/local-key.js'
import { findingsIn } from '../../src/emulator/testing/client-checks.js'
import { createEmulator, type EmulatorOptions } from '../../src/index.js'
import { start } from '../cli/command.js'
import { diskError, stubDisk } from '../support/failing-disk.js'
import { numberFrom } from '../support/number-from-environment.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { resultOf } from './python.js'
import { runSdk } from './run-sdk.js'

/** The SDK of runs and artifacts, unmodified: what it shows of failures, and its mistakes. What works is in sdk.test.ts. */

const { wandb } = inject('pythons')
const PROGRAM = 'wandb_programs.py'

interface Story {
  /** Throws if the program broke off. */
  result: () => unknown
  /** The requests that the emulator does not know, or failed to answer. */
  strange: string[]
  /** The reasons for errors in the journal. */
  details: string[]
  /** What the client checks find. Throws if the program broke off. */
  findings: () => [check: string, text: string][]
}

async function story(
  names: readonly string[],
  options: EmulatorOptions = {},
  silent = 'true',
): Promise<Story> {
  await using emulator = createEmulator({ clock: 'real', ...options })
  await emulator.listen()
  const variables = { WANDB_SILENT: silent }
  const ran = await runSdk(wandb, [PROGRAM, ...names], emulator, variables)
  const found = findingsIn(emulator).map(({ check, text }): [string, string] => [check, text])
  const requests = emulator.journal.entries.filter((entry) => entry.kind === 'request')
  const strange = requests.filter(({ operation, status = 500 }) => {
    return operation === undefined || status >= 500
  })
  return {
    result: () => resultOf(ran),
    strange: strange.map(({ method, path }) => `${method} ${path}`),
    details: requests.flatMap(({ detail }) => detail ?? []),
    findings: () => {
      // A program that breaks off would make no mistake.
      if (ran.stderr.includes('Traceback')) throw new Error(ran.stderr.slice(-3000))
      return found
    },
  }
}

const runs = wandb.command !== undefined

describe.skipIf(!runs)('The SDK for runs and artifacts', { timeout: 120_000 }, () => {
  it('shows why a run does not open', async () => {
    const keys = { ['k'.repeat(40)]: { user: 'bob', entity: 'team-b' } }
    const scenario = { name: 'apart', auth: { keys, separateEntities: true } }
    const { result } = await story(['fail_to_open'], { scenario })
    expect(result()).toContain('There is no entity "local-team" that this API key may use.')
  })

  it('shows why a commit fails', async () => {
    const match = { operation: 'platformGraphql.CommitArtifact' }
    const fault = { fault: 'status' as const, status: 409, message: 'The disk is full.', match }
    const scenario = { name: 'full', faults: [fault] }
    const { result } = await story(['fail_to_commit'], { scenario })
    expect(result()).toContain('The disk is full.')
  })

  it('gives up at once if the disk is full', async () => {
    const data = temporaryFolder()
    stubDisk('writeFileSync', (real, file, part, ...rest) => {
      const isContent = part instanceof Uint8Array && part.length === 1
      if (isContent) throw diskError('ENOSPC', 'no space left on device')
      return real(file, part, ...rest)
    })
    const { result, strange, details } = await story(['fail_to_commit'], { data })
    expect(result()).toContain('uploads (1/1) have failed')
    expect(details).toEqual([expect.stringContaining('ENOSPC: no space left on device.')])
    expect(strange).toEqual([])
  })

  it('shows that a content is lost, and reads all others', async () => {
    const data = temporaryFolder()
    const { result, details } = await story([`fail_to_download:${data}`], { data })
    expect(result()).toEqual({ a: expect.stringContaining('410 Client Error'), b: 'b' })
    // The SDK tries the other address of the file as well.
    const lost = expect.stringContaining('Failed to read the content: ENOENT') as string
    expect(details).toEqual([lost, lost])
  })
})

async function mistakesOf(
  names: readonly string[],
  scenario: EmulatorOptions['scenario'] = 'happy-path',
): Promise<[check: string, text: string][]> {
  // A program waits for what the SDK warns of.
  return (await story(names, { scenario }, 'false')).findings()
}

const slowUploads = {
  name: 'slow-uploads',
  faults: [{ fault: 'hang' as const, match: { operation: 'uploadFile' as const } }],
}

describe.skipIf(!runs)('A program that', { timeout: 60_000 }, () => {
  it('makes no mistake has no finding', async () => {
    // The last run ends with the process.
    const names = ['steps_in_order', 'artifact_that_is_logged', 'run_at_exit']
    expect(await mistakesOf(names)).toEqual([])
  })

  it('logs an earlier step loses it', async () => {
    expect(await mistakesOf(['steps_out_of_order'])).toEqual([
      ['unorderedMetrics', expect.stringContaining('lost what its program logged at step 3')],
    ])
  })

  it('opens a run again, and begins at a lower step, mixes its steps', async () => {
    expect(await mistakesOf(['two_runs_of_one_id'])).toEqual([
      ['unorderedMetrics', expect.stringContaining('shared logged step 1 after step 5')],
    ])
  })

  it('is killed leaves its run open', async () => {
    expect(await mistakesOf(['run_that_is_killed'])).toEqual([
      ['unfinishedRuns', expect.stringContaining('never finished')],
    ])
  })

  it('ends in the middle of an upload leaves its artifact uncommitted', async () => {
    expect(await mistakesOf(['artifact_that_is_cut_off'], slowUploads)).toEqual([
      ['unfinishedRuns', expect.stringContaining('never finished')],
      ['uncommittedArtifacts', expect.stringContaining('uploaded files: 0 of 1')],
    ])
  })
})

/** The emulator keeps contents in a data folder, so its memory does not grow with the file. `.ci/long` sends 1 GB. */
describe.skipIf(!runs || process.platform !== 'linux')('A large artifact', () => {
  const megabytes = numberFrom('SVTRAIN_ARTIFACT_MB', 320)
  /** What the emulator may take, in megabytes. It is less than the file. */
  const MOST_MEMORY = 300

  it('passes in both directions without being in memory', { timeout: 600_000 }, async () => {
    const emulator = start(['--data', temporaryFolder()])
    const { training } = await emulator.ready()
    const service = { trainingUrl: training, apiKey: LOCAL_API_KEY }
    const ran = await runSdk(wandb, [PROGRAM, `large:${megabytes}`], service)
    expect(resultOf(ran)).toEqual({ state: 'COMMITTED', size: megabytes * 1024 ** 2, equal: true })
    const memory = mostMemoryOf(emulator.process.pid!)
    process.stdout.write(`${megabytes} MB passed, with ${Math.round(memory)} MB of memory.\n`)
    expect(memory).toBeLessThan(MOST_MEMORY)
  })
})

/** The most memory that a process has taken so far, in megabytes. */
function mostMemoryOf(pid: number): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  return Number(kilobytes) / 1024
}
