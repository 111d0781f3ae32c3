/** The most gradient steps, examples or trajectories of one job: a clock that skips time takes all steps at once. */
export const MOST_STEPS = 1_000_000
