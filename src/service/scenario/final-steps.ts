/** Steps of the timeline of a job, and moves, after which nothing follows. */
export const FINAL_STEPS: readonly string[] = ['training_ended', 'training_failed', 'never']
