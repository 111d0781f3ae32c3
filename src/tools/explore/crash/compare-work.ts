import { counted, countsOf } from '../../../base/text/counted.js'
import type { Work, WorkJob } from './work.js'

/** What two runs of a program are compared by. What differs without a kill is left out as a whole. */
export type Facet =
  | 'models'
  | 'runs'
  | 'batches'
  | 'jobs'
  | 'steps'
  | 'source'
  | 'checkpoints'
  | 'metrics'
  | 'events'

/** Something that a run made otherwise than the run before it. */
export interface Difference {
  readonly facet: Facet
  /** In one line, the same for all runs with this difference. */
  readonly title: string
  /** The facts, as sentences. */
  readonly text: string
  /** Why programs often do this, as a sentence. */
  readonly cause?: string
}

/** Compares what a program made with what it made in another run. What explains most comes first. */
export function compareWork(before: Work, now: Work): Difference[] {
  return [models, runs, batches, jobs, steps, checkpoints, source, metrics, events].flatMap(
    (compare) => compare(before, now) ?? [],
  )
}

/** Leaves out what follows from another difference: a batch that is trained twice makes a job and a step more. */
export function causesAmong(differences: readonly Difference[]): Difference[] {
  const [first] = differences
  if (first?.facet === 'models') return [first]
  const chain = differences.find(({ facet }) => CHAIN.has(facet))
  return differences.filter((each) => each === chain || !CHAIN.has(each.facet))
}

const CHAIN: ReadonlySet<Facet> = new Set(['batches', 'jobs', 'steps', 'checkpoints'])

type Comparison = (before: Work, now: Work) => Difference | undefined

const models: Comparison = (before, now) => {
  const names = now.models.map(({ name }) => name)
  return moreOrFewer({ facet: 'models', what: 'model', makes: 'creates' }, before.models, names)
}

const runs: Comparison = (before, now) => {
  const paths = now.runs.map(({ path }) => path)
  return moreOrFewer({ facet: 'runs', what: 'run', makes: 'opens' }, before.runs, paths)
}

function moreOrFewer(
  { facet, what, makes }: { readonly facet: Facet; readonly what: string; readonly makes: string },
  { length: was }: readonly unknown[],
  names: readonly string[],
): Difference | undefined {
  const { length: is } = names
  if (is === was) return undefined
  const title =
    is > was ? `a restart ${makes} another ${what}` : `a ${what} is missing after a restart`
  return { facet, title, text: `${insteadOf(is, was, what)}: ${names.join(', ') || 'none'}.` }
}

/** Several steps may train on the same prompts. Then only equal trajectories show that a batch came twice. */
const batches: Comparison = (before, now) => {
  const isKnown = ({ batch }: WorkJob): boolean => batch !== undefined
  if (!before.jobs.every(isKnown) || !now.jobs.every(isKnown)) return undefined
  const usual = countsOf(before.jobs.map(batchOf))
  const numbers = new Map([...usual.keys()].map((batch, index) => [batch, index + 1]))
  const more = surplus(now.jobs, before.jobs)
  const known = more.filter(({ batch }) => usual.has(batch))
  const again = known.map((each) => trainedAgain(each, numbers.get(each.batch)!))
  const never = surplus(before.jobs, now.jobs).map(({ batch, jobs: all, count }) => {
    return count === all.length
      ? `Batch ${numbers.get(batch)} was never trained.`
      : `${counted(all.length - count, 'job')} instead of ${all.length} trained on the same prompts.`
  })
  const others = more.filter(({ batch }) => !usual.has(batch)).flatMap((each) => each.jobs)
  const texts = [...again, ...never, ...(others.length > 0 ? [mixed(others, before)] : [])]
  if (texts.length === 0) return undefined
  const isTwice = known.some((each) => each.jobs.length === each.count + 1 || copyIn(each))
  const text = texts.join(' ')
  const cause = causeOfMore(before, now)
  if (isTwice) return { facet: 'batches', title: cause === FROM_OLD ? DONE : TWICE, text, cause }
  if (never.length > 0) return { facet: 'batches', title: NEVER, text }
  if (again.length === 0) return { facet: 'batches', title: OTHER, text }
  return { facet: 'batches', title: cause === LOST_ID ? BESIDE : AGAIN, text, cause }
}

