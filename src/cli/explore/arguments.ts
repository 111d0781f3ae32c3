import type { serveOptions } from '../options/serve.js'
import type { ValuesOf } from '../options/declare.js'
import type { Mapping } from '../run/exec-environment.js'

/** The options of the emulator that each run has. */
type EmulatorOption =
  | 'api-key'
  | 'clock'
  | 'contract'
  | 'data-root'
  | 'seed'
  | 'serve-any-model'
  | 'sink'
  | 'webhook'
  | 'webhook-secret'

export type ExploreArguments = Pick<ValuesOf<typeof serveOptions>, EmulatorOption> & {
  runs: number | undefined
  time: string | undefined
  timeout: string | undefined
  parallel: number | undefined
  scenario: string[] | undefined
  only: string[] | undefined
  skip: string[] | undefined
  env: Mapping[] | undefined
  to: string | undefined
  junit: string | undefined
  report: string | undefined
  json: boolean | undefined
  verbose: boolean | undefined
  /** The command and its arguments. */
  '--'?: readonly string[]
}

/** The time of a run, if the user does not say. */
export const DEFAULT_TIMEOUT = '30s'
/** Where failures are written, if the user does not say. */
export const DEFAULT_FOLDER = 'explore-report'

/** Names the drawn faults in `--only` and `--skip`. */
export const DRAWN = 'faults'
