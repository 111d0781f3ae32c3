import type { FakeTimers } from '../../base/clock/fake-timers.js'
import { counted } from '../../base/text/counted.js'
import { roundDuration } from '../../base/text/duration.js'
import { whyNotMoving } from './waiting.js'
import type { Settleable } from './world.js'

interface TooLong {
  promise: unknown
  time: string
  timers: FakeTimers | undefined
}

/** Says why it took too long, and what to do. */
export function tooLong(world: Settleable, { promise, time, timers }: TooLong): string {
  const { clock, inFlight, webhooks } = world
  const left = [
    `${counted(inFlight, 'request is', 'requests are')} being answered`,
    counted(webhooks.inFlight, 'delivery is on its way', 'deliveries are on their way'),
    `${counted(clock.pending, 'task is', 'tasks are')} scheduled later.`,
  ].join(', ')
  if (promise === undefined) {
    return `no rest after ${time}. ${left} Pass { within } to wait longer.`
  }
  const stuck = [...hangingResponses(world), ...endless(world)]
  if (timers) {
    const why = stuck.length > 0 ? stuck.join(' ') : left
    return `the promise is pending after ${time}, in which the fake timers advanced by ${roundDuration(timers.advanced)}. ${why} Give your client a shorter limit, or pass { within: '30s' } and give the test more time.`
  }
  if (stuck.length > 0) {
    return `the promise is pending after ${time}. ${stuck.join(' ')} If your client should time out by itself, run it under fake timers and pass { advanceTimers }.`
  }
  return `the promise is pending after ${time}, and nothing is left to do for it. ${left} If your client sleeps between its polls, make its pause short, or run it under fake timers and pass { advanceTimers }.`
}

/** Describes the responses that a fault holds back. */
function hangingResponses({ engine }: Settleable): string[] {
  const { hanging } = engine.delayed
  if (hanging === 0) return []
  return [
    `${counted(hanging, 'response hangs', 'responses hang')}: a fault of the kind "hang" keeps the rest until the client leaves.`,
  ]
}

const MOST_JOBS_SHOWN = 3

/** Describes the jobs that will never end by themselves. */
function endless({ clock, engine }: Settleable): string[] {
  if (clock.pending > 0) return []
  const jobs = [...engine.store.jobs.values()].filter(({ over }) => !over)
  const lines = jobs.slice(0, MOST_JOBS_SHOWN).map((job) => {
    const { id, model, progress } = job
    const why = whyNotMoving(engine, job)
    return `Job ${id.slice(0, 8)} of model "${model.name}" is ${progress.status} and will never end: ${why}.`
  })
  const more = jobs.length - lines.length
  return more > 0 ? [...lines, `${counted(more, 'more job')} will never end either.`] : lines
}
