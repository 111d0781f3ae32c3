import { counted } from '../../base/text/counted.js'
import { isAccepted, type Exchange } from './exchanges.js'
import { endOf, type SeenJob } from './seen-job.js'
import { formatDuration } from './times.js'

/** A job that a recording does not show to the end. */
export interface MissingEnd {
  /** The id of the job, if the recording has it. */
  readonly id: string
  /** What is known of it. */
  readonly seen: string
  /** What it does in the scenario. */
  readonly instead: string
  /** Whether answers came that may say it, without their contents. */
  readonly isUnread: boolean
  /** What happened to the last call about the job, if it brought no answer of the service: `was refused with 503`. */
  readonly stopped: string | undefined
}

/** How to save a HAR file that has the contents of answers. */
export const SAVE_CONTENTS =
  'Save the file with the contents of answers: "HAR with content" in a browser, recordHar with content: "embed" in Playwright.'

/** The error message of a job that ends where the recording does. */
export const UNKNOWN_END = 'not in the recording: how this job ended'

/**
 * Finds the jobs whose end a recording does not show.
 *
 * @param calls All calls of the recording. Jobs that were not recorded have none.
 * @param seen Says what is known of a job. Default: what polls show.
 */
export function missingEnds(
  jobs: readonly SeenJob[],
  calls: readonly Exchange[],
  seen: (job: SeenJob) => string = lastPolled,
): MissingEnd[] {
  const open = jobs.filter((job) => job.goesOn && !endOf(job))
  return open.map((job) => ({
    id: job.id,
    seen: `${seenJobName(job)}: ${seen(job)}.`,
    isUnread: job.polls.some(({ isMissing }) => isMissing),
    stopped: stoppedBy(calls.findLast(({ params }) => params['training_job_id'] === job.id)),
    instead: `Here it fails after that with "${UNKNOWN_END}". If it is stuck, write event: never in place of that.`,
  }))
}

/** A call without an end says nothing: the recording ended before it did. */
function stoppedBy(last: Exchange | undefined): string | undefined {
  if (!last || isAccepted(last) || last.how === 'unfinished') return undefined
  if (last.how === 'unreached') return 'did not reach the service'
  const { status = 0 } = last
  return status >= 400 ? `was refused with ${status}` : 'got no complete answer'
}

/** The first lines of a scenario that is not complete. */
export function missingNotes(missing: readonly MissingEnd[], jobs: number): string[] {
  if (missing.length === 0) return []
  const which = jobs === 1 ? 'the job' : `${missing.length} of ${jobs} jobs`
  return [
    `Partial: nothing shows how ${which} ended.`,
    ...missing.map(({ seen, instead }) => `${seen} ${instead}`),
  ]
}

function lastPolled({ polls, events, createdAt, unknownStatus }: SeenJob): string {
  const last = events.at(-1)
  const odd =
    unknownStatus === undefined
      ? ''
      : `its last status was ${JSON.stringify(unknownStatus)}, which does not say whether it is over`
  if (polls.length === 0) {
    return last ? `the last of its events is ${last.type}` : 'the client never asked how it went'
  }
  const missing = polls.filter((poll) => poll.isMissing)
  const unread = `the contents of ${counted(missing.length, 'answer')} are missing`
  const readable = polls.filter(({ isReadable }) => isReadable)
  if (readable.length === 0) {
    const answers = counted(polls.length, 'answer')
    if (missing.length > 0) return `the client asked for it, and ${unread}`
    return odd || `the client asked for it, and ${answers} had no status and no times`
  }
  const since = last?.span.most ?? createdAt
  const later = readable.filter(({ answeredAt }) => answeredAt > since)
  const silence = (later.at(-1)?.answeredAt ?? since) - since
  const what = last?.type.replaceAll('_', ' ') ?? 'its creation'
  const time = formatDuration(silence >= 1000 ? Math.floor(silence / 1000) * 1000 : silence)
  return [
    `it ${last ? 'was running' : 'was queued'} when the client last asked`,
    ...(later.length > 0 ? [`, ${time} and ${counted(later.length, 'poll')} after ${what}`] : []),
    ...(odd ? [`; ${odd}`] : []),
    ...(missing.length > 0 ? [`; ${unread}`] : []),
  ].join('')
}

/** Names a job for people. */
export function seenJobName({ ordinal, model, id }: SeenJob): string {
  if (model) return `Job ${ordinal} of ${model.name}`
  return id === '' ? 'The job' : `Job ${id}`
}
