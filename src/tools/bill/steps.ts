/** The fewest observed steps that an estimate takes. */
export const FEWEST_STEPS = 2
/** The most steps of a run that a bill estimates. */
export const MOST_STEPS = 1_000_000
