/** The states of a run. */
export const RUN_STATES = [
  'running',
  'finished',
  'failed',
  'crashed',
  'killed',
  'preempted',
  'pending',
] as const
export type RunState = (typeof RUN_STATES)[number]
