import { numberFrom } from './number-from-environment.js'

/** The seeds with which careful loops run. The gate has three, and the step `checks` of `.ci/long` has 200. */
export const seeds = Array.from({ length: numberFrom('SVTRAIN_SEEDS', 3) }, (_, index) => index + 1)
