/** The time of a run, if the user does not say. */
export const DEFAULT_TIMEOUT = '30s'
/** Where failures are written, if the user does not say. */
export const DEFAULT_FOLDER = 'explore-report'

/** Names the drawn faults in `--only` and `--skip`. */
export const DRAWN = 'faults'
