import type { ExploreFailure } from '../../../../src/tools/explore/exploration.js'

/** A failure of an exploration. */
export function failureWith(fields: Partial<ExploreFailure> = {}): ExploreFailure {
  return {
    number: 1,
    verdict: 'failed',
    title: 'createModel was refused with 503',
    reason: 'createModel: 503',
    runs: [2],
    seed: 1,
    scenario: { name: 'small' },
    yaml: 'name: small\n',
    shrinking: { trials: 3, finished: true },
    signature: 'failed createModel busy',
    ...fields,
  }
}
