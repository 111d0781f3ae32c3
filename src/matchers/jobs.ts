import { occurs } from '../verification/match.js'
import { shown } from '../verification/shown.js'
import { JobHandle } from '../verification/job-handle.js'
import type { Verdict } from './verdict.js'

/** Whether the job's training has begun, whatever became of it since. */
export function toHaveStarted(job: JobHandle): Verdict {
  return verdict(job, job.started, 'started')
}

/** Whether the job came to a good end. */
export function toHaveEnded(job: JobHandle): Verdict {
  return verdict(job, job.status === 'ended', 'ended')
}

/** Whether the job failed, with these words or with words like these where some are given. */
export function toHaveFailed(job: JobHandle, message?: string | RegExp): Verdict {
  const { status, errorMessage = '' } = job
  if (message === undefined) return verdict(job, status === 'failed', 'failed')
  const fits =
    message instanceof RegExp ? occurs(message, errorMessage) : errorMessage.includes(message)
  return verdict(job, status === 'failed' && fits, `failed with ${shown(message)}`)
}

function verdict(job: JobHandle, pass: boolean, what: string): Verdict {
  if (!(job instanceof JobHandle)) {
    throw new TypeError(`${shown(job)} is no job. Pass emulator.job(), or emulator.job({ model }).`)
  }
  const { name, status, errorMessage, story } = job
  const over = errorMessage === undefined ? status : `${status} with ${shown(errorMessage)}`
  const is = status === 'queued' || status === 'running' ? `is ${status}` : over
  return {
    pass,
    message: () =>
      `expected ${name} ${pass ? 'not ' : ''}to have ${what}, but it ${is}.\n\n${story}`,
  }
}
