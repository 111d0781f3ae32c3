/** The number of runs of an exploration, if the user does not say. */
export const DEFAULT_RUNS = 80
/** The most runs that a user may ask for. */
export const MOST_RUNS = 100_000
/** The time of an exploration, if the user does not say. */
export const DEFAULT_TIME = '10m'
/** The seed of an exploration, if the user does not say. */
export const DEFAULT_SEED = 1
