import {
  trajectoriesOf,
  type TrainedAnswer,
  type TrainedJob,
  type TrainedTrajectory,
  type TrajectoryPlace,
} from '../../service/engine/lineage/trained-job.js'
import { counted } from '../../base/text/counted.js'
import type { CheckDefinition, FoundMistake } from './check-definition.js'
import type { TestedWorld } from './world.js'

/** A place in the training data of a job where a check found something. */
export interface Evidence {
  readonly place: Omit<TrajectoryPlace, 'trajectory'> & Partial<TrajectoryPlace>
  /** The index in the messages of the trajectory. */
  readonly turn?: number | undefined
  /** What is there. */
  readonly what?: string | undefined
}

/** A check of what jobs are trained on. It finds what it looks for in one job; all that it finds is one finding. */
export interface TrainingCheck<Setting = unknown> {
  readonly mistake: string
  readonly legitimate: string
  /** Finds the places in one job. */
  readonly search: (job: TrainedJob, context: SearchContext<Setting>) => Iterable<Evidence>
  /** Says what was found. `count` is how often. */
  readonly say: (count: number, jobs: readonly TrainedJob[]) => string
  /** What to do instead. */
  readonly advice: string
  /** Whether `count` of them are a mistake. Default: one is. */
  readonly isMany?: (count: number, jobs: readonly TrainedJob[]) => boolean
}

export interface SearchContext<Setting = unknown> {
  readonly world: TestedWorld
  /** The options of the check. */
  readonly setting: Setting | undefined
}

/** Makes a client check from a check of training data. */
export function trainingCheck<Setting = never>(check: TrainingCheck<Setting>): CheckDefinition {
  const found = (
    world: TestedWorld,
    { jobs, searched, setting }: Search<Setting>,
  ): FoundMistake[] => {
    const all = searched.flatMap((job) =>
      [...check.search(job, { world, setting })].map((evidence) => ({ evidence, job })),
    )
    const [first] = all
    if (!first || check.isMany?.(all.length, jobs) === false) return []
    const more = all.length === 1 ? '' : `, and ${counted(all.length - 1, 'more place')}`
    const text = `${check.say(all.length, jobs)}: ${formatEvidence(first.evidence)}${more}; ${check.advice}`
    const requests = new Set(all.flatMap(({ job }) => job.request ?? []))
    return [{ text, requests: [...requests] }]
  }
  return {
    mistake: check.mistake,
    legitimate: check.legitimate,
    warns: true,
    find(world, _requests, setting) {
      const jobs = [...world.engine.lineage.jobs]
      return found(world, { jobs, searched: jobs, setting: setting as Setting | undefined })
    },
    findIn(world, job, setting) {
      const jobs = [...world.engine.lineage.jobs]
      const options = setting as Setting | undefined
      if (!check.isMany) return found(world, { jobs, searched: [job], setting: options })
      // It counts over all jobs, and warns once: when there are many for the first time.
      const before = jobs.filter((other) => other !== job)
      const known = found(world, { jobs: before, searched: before, setting: options })
      return known.length > 0 ? [] : found(world, { jobs, searched: jobs, setting: options })
    },
  }
}

interface Search<Setting> {
  jobs: readonly TrainedJob[]
  searched: readonly TrainedJob[]
  setting: Setting | undefined
}

/** Finds the answers of a job that `test` is true for. */
export function* answersWhere(
  job: TrainedJob,
  test: (answer: TrainedAnswer, trajectory: TrainedTrajectory) => boolean,
  what?: (answer: TrainedAnswer) => string | undefined,
): Generator<Evidence> {
  for (const { place, trajectory } of trajectoriesOf(job)) {
    for (const answer of trajectory.answers) {
      if (test(answer, trajectory)) yield { place, turn: answer.turn, what: what?.(answer) }
    }
  }
}

/** Finds the trajectories of a job about which `what` says something. */
export function* trajectoriesWhere(
  job: TrainedJob,
  what: (trajectory: TrainedTrajectory) => string | undefined,
): Generator<Evidence> {
  for (const { place, trajectory } of trajectoriesOf(job)) {
    const found = what(trajectory)
    if (found !== undefined) yield { place, what: found }
  }
}

/** The number of answers in jobs. */
export function answersIn(jobs: readonly TrainedJob[]): number {
  let count = 0
  for (const job of jobs) {
    for (const { trajectory } of trajectoriesOf(job)) count += trajectory.answers.length
  }
  return count
}

/** Many are at least half of at least eight. */
export function isMany(count: number, all: number): boolean {
  return all >= LEAST && count >= all / 2
}

const LEAST = 8

/** Names a trajectory: `job 1f2e3d4c, group 0, trajectory 1`. */
export function placeText({ job, group, trajectory }: Evidence['place']): string {
  const within = trajectory === undefined ? '' : `, trajectory ${trajectory}`
  return `job ${job.slice(0, 8)}, group ${group}${within}`
}

function formatEvidence({ place, turn, what }: Evidence): string {
  const at = turn === undefined ? '' : `, turn ${turn}`
  return `${placeText(place)}${at}${what === undefined ? '' : ` (${what})`}`
}
