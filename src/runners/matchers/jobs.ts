import { matches } from '../../base/text/match.js'
import { shown } from '../../base/text/shown.js'
import { JobHandle } from '../../emulator/testing/job-handle.js'
import { checkArgument, textOrPattern } from '../../base/text/options.js'
import { notFor, type Verdict } from './verdict.js'

/** Whether the training of a job started. Passes for jobs that run and for jobs that are over. */
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
    const hasMessage =
      typeof message === 'string' ? errorMessage.includes(message) : matches(message, errorMessage)
    return status === 'failed' && hasMessage
  })
}

function verdict(job: JobHandle, what: string, passes: () => boolean): Verdict {
  if (!(job instanceof JobHandle)) {
    notFor(job, 'a job', 'Pass emulator.job(), or emulator.job({ model }).')
  }
  const pass = passes()
  const { name, status, errorMessage, story } = job
  const outcome = errorMessage === undefined ? status : `${status} with ${shown(errorMessage)}`
  const state = status === 'queued' || status === 'running' ? `is ${status}` : outcome
  return {
    pass,
    message: () =>
      `expected ${name} ${pass ? 'not ' : ''}to have ${what}, but it ${state}.\n\n${story}`,
  }
}
