import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { createEmulator, type EmulatorOptions } from '../../src/index.js'
import { diskError, stubDisk } from '../support/failing-disk.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { resultOf } from './python.js'
import { runSdk } from './run-sdk.js'

/** What the SDK of runs and artifacts shows of failures, unmodified. What works is in sdk.test.ts. */

const { wandb } = inject('pythons')

interface Story {
  result: unknown
  /** The requests that the emulator does not know, or failed to answer. */
  strange: string[]
  /** The reasons for errors in the journal. */
  details: string[]
}

async function story(
  name: string,
  options: EmulatorOptions = {},
  argv: readonly string[] = [],
): Promise<Story> {
  await using emulator = createEmulator({ clock: 'real', ...options })
  await emulator.listen()
  const ran = await runSdk(wandb, [join('clients', 'wandb_client.py'), name, ...argv], emulator)
  const requests = emulator.journal.entries.filter((entry) => entry.kind === 'request')
  const strange = requests.filter(({ operation, status = 500 }) => {
    return operation === undefined || status >= 500
  })
  return {
    result: resultOf(ran),
    strange: strange.map(({ method, path }) => `${method} ${path}`),
    details: requests.flatMap(({ detail }) => detail ?? []),
  }
}

describe.skipIf(wandb.command === undefined)('The SDK for runs and artifacts', () => {
  it('shows why a run does not open', { timeout: 120_000 }, async () => {
    const keys = { ['k'.repeat(40)]: { user: 'bob', entity: 'team-b' } }
    const { result } = await story('open', {
      scenario: { name: 'apart', auth: { keys, separateEntities: true } },
    })
    expect(result).toContain('There is no entity "local-team" that this API key may use.')
  })

  it('shows why a commit fails', { timeout: 120_000 }, async () => {
    const match = { operation: 'platformGraphql.CommitArtifact' }
    const fault = { fault: 'status' as const, status: 409, message: 'The disk is full.', match }
    const { result } = await story('commit', { scenario: { name: 'full', faults: [fault] } })
    expect(result).toContain('The disk is full.')
  })

  it('gives up at once if the disk is full', { timeout: 120_000 }, async () => {
    const data = temporaryFolder()
    stubDisk('writeFileSync', (real, file, part, ...rest) => {
      const isContent = part instanceof Uint8Array && part.length === 1
      if (isContent) throw diskError('ENOSPC', 'no space left on device')
      return real(file, part, ...rest)
    })
    const { result, strange, details } = await story('commit', { data })
    expect(result).toContain('uploads (1/1) have failed')
    expect(details).toEqual([expect.stringContaining('ENOSPC: no space left on device.')])
    expect(strange).toEqual([])
  })

  it('shows that a content is lost, and reads all others', { timeout: 120_000 }, async () => {
    const data = temporaryFolder()
    const { result, details } = await story('download', { data }, [data])
    expect(result).toEqual({ a: expect.stringContaining('410 Client Error'), b: 'b' })
    // The SDK tries the other address of the file as well.
    const lost = expect.stringContaining('Failed to read the content: ENOENT') as string
    expect(details).toEqual([lost, lost])
  })
})
