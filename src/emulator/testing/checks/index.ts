import { backwardCursors } from './backward-cursors.js'
import { deliveries } from './deliveries.js'
import { duplicateJobs } from './duplicate-jobs.js'
import { pollsPastTheEnd } from './polls-past-the-end.js'
import { skippedEvents } from './skipped-events.js'

/** The client checks, in the order in which they run and the reference lists them. */
export const checks = {
  duplicateJobs,
  backwardCursors,
  skippedEvents,
  pollsPastTheEnd,
  deliveries,
}

/** The name of a client check. */
export type CheckName = keyof typeof checks

export const checkNames = Object.keys(checks) as readonly CheckName[]

/** Makes a table with a value for each check. */
export function eachCheck<T>(valueFor: (name: CheckName) => T): Record<CheckName, T> {
  const values = checkNames.map((name) => [name, valueFor(name)])
  return Object.fromEntries(values) as Record<CheckName, T>
}
