import type { Parameters } from 'fast-check'

/** Multiplies the number of runs of property tests: `SVTRAIN_FUZZ_RUNS=20 npm test`. */
export function runs(usual: number): Parameters<unknown> {
  const { SVTRAIN_FUZZ_RUNS: times } = process.env
  // A fixed seed by default, so that a failure can be repeated.
  return times ? { numRuns: usual * Number(times) } : { numRuns: usual, seed: 1 }
}
