/** The number of runs of an exploration, if the user does not say. */
export const DEFAULT_RUNS = 80
/** The time of an exploration, if the user does not say. */
export const DEFAULT_TIME = '10m'
