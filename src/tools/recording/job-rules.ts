import { groupsOf } from '../../base/text/counted.js'
import type { SeenCheckpoints } from './checkpoints-seen.js'
import { fieldsOf, listIn, type Exchange, type ScenarioPart } from './exchanges.js'
import { writeJob } from './job-timeline.js'
import type { SeenJob } from './seen-job.js'
import { formatDuration } from './times.js'
import { seenJobName } from './unfinished-jobs.js'

/** What happened to the jobs. */
export interface JobRules {
  readonly jobs: readonly ScenarioPart[]
  /** The jobs with the numbers that they have in the file, also those that nobody saw. */
  readonly numbered: readonly SeenJob[]
  /** Checkpoints on the way of jobs, as entries of the timeline of the scenario. */
  readonly timeline: readonly ScenarioPart[]
  /** What is left out or not shown, as sentences. */
  readonly notes: readonly string[]
  /** What happened and the rules do not do, as sentences. */
  readonly losses: readonly string[]
}

/** With more names and values in the rules of jobs, a file is longer than a scenario may be. */
const MOST_VALUES = 45_000

/** A rule without its `match`, and the job that it is for. */
interface JobRule {
  readonly job: SeenJob
  readonly rule: ScenarioPart
}

/** Writes a rule for each job. The jobs of a model run one after the other. */
export function jobRules(
  jobs: readonly SeenJob[],
  { ofJobs, hiddenJobs }: Pick<SeenCheckpoints, 'ofJobs' | 'hiddenJobs'>,
): JobRules {
  const freeAt = new Map<string, number>()
  const moved = new Map<string, number>()
  const written: JobRule[] = []
  const timeline: ScenarioPart[] = []
  const notes: string[] = []
  const losses: string[] = []
  for (const [index, seen] of jobs.entries()) {
    const key = seen.model?.id ?? seen.id
    const until = firstSeen(jobs.slice(index + 1).find(isAfter(seen)))
    let base = Math.max(seen.createdAt, freeAt.get(key) ?? -Infinity)
    for (const { call, isAssumed, listedAt = Infinity } of hiddenJobs.get(seen.id) ?? []) {
      const ordinal = seen.ordinal + (moved.get(key) ?? 0)
      const hidden = { ...seen, ordinal, goesOn: false }
      const from = Math.max(
        call.answeredAt ?? call.sentAt + call.waited,
        freeAt.get(key) ?? -Infinity,
      )
      base = Math.max(from, Math.min(middleBefore(seen, from), middle(from, listedAt)))
      written.push({ job: hidden, rule: hiddenRule(base - from) })
      notes.push(hiddenNote(hidden, call, isAssumed))
      moved.set(key, (moved.get(key) ?? 0) + 1)
      freeAt.set(key, base)
    }
    const job = { ...seen, ordinal: seen.ordinal + (moved.get(key) ?? 0) }
    // It waits for a job that stays as it is.
    if (base === Infinity) base = seen.createdAt
    const only = jobs.length > 1 ? selected(job) : {}
    const own = writeJob(job, { base, until, checkpoint: ofJobs.get(job.id), only })
    freeAt.set(key, own.over)
    written.push({ job, rule: own.rule })
    timeline.push(...own.onTheWay)
    const named = (note: string): string => `${seenJobName(job)}: ${note}`
    notes.push(...own.notes.map(named))
    losses.push(...own.losses.map(named))
  }
  const limited = withinLimit(written)
  return {
    jobs: merged(limited.written),
    numbered: written.map(({ job }) => job),
    timeline,
    notes: [...notes, ...limited.notes],
    losses,
  }
}

function isAfter({ model }: SeenJob): (job: SeenJob) => boolean {
  return (job) => model !== undefined && job.model?.id === model.id && job.events.length > 0
}

function firstSeen(job: SeenJob | undefined): number {
  return job?.events[0]?.span.most ?? Infinity
}

/** A time after a moment and before a job was first seen to do something. */
function middleBefore({ events }: SeenJob, from: number): number {
  const { above = from, most = from } = events[0]?.span ?? {}
  return middle(Math.max(above, from), most)
}

function middle(from: number, to: number): number {
  return Math.floor((from + to) / 2)
}

/** A job that nobody saw ran until its checkpoint was listed, or the next job started. */
function hiddenRule(length: number): ScenarioPart {
  const end = { event: 'training_ended', after: formatDuration(Math.max(0, length - 1)) }
  return { timeline: [{ event: 'training_started', after: '1ms' }, end] }
}

function hiddenNote(job: SeenJob, { operation = '' }: Exchange, isAssumed = false): string {
  const source = isAssumed ? '--lost-took-effect says' : 'its checkpoint shows'
  return `${seenJobName(job)}: ${source} that a call of ${operation} without an answer created it. Its steps are not in the recording, so it has none here.`
}

function selected({ model, ordinal }: SeenJob): ScenarioPart {
  return { ...(model && { model: model.name }), ordinal }
}

function withinLimit(all: readonly JobRule[]): { written: JobRule[]; notes: string[] } {
  const notes: string[] = []
  let room = MOST_VALUES
  const written = all.map(({ job, rule }) => {
    // An estimate: a comma or a colon follows nearly every name and value.
    const size = JSON.stringify(rule).match(/[,:]/g)?.length ?? 0
    if (size <= room) {
      room -= size
      return { job, rule }
    }
    notes.push(
      `${seenJobName(job)}: its metrics are left out, because a scenario cannot be as long.`,
    )
    const timeline = listIn(rule['timeline']).map((step) => {
      const { metrics: _metrics, spoil: _spoil, ...others } = fieldsOf(step)
      return others
    })
    return { job, rule: { ...rule, timeline } }
  })
  return { written, notes }
}

/**
 * Merges equal rules. The rule that most jobs follow comes last and has no `match`, so that it also applies to jobs
 * that the recording does not have.
 */
function merged(written: readonly JobRule[]): ScenarioPart[] {
  const all = [...groupsOf(written, ({ rule }) => JSON.stringify(rule)).values()]
  const most = Math.max(0, ...all.map((group) => group.length))
  const usual = all.findLast((group) => group.length === most)
  const isOneModel = new Set(written.map(({ job }) => job.model?.id)).size === 1
  const others = all.filter((group) => group !== usual).flat()
  return [
    ...others.map(({ job, rule }) => {
      return { match: isOneModel ? { ordinal: job.ordinal } : selected(job), ...rule }
    }),
    ...(usual ? [usual[0]!.rule] : []),
  ]
}