/** Says which jobs have the prompts of a batch that has too many of them. */
function trainedAgain(again: Surplus, number: number): string {
  const { jobs: all, count } = again
  const few = all.slice(-MOST_JOBS).map(({ id }) => id)
  const ids = `${all.length > MOST_JOBS ? 'the last jobs are' : 'jobs'} ${listed(few)}.`
  const usual = all.length - count
  if (usual === 1) return `Batch ${number} was trained ${times(all.length)} instead of once: ${ids}`
  const copy = copyIn(again)
  const same = copy ? ` Jobs ${copy.copyOf} and ${copy.id} have the same trajectories.` : ''
  return `${all.length} jobs instead of ${usual} trained on the same prompts: ${ids}${same}`
}

/**
 * Why programs often train another time. Jobs that do not wait for the one before come from a program that lost it.
 * Answers of a checkpoint that was old already say nothing of waiting.
 */
function causeOfMore(before: Work, now: Work): string {
  const usual = Math.max(0, ...before.jobs.map(({ lag }) => lag))
  const overlaps = ({ jobs: all }: Work): boolean =>
    all.some(({ latest, lag, sampledOld }, index) => {
      return (lag > usual && !sampledOld) || (all[index - 1]?.made ?? 0) > latest!
    })
  // Other clients say nothing about their steps, and several models train side by side.
  if (now.jobs.some(({ latest }) => latest === undefined) || overlaps(before)) return UNKNOWN
  return overlaps(now) ? LOST_ID : FROM_OLD
}

function copyIn({ jobs: all }: Surplus): WorkJob | undefined {
  return all.find(({ copyOf }) => copyOf !== undefined)
}

/** The most jobs of a batch that are named. */
const MOST_JOBS = 3

const TWICE = 'a batch is trained twice after a restart'
const DONE = 'a batch whose checkpoint exists is trained again after a restart'
const NEVER = 'a batch is never trained after a restart'
const AGAIN = 'a restart trains another time'
const BESIDE = 'a restart trains another time, beside a job that runs'
const OTHER = 'a batch after a restart is none of the others'

const LOST_ID =
  'Usual cause: the code did not store the id of its job, which had not ended. If its client tells no id, it can only look for a new checkpoint before it trains again.'
const FROM_OLD = 'Usual cause: after a start, the code does not go on from its newest checkpoint.'
const UNKNOWN =
  'Usual cause: the code did not store the id of its job, or goes on from an old checkpoint.'

/** Says of jobs with batches of their own which prompts they have from others. */
function mixed(others: readonly WorkJob[], before: Work): string {
  const [{ id, groups }] = others as [WorkJob, ...WorkJob[]]
  const known = new Set(before.jobs.flatMap((job) => job.groups))
  const from = groups.filter((group) => known.has(group)).length
  return `Job ${id} has a batch that no other run has: ${from} of its ${counted(groups.length, 'group')} have known prompts.`
}

const jobs: Comparison = (before, now) => {
  const [was, is] = [before.jobs.length, now.jobs.length]
  if (is === was) return undefined
  const text = `${insteadOf(is, was, 'job')}.`
  if (is < was) return { facet: 'jobs', title: 'a job is missing after a restart', text }
  const cause = causeOfMore(before, now)
  return { facet: 'jobs', title: cause === LOST_ID ? BESIDE : AGAIN, text, cause }
}

const steps: Comparison = (before, now) => {
  for (const [index, { name, step }] of now.models.entries()) {
    const was = before.models[index]?.step
    if (was === undefined || step === was) continue
    const title =
      step > was ? 'steps are repeated after a restart' : 'steps are lost after a restart'
    return { facet: 'steps', title, text: `Model ${name} ends at step ${step} instead of ${was}.` }
  }
  return undefined
}

/** Where the answers that are trained come from. */
const source: Comparison = (before, now) => {
  const title = 'it goes on from a wrong checkpoint after a restart'
  const usual = Math.max(0, ...before.jobs.map(({ lag }) => lag))
  const stale = now.jobs.find(({ lag }) => lag > usual)
  if (stale) {
    const text = `Job ${stale.id} trains on answers of a checkpoint ${counted(stale.lag, 'step')} behind the newest one, and without a kill, at most ${usual}.`
    return { facet: 'source', title, text }
  }
  if (before.jobs.some(({ fromBase }) => fromBase > 0)) return undefined
  const base = now.jobs.find(({ fromBase }) => fromBase > 0)
  if (!base) return undefined
  const text = `Job ${base.id} trains on ${counted(base.fromBase, 'answer')} of the base model, although its model had a checkpoint.`
  return { facet: 'source', title, text }
}

