import { waitHeaders } from '../../contract/status-refusals.js'
import type { Ending } from './definition.js'

/** Refuses a call because there are too many. `wait` is in milliseconds. */
export function tooMany(message: string | undefined, wait?: number): Ending {
  const options = { message, headers: waitHeaders(wait) }
  return { stage: 'before', answer: ({ refuse }) => refuse(429, options) }
}
