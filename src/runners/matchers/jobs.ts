import { matches } from '../../text/match.js'
import { shown } from '../../text/shown.js'
import { JobHandle } from '../../testing/job-handle.js'
import { checkArgument, textOrPattern } from '../../text/options.js'
import { notFor, type Verdict } from './verdict.js'

/** Whether the training of a job started. The job may be running or over by now. */
export function toHaveStarted(job: JobHandle): Verdict {
  return verdict(job, 'started', () => job.started)
}

/** Whether a job ended successfully. */
export function toHaveEnded(job: JobHandle): Verdict {
  return verdict(job, 'ended', () => job.status === 'ended')
}

/** Whether a job failed. `message` is a part of its error message, or a pattern. */
export function toHaveFailed(job: JobHandle, message?: string | RegExp): Verdict {
  if (message === undefined) return verdict(job, 'failed', () => job.status === 'failed')
  checkArgument('toHaveFailed', { name: 'message', value: message, kind: textOrPattern })
  return verdict(job, `failed with ${shown(message)}`, () => {
    const { status, errorMessage = '' } = job
    const isMeant =
      typeof message === 'string' ? errorMessage.includes(message) : matches(message, errorMessage)
    return status === 'failed' && isMeant
  })
}

function verdict(job: JobHandle, what: string, passes: () => boolean): Verdict {
  if (!(job instanceof JobHandle)) {
    notFor(job, 'a job', 'Pass emulator.job(), or emulator.job({ model }).')
  }
  const pass = passes()
  const { name, status, errorMessage, story } = job
  const over = errorMessage === undefined ? status : `${status} with ${shown(errorMessage)}`
  const is = status === 'queued' || status === 'running' ? `is ${status}` : over
  return {
    pass,
    message: () =>
      `expected ${name} ${pass ? 'not ' : ''}to have ${what}, but it ${is}.\n\n${story}`,
  }
}
