import { join } from 'node:path'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { assertBuilt } from '../cli/command.js'
import { readSdkResult, sdkColumnOf } from './matrix/sdk-table.js'
import { runPython } from './python.js'
import { CAPABILITIES, showCapabilities, type CapabilityResult } from './sdk.js'

/** The newest SDK of runs and artifacts, unmodified. `npm run interop:matrix` runs the older ones. */

const { newest, wandb } = inject('pythons')

describe.skipIf(wandb.why !== undefined)('wandb 0.31.0, the newest', () => {
  let results: CapabilityResult[]

  beforeAll(async () => {
    results = await showCapabilities(wandb.command!)
  }, 300_000)

  it.each(CAPABILITIES.map((capability, place) => ({ capability, place })))(
    'shows $capability, and warns of nothing',
    ({ place }) => {
      const { examples, strange } = results[place]!
      const failed = examples.filter(({ error }) => error !== null)
      expect({ failed, strange }).toEqual({ failed: [], strange: [] })
    },
  )

  it('does what the matrix recorded', () => {
    const [recorded] = readSdkResult().columns
    expect(sdkColumnOf('0.31.0', results)).toEqual(recorded)
  })
})

describe.skipIf(newest.why !== undefined)('wandb 0.31.0 in tests of pytest', () => {
  it('logs to the world of each test', { timeout: 120_000 }, async () => {
    assertBuilt()
    const root = join(import.meta.dirname, '..', '..')
    const options = ['-q', '-p', 'svtrain_emulator.pytest_plugin', '-p', 'no:cacheprovider']
    const tests = join('clients', 'tests_with_wandb.py')
    const ran = await runPython(newest.command!, ['-m', 'pytest', ...options, tests], {
      PYTHONPATH: join(root, 'python', 'src'),
      SVTRAIN_EMULATOR_BIN: join(root, 'bin', 'svtrain-emulator.js'),
    })
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('4 passed'),
    })
  })
})
