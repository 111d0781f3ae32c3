import { join } from 'node:path'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { assertBuilt } from '../cli/command.js'
import { sdk, type Part } from './matrix/clients.js'
import { readResult, rowOf } from './matrix/table.js'
import { runPython } from './python.js'
import { CAPABILITIES, showCapabilities } from './sdk.js'

/** The newest SDK of runs and artifacts, unmodified. `npm run interop:matrix` runs the older ones. */

const { newest, wandb } = inject('pythons')

describe.skipIf(wandb.why !== undefined)('wandb 0.31.0, the newest', () => {
  let results: Part[]

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
    const [recorded] = readResult(sdk).rows
    expect(rowOf('0.31.0', results)).toEqual(recorded)
  })
})

/** Runs tests of pytest with the plugin of the clone. A warning of the plugin is an error. */
async function tested(file: string): Promise<{ code: number | null; stdout: string }> {
  assertBuilt()
  const root = join(import.meta.dirname, '..', '..')
  const plugin = ['-p', 'svtrain_emulator.pytest_plugin', '-p', 'no:cacheprovider']
  const strict = ['-W', 'error::svtrain_emulator.ClientCheckWarning']
  const options = ['-m', 'pytest', '-q', '--durations=0', ...plugin, ...strict]
  const { code, stdout } = await runPython(newest.command!, [...options, join('clients', file)], {
    PYTHONPATH: join(root, 'python', 'src'),
    SVTRAIN_EMULATOR_BIN: join(root, 'bin', 'svtrain-emulator.js'),
  })
  return { code, stdout }
}

describe.skipIf(newest.why !== undefined)('wandb 0.31.0 in tests of pytest', () => {
  it('logs to the world of each test', { timeout: 120_000 }, async () => {
    expect(await tested('tests_with_wandb.py')).toEqual({
      code: 0,
      stdout: expect.stringContaining('7 passed'),
    })
  })

  it('passes eight tests of a loop with openpipe-art 0.5.23', { timeout: 300_000 }, async () => {
    expect(await tested('tests_of_a_loop.py')).toEqual({
      code: 0,
      stdout: expect.stringContaining('8 passed'),
    })
  })
})