const checkpoints: Comparison = (before, now) => {
  for (const [index, { name, made, checkpoints: has }] of now.models.entries()) {
    const other = before.models[index]
    if (!other) continue
    const lost = other.checkpoints.filter((step) => !has.includes(step))
    if (lost.length > 0) {
      const title = 'a checkpoint is missing after a restart'
      return {
        facet: 'checkpoints',
        title,
        text: `Model ${name} has no checkpoint of step ${listed(lost)} at the end.`,
      }
    }
    const again = [...made].filter(
      ([step, count]) => count > (other.made.get(step) ?? 0) && other.made.has(step),
    )
    if (again.length > 0) {
      const title = 'a checkpoint is made twice after a restart'
      return {
        facet: 'checkpoints',
        title,
        text: `Model ${name} made the checkpoint of step ${listed(again.map(([step]) => step))} again.`,
      }
    }
  }
  return undefined
}

const metrics: Comparison = (before, now) => {
  const extra = countedRows(before, now).filter(({ rows, found }) => found > rows)
  if (extra.length === 0) return undefined
  const title = 'metrics are logged twice after a restart'
  return { facet: 'metrics', title, text: `Values of metrics: ${listedRows(extra)}.` }
}

/** The values of metrics that another run does not have, as a sentence. Undefined if it has all. */
export function missingRows(before: Work, now: Work): string | undefined {
  const gaps = countedRows(before, now).filter(({ rows, found }) => found < rows)
  if (gaps.length === 0) return undefined
  return `Metrics have gaps: ${listedRows(gaps)}. What a client has not sent is lost with its process.`
}

interface CountedRows {
  readonly name: string
  readonly rows: number
  /** How many the other run has. */
  readonly found: number
}

function countedRows(before: Work, now: Work): CountedRows[] {
  const is = allRows(now)
  return [...allRows(before)].map(([name, rows]) => ({ name, rows, found: is.get(name) ?? 0 }))
}

function listedRows(counts: readonly CountedRows[]): string {
  const shown = counts.slice(0, MOST_METRICS)
  const more = counts.length > shown.length ? `, and ${counts.length - shown.length} more` : ''
  const texts = shown.map(({ name, rows, found }) => `${name} has ${found} instead of ${rows}`)
  return texts.join(', ') + more
}

/** The most metrics that are named. */
const MOST_METRICS = 3

/** A program that never reads events has no metrics from them. */
const events: Comparison = (before, now) => {
  if (before.jobs.some(({ unseen }) => unseen > 0)) return undefined
  const unread = now.jobs.find(({ unseen }) => unseen > 0)
  if (!unread) return undefined
  const were = unread.unseen === 1 ? 'was' : 'were'
  const text = `${counted(unread.unseen, 'event')} of job ${unread.id} ${were} never read, so the metrics of its steps are missing.`
  return { facet: 'events', title: 'events of a job are never read after a restart', text }
}

/** The checkpoints that another run deletes, as a sentence. Undefined if there are none. */
export function leftOver(before: Work, now: Work): string | undefined {
  for (const [index, { name, checkpoints: has }] of now.models.entries()) {
    const other = before.models[index]
    const extra = has.filter((step) => other?.made.has(step) && !other.checkpoints.includes(step))
    if (extra.length > 0)
      return `Model ${name} has the checkpoint of step ${listed(extra)} at the end, and without a kill it is deleted.`
  }
  return undefined
}

function allRows({ runs: all }: Work): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { rows } of all) {
    for (const [name, count] of rows) sums.set(name, (sums.get(name) ?? 0) + count)
  }
  return sums
}

function batchOf({ batch = '' }: WorkJob): string {
  return batch
}

interface Surplus {
  readonly batch: string
  /** All jobs with the batch. */
  readonly jobs: readonly WorkJob[]
  /** How many of them are too many. */
  readonly count: number
}

/** The batches that come more often than in other jobs. */
function surplus(all: readonly WorkJob[], others: readonly WorkJob[]): Surplus[] {
  const known = countsOf(others.map(batchOf))
  return [...countsOf(all.map(batchOf))].flatMap(([batch, made]) => {
    const count = made - (known.get(batch) ?? 0)
    return count > 0 ? { batch, count, jobs: all.filter((job) => batchOf(job) === batch) } : []
  })
}

function insteadOf(is: number, was: number, what: string): string {
  return `${counted(is, what)} instead of ${was}`
}

function times(count: number): string {
  return count === 2 ? 'twice' : `${count} times`
}

function listed(items: readonly (string | number)[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}
