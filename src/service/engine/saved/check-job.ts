import type { JobRule } from '../../scenario/scenario.js'
import { FINAL_STEPS } from '../../scenario/final-steps.js'
import { isFinal } from '../jobs/job.js'
import { timelineOf } from '../jobs/script.js'
import type { SavedJob } from '../jobs/saved-jobs.js'
import type { SavedProgress } from '../jobs/saved-progress.js'
import { LAST_MOMENT } from './format.js'
import { flawAt, type Flaw } from './record-flaws.js'

/**
 * Returns a contradiction in the progress of a job, if there is one.
 *
 * @param standing Where it is in the queue of its model. `current`: the first job that is not over, which is running, or
 * the next to run. `waiting`: a later job, which waits for that one.
 */
export function progressFlaw(
  { submission, rule }: SavedJob,
  progress: SavedProgress,
  standing: 'current' | 'waiting',
): Flaw | undefined {
  const { state } = progress
  const flaw = stateFlaw(progress) ?? momentsFlaw(state.moments)
  if (flaw || isOver(progress)) return flaw
  if (standing === 'waiting') return waitingFlaw(progress)
  const isDue = progress.upcoming !== undefined && state.stalled === undefined
  if (isDue && progress.due === undefined) {
    return flawAt(['due'], 'is missing; it is when the upcoming move happens')
  }
  if (!isDue && progress.due !== undefined) {
    return flawAt(['due'], 'nothing is due: no move is upcoming, or the job is stalled')
  }
  return typeof rule === 'number' ? undefined : scriptFlaw(rule, { submission, progress })
}

/** Whether a saved job is over. */
export function isOver({ state }: SavedProgress): boolean {
  return isFinal(state.status)
}

function stateFlaw(progress: SavedProgress): Flaw | undefined {
  const { state, script } = progress
  const { status, started, startedAt, endedAt, errorMessage, gradientSteps, moments } = state
  const over = isOver(progress)
  const wrong = (key: keyof typeof state, message: string): Flaw => flawAt(['state', key], message)
  if ((started === undefined) !== (startedAt === undefined)) {
    return wrong('startedAt', 'started and startedAt belong together')
  }
  if (!over && (status === 'running') !== (started !== undefined)) {
    return wrong('status', `"${status}" does not fit: a job runs from its start to its end`)
  }
  if (over !== (endedAt !== undefined)) {
    return wrong('endedAt', 'a job has it if, and only if, it is over')
  }
  if ((status === 'failed') !== (errorMessage !== undefined)) {
    return wrong('errorMessage', 'a job has it if, and only if, it failed')
  }
  if (gradientSteps > 0 && started === undefined) {
    return wrong('gradientSteps', 'expected 0: the job has not started')
  }
  if (over && state.stalled) return wrong('stalled', 'a job that is over cannot be stalled')
  const [, repetition, taken] = script
  if (gradientSteps > taken) {
    return flawAt(['script', 2], 'the script has taken fewer gradient steps than the job')
  }
  if (repetition > taken) {
    return flawAt(['script', 1], `expected at most ${taken}, the gradient steps that it has taken`)
  }
  const events = Number(started !== undefined) + gradientSteps + Number(over)
  if (moments.size === events) return undefined
  const expected = `expected ${events}, the number of events of the job`
  return flawAt(['state', 'moments', 'size'], expected)
}

function momentsFlaw({ size, runs }: SavedProgress['state']['moments']): Flaw | undefined {
  const path = ['state', 'moments', 'runs']
  if (size > 0 && runs.length === 0) return flawAt(path, 'must not be empty')
  for (const [index, [first, start, space]] of runs.entries()) {
    const next = runs[index + 1]?.[0] ?? size
    if (first >= next) return flawAt([...path, index, 0], `expected less than ${next}`)
    // Moments before the first run are estimated from it.
    const from = start - (index === 0 ? first : 0) * space
    if (from < -LAST_MOMENT || start + (next - first) * space > LAST_MOMENT) {
      return flawAt([...path, index, 2], 'its times are after the end of the calendar')
    }
  }
  return undefined
}

function waitingFlaw({ state, upcoming, due, script }: SavedProgress): Flaw | undefined {
  const waits = 'the job waits behind an earlier one of its model'
  if (state.status !== 'queued') {
    return flawAt(['state', 'status'], `expected "queued": ${waits}`)
  }
  if (upcoming) return flawAt(['upcoming'], `must be left out: ${waits}`)
  if (due !== undefined) return flawAt(['due'], `must be left out: ${waits}`)
  return script.every((part) => part === 0)
    ? undefined
    : flawAt(['script'], `expected [0, 0, 0]: ${waits}`)
}

/** Says why a job cannot resume with that rule. Undefined if it can. */
export function scriptFlaw(
  rule: JobRule,
  { submission, progress }: Pick<SavedJob, 'submission'> & { progress: SavedProgress },
): Flaw | undefined {
  const { state, script, upcoming } = progress
  const timeline = timelineOf(rule, submission)
  const rest = timeline.slice(script[0])
  const wrong = (message: string): Flaw => flawAt(['script', 0], message)
  if (script[0] > timeline.length) return wrong(`expected at most ${timeline.length}`)
  const started = state.started !== undefined
  if (upcoming?.event === 'training_started' && started) {
    return flawAt(['upcoming', 'event'], 'the job has started already')
  }
  if (upcoming?.event === 'gradient_step' && !started) {
    return flawAt(['upcoming', 'event'], 'the job has not started')
  }
  if (started || upcoming?.event === 'training_started') {
    const again = rest.some(({ event }) => event === 'training_started')
    if (again) return wrong('the job would start again')
  } else {
    const first = rest.find(({ event }) => ['training_started', 'gradient_step'].includes(event))
    if (first?.event === 'gradient_step') return wrong('the job would train before it starts')
  }
  const isEnding = [...rest, upcoming].some((step) => step && FINAL_STEPS.includes(step.event))
  if (!isEnding) return wrong('the job would never end')
  const mayStand = upcoming !== undefined || state.stalled !== undefined
  if (mayStand || rest[0]?.event === 'never') return undefined
  return flawAt(['upcoming'], 'is missing; it is what the job does next')
}
