/**
 * A module in CommonJS that Node loads before a program. The pauses of the program pass faster by the factor in
 * `SVTRAIN_PACE`: `setTimeout` of `node:timers/promises` is a pause. Timers with a callback may be timeouts, so they stay.
 */
export const SHORT_PAUSES = `'use strict'
const pace = Number(process.env.SVTRAIN_PACE)
if (pace > 1) {
  const timers = require('node:timers/promises')
  const shortened = (full) => (delay, ...rest) => full(delay / pace, ...rest)
  timers.setTimeout = shortened(timers.setTimeout)
  timers.scheduler.wait = shortened(timers.scheduler.wait.bind(timers.scheduler))
  require('node:module').syncBuiltinESMExports()
}
`
