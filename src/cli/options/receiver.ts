import { duration } from '../values.js'
import { option } from './declare.js'

/** How long a command waits for the answer of a receiver. */
export const answerTimeout = {
  ...option(duration, {
    describe: 'Longest time to wait for an answer',
    defaultDescription: '10s',
  }),
  // The older name.
  alias: 'within',
} as const
