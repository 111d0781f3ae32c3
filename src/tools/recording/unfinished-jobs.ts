import { milliseconds } from '../../base/text/duration.js'
import { counted } from '../../base/text/counted.js'
import { endOf } from './checkpoints-seen.js'
import type { Poll, SeenJob } from './jobs-seen.js'
import { formatDuration, significant } from './times.js'

/** A job whose end a recording does not show. */
export interface UnfinishedJob {
  readonly job: SeenJob
  /** What the recording shows of it, as a sentence. */
  readonly seen: string
  /** Whether a client waited for it in vain, for longer than anything else took. */
  readonly stays: boolean
  /** How long the client saw it after its last event, in milliseconds since the first request. */
  readonly seenUntil: number
}

/** The error message of a job that ends where the recording does. */
export const UNKNOWN_END = 'not in the recording: how this job ended'

/** A job that did not change for this long may never change again: the patience of `play`. */
const LONG = milliseconds('10m')

/** How much longer than anything before must the silence be? */
const TIMES_LONGER = 3
const FEWEST_POLLS = 3

/** Finds the jobs whose end a recording does not show, by id. */
export function unfinishedIn(jobs: readonly SeenJob[]): Map<string, UnfinishedJob> {
  const longest = Math.max(0, ...jobs.flatMap(gapsOf))
  const found = jobs.flatMap((job, index) => {
    if (endOf(job)) return []
    const later = jobs.slice(index + 1)
    const isFollowed = later.some((each) => {
      return job.model !== undefined && each.model?.id === job.model.id && each.events.length > 0
    })
    return [[job.id, unfinished(job, { longest, isFollowed })] as const]
  })
  return new Map(found)
}

/** The times between what happened to a job. */
function gapsOf({ createdAt, events }: SeenJob): number[] {
  const moments = [createdAt, ...events.map(({ span }) => span.most)]
  return moments.slice(1).map((moment, index) => moment - moments[index]!)
}

function unfinished(
  job: SeenJob,
  { longest, isFollowed }: { longest: number; isFollowed: boolean },
): UnfinishedJob {
  const { events, createdAt, polls } = job
  const last = events.at(-1)
  const since = last?.span.most ?? createdAt
  const silent = polls.filter(({ sentAt, isReadable }) => isReadable && sentAt >= since)
  const seenUntil = Math.max(since, silent.at(-1)?.answeredAt ?? since)
  const silence = seenUntil - since
  const isLong = silence >= LONG && silence >= TIMES_LONGER * longest
  return {
    job,
    seen: sentenceOf(job, { silence, silent }),
    stays: !job.goesOn || (isLong && silent.length >= FEWEST_POLLS && !isFollowed),
    seenUntil,
  }
}

function sentenceOf(
  { polls, events, unknownStatus }: SeenJob,
  { silence, silent }: { silence: number; silent: readonly Poll[] },
): string {
  const last = events.at(-1)
  const odd =
    unknownStatus === undefined
      ? ''
      : `; its last status was ${JSON.stringify(unknownStatus)}, which does not say whether it is over`
  if (polls.length === 0) {
    return last ? `the last of its events is ${last.type}` : 'the client never asked how it went'
  }
  if (!polls.some(({ isReadable }) => isReadable)) {
    return unknownStatus === undefined
      ? `the client asked for it, and ${counted(polls.length, 'answer')} had no status and no times`
      : odd.slice(2)
  }
  const state = `${last ? 'was running' : 'was queued'} when the client last asked`
  const after = last?.type.replaceAll('_', ' ') ?? 'its creation'
  if (silence <= 0) return `it ${state}${odd}`
  const time = formatDuration(significant(silence))
  return `it ${state}, ${time} and ${counted(silent.length, 'poll')} after ${after}${odd}`
}

/** Names a job for people. */
export function nameOf({ ordinal, model, id }: SeenJob): string {
  if (model) return `Job ${ordinal} of ${model.name}`
  return id === '' ? 'The job' : `Job ${id}`
}
