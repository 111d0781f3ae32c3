import type { ExploreFailure, ExploreReport } from '../../../tools/explore/exploration.js'
import type { Evidence } from './ended-trial.js'

/** A failure, and how to repeat it. */
export interface Finding {
  readonly failure: ExploreFailure
  /** The file with the smallest scenario. Undefined if a kill shows the failure. */
  readonly file: string | undefined
  /** The file with what the command printed. */
  readonly log: string | undefined
  /** The command that repeats it, for a shell. */
  readonly again: string
  /** Whether it failed again with the file. Undefined if that was not tried. */
  readonly repeated: boolean | undefined
  /** What the smallest scenario left behind; otherwise what one of the runs did. */
  readonly evidence: Evidence | undefined
}

/** An exploration of a command, for reports. */
export interface CommandExploration {
  readonly command: readonly string[]
  readonly report: ExploreReport
  readonly findings: readonly Finding[]
  /** What a run left behind that did not pass. */
  readonly evidenceOf: (run: number) => Evidence | undefined
}
