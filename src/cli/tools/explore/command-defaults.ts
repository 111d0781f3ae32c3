import type { DrawnKind } from '../../../tools/explore/part.js'

/** The time of a run, if the user does not say. */
export const DEFAULT_TIMEOUT = '30s'
/** Where failures are written, if the user does not say. */
export const DEFAULT_FOLDER = 'explore-report'

/** What a name in `--only` and `--skip` stands for that is not the name of a scenario. */
export const DRAWN: Readonly<Record<DrawnKind, string>> = {
  faults: 'drawn faults',
  fields: 'changed fields of answers',
  crashes: 'kills of the command',
}
