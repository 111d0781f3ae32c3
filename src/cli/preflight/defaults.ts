/** The time of a run, if the user does not say. A program of machine learning may load for a minute. */
export const DEFAULT_TIMEOUT = '5m'
