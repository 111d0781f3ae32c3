import type { ControlJob } from '../../emulator/control/schemas/jobs.js'
import type { Lineage } from '../../emulator/control/schemas/lineage.js'
import { figure } from '../parts/amounts.js'
import { jobTitle, shortId } from '../parts/names.js'
import { rangeOf } from '../kit/range.js'
import { hrefOf } from '../routes.js'

export type LineageJob = Lineage['jobs'][number]
export type LineageGroup = LineageJob['groups'][number]
export type LineageTrajectory = LineageGroup['trajectories'][number]
export type LineageAnswer = LineageTrajectory['answers'][number]

/** How far the source of an answer is from the newest checkpoint, nearest first. `far` is more than one step. */
export const DISTANCES = ['newest', 'behind', 'far', 'other', 'base', 'unknown'] as const
export type Distance = (typeof DISTANCES)[number]

/** Where answers are from. */
export interface Source {
  readonly distance: Distance
  /** `step 1, 1 behind` */
  readonly text: string
  /** The number of answers. */
  readonly count: number
}

/** Says where an answer is from. Its job tells which checkpoint was the newest one. */
export function sourceOf(
  { state, lag, sample }: LineageAnswer,
  { latest }: Pick<LineageJob, 'latest'>,
): Source {
  const one = (distance: Distance, text: string): Source => ({ distance, text, count: 1 })
  if (state === 'unknown') return one('unknown', 'unknown')
  if (lag !== null) {
    const step = `step ${latest - lag}`
    if (lag > 0) return one(lag === 1 ? 'behind' : 'far', `${step}, ${lag} behind`)
    // A checkpoint that was deleted may be newer than the newest one.
    return one('newest', lag === 0 ? `${step}, newest` : step)
  }
  if (sample === null) return one('other', 'forgotten')
  return sample.step === null ? one('base', 'base model') : one('other', 'another model')
}

/** Where answers are from, nearest first. */
export function sourcesOf(
  answers: readonly LineageAnswer[],
  job: Pick<LineageJob, 'latest'>,
): Source[] {
  const found = new Map<string, Source>()
  for (const answer of answers) {
    const source = sourceOf(answer, job)
    const { count } = found.get(source.text) ?? { count: 0 }
    found.set(source.text, { ...source, count: count + 1 })
  }
  return [...found.values()].sort(byDistance)
}

function byDistance(one: Source, other: Source): number {
  const apart = DISTANCES.indexOf(one.distance) - DISTANCES.indexOf(other.distance)
  return apart || other.text.localeCompare(one.text, 'en', { numeric: true })
}

/** Sources as words: `8 × step 2, newest; 1 × unknown`. */
export function sourcesText(sources: readonly Source[]): string {
  return sources.map(sourceText).join('; ') || 'no answers'
}

/** One source as words: `8 × step 2, newest`. */
export function sourceText({ count, text }: Source): string {
  return `${figure(count)} × ${text}`
}

/** How many answers of jobs have each distance, nearest first. */
export function distancesOf(jobs: readonly LineageJob[]): (readonly [Distance, number])[] {
  const sources = jobs.flatMap((job) => sourcesOf(answersOf(trajectoriesOf(job)), job))
  return DISTANCES.map((distance) => {
    const same = sources.filter((each) => each.distance === distance)
    return [distance, same.reduce((sum, { count }) => sum + count, 0)] as const
  })
}

export function trajectoriesOf({ groups }: Pick<LineageJob, 'groups'>): LineageTrajectory[] {
  return groups.flatMap(({ trajectories }) => trajectories)
}

export function answersOf(trajectories: readonly LineageTrajectory[]): LineageAnswer[] {
  return trajectories.flatMap(({ answers }) => answers)
}

/** What is wrong with a trajectory, in one word each. */
export function marksOf({ answers, duplicate, failed }: LineageTrajectory): string[] {
  return [
    answers.some(({ changed }) => changed !== null) && 'differs',
    duplicate !== null && 'twice',
    failed !== null && 'failed',
  ].filter((mark) => mark !== false)
}

/** A reward as words. One that is not finite is `–`. */
export function rewardText(reward: number | null): string {
  return reward === null ? '–' : figure(reward)
}

/** Rewards as words: `0 to 1`, or `all 0.5`. */
export function rewardsText(trajectories: readonly LineageTrajectory[]): string {
  const rewards = trajectories.flatMap(({ reward }) => reward ?? [])
  if (rewards.length === 0) return '–'
  const [least, most] = rangeOf(rewards)
  if (least !== most) return `${figure(least)} to ${figure(most)}`
  return rewards.length === 1 ? figure(least) : `all ${figure(least)}`
}

/** Whether nothing can be learned from a group, because its rewards do not differ. */
export function hasEqualRewards({ trajectories }: LineageGroup): boolean {
  const [first, ...others] = trajectories.map(({ reward }) => reward)
  return others.length > 0 && others.every((reward) => reward !== null && reward === first)
}

/** The name of a job: `poet #2`. If the dashboard does not know the job, with its id. */
export function jobName({ job, model }: LineageJob, known: ControlJob | undefined): string {
  return known ? jobTitle(known) : `${model} ${shortId(job)}`
}

/** The address of a group on the page of its job, or of a trajectory in it. */
export function groupHref(id: string, group: number, trajectory?: number): string {
  const query = { group: String(group), open: `group-${group}` }
  return hrefOf(
    { page: 'job', id },
    trajectory === undefined ? query : { ...query, trajectory: String(trajectory) },
  )
}

/** A job that trained on answers of a checkpoint. */
export interface CheckpointUse {
  readonly job: LineageJob
  /** The number of answers. */
  readonly count: number
  /** How many steps the checkpoint was behind. Null for a job of another model. */
  readonly lag: number | null
}

interface CheckpointPlace {
  /** The name of the model. */
  readonly name: string
  readonly step: number
  /** Whether a job trains the model of the checkpoint. */
  readonly isOwn: (job: string) => boolean
}

/** The jobs that trained on answers of a checkpoint. */
export function usesOf(
  jobs: readonly LineageJob[],
  { name, step, isOwn }: CheckpointPlace,
): CheckpointUse[] {
  return jobs.flatMap((job) => {
    const own = isOwn(job.job)
    const used = answersOf(trajectoriesOf(job)).filter(({ lag, sample }) => {
      if (lag !== null) return own && job.latest - lag === step
      return !own && sample?.model === name && sample.step === step
    })
    return used.length === 0
      ? []
      : [{ job, count: used.length, lag: own ? job.latest - step : null }]
  })
}
