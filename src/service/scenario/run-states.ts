/** The states of a run. */
export const RUN_STATES = [
  'running',
  'finished',
  'failed',
  'crashed',
  'killed',
  'preempting',
  'preempted',
  'pending',
] as const

/** The state of a run: the training of a job, or what a client logs. A job is only ever one of the first three. */
export type RunState = (typeof RUN_STATES)[number]
