import { beforeAll, describe, expect, inject, it } from 'vitest'
import { readSdkResult, sdkColumnOf } from './matrix/sdk-table.js'
import { CAPABILITIES, showCapabilities, type CapabilityResult } from './sdk.js'

/** The newest SDK of runs and artifacts, unmodified. `npm run interop:matrix` runs the older ones. */

const { wandb } = inject('pythons')

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
