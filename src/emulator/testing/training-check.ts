import type {
  TrainedAnswer,
  TrainedGroup,
  TrainedJob,
  TrainedTrajectory,
  TrajectoryPlace,
} from '../../service/engine/lineage/trained-job.js'
import type { Engine } from '../../service/engine/engine.js'
import { counted } from '../../base/text/counted.js'
import type { CheckDefinition, FoundMistake } from './check-definition.js'

/** A place in the training data of a job where a check found something. */
export interface Evidence {
  readonly place: Omit<TrajectoryPlace, 'trajectory'> & Partial<TrajectoryPlace>
  /** The index in the messages of the trajectory. */
  readonly turn?: number | undefined
  /** What is there. */
  readonly what?: string | undefined
  /** The trajectory that was the same before. */
  readonly earlier?: TrajectoryPlace | undefined
}

/** A check of what jobs are trained on. It finds what it looks for in one job; all that it finds is one finding. */
export interface TrainingCheck<Setting = unknown> {
  readonly mistake: string
  readonly legitimate: string
  /** Finds the places in one job. */
  readonly search: (job: TrainedJob, context: SearchContext<Setting>) => readonly Evidence[]
  /** Says what was found. `count` is how often, of `all`. */
  readonly say: (count: number, all: number) => string
  /** What to do instead. */
  readonly advice: string
  /** How many there are in a job. It is a mistake if many of all are found. Default: one that is found is a mistake. */
  readonly outOf?: (job: TrainedJob) => number
  /** What it judges, one by one. */
  readonly judges: Unit
  /** Why it cannot judge one of those. Undefined if it can. */
  readonly blind?: Blind
  /** When it judges choices and captured answers, as words of the reference. Default: always. */
  readonly onChoices?: string
  /** When it judges answers that are plain messages. Default: always. */
  readonly onMessages?: string
  /** What it judges in a file, which has no samples. Default: the same. */
  readonly inFile?: string
}

/** What a check of training data judges. */
export type Unit = 'answer' | 'trajectory' | 'group'

/** Why a check cannot judge something. Only the function for its unit is asked. */
export interface Blind {
  readonly answer?: (answer: TrainedAnswer, job: TrainedJob) => string | undefined
  readonly trajectory?: (trajectory: TrainedTrajectory) => string | undefined
  readonly group?: (group: TrainedGroup) => string | undefined
}

/** When the checks that compare answers with their samples judge one. */
export const IF_SAMPLED = 'if a chat of this emulator gave them'

/** Why the checks that compare answers with their samples cannot judge one. */
export function withoutSample({ sample }: TrainedAnswer): string | undefined {
  return sample === undefined ? 'no chat of this emulator gave them' : undefined
}

export interface SearchContext<Setting = unknown> {
  /** The options of the check. */
  readonly setting: Setting | undefined
}

/** A client check of training data. */
export interface TrainingCheckDefinition extends CheckDefinition {
  /** The check itself. It also reads training data that comes from a file. */
  readonly training: TrainingCheck
}

export function isTrainingCheck(check: CheckDefinition): check is TrainingCheckDefinition {
  return 'training' in check
}

/** Makes a client check from a check of training data. */
export function trainingCheck<Setting = never>(
  check: TrainingCheck<Setting>,
): TrainingCheckDefinition {
  const { outOf } = check
  const search = (jobs: readonly TrainedJob[], setting: unknown) => {
    const context = { setting: setting as Setting | undefined }
    const places: { evidence: Evidence; job: TrainedJob }[] = []
    for (const job of jobs) {
      const found = check.search(job, context)
      if (found.length > 0) places.push(...found.map((evidence) => ({ evidence, job })))
    }
    return places
  }
  const found = (jobs: readonly TrainedJob[], setting: unknown): readonly FoundMistake[] => {
    const places = search(jobs, setting)
    const first = places[0]
    if (!first) return NO_MISTAKES
    const all = outOf ? sumOf(jobs, outOf) : 0
    if (outOf && !areMany(places.length, all)) return NO_MISTAKES
    const more = places.length === 1 ? '' : `, and ${counted(places.length - 1, 'more place')}`
    const text = `${check.say(places.length, all)}: ${formatEvidence(first.evidence)}${more}; ${check.advice}`
    const requests = new Set(places.flatMap(({ job }) => job.request ?? []))
    return [{ text, requests: [...requests] }]
  }
  const totals = new WeakMap<Engine, Totals>()
  return {
    mistake: check.mistake,
    legitimate: check.legitimate,
    warns: true,
    training: check as TrainingCheck,
    find: ({ engine }, _requests, setting) => found([...engine.lineage.jobs], setting),
    findIn({ engine }, job, setting) {
      if (!outOf) return found([job], setting)
      // It counts over all jobs, and warns once: when there are many for the first time.
      const countIn = (jobs: TrainedJob[]): number => search(jobs, setting).length
      const before = totals.get(engine) ?? totalsBefore(job, engine, { countIn, outOf })
      const count = before.count + search([job], setting).length
      const all = before.all + outOf(job)
      const warned = before.warned || areMany(count, all)
      totals.set(engine, { count, all, warned })
      return warned && !before.warned ? found([...engine.lineage.jobs], setting) : NO_MISTAKES
    },
  }
}

const NO_MISTAKES: readonly FoundMistake[] = []

/** What a check has counted in the jobs of an engine. */
interface Totals {
  readonly count: number
  readonly all: number
  readonly warned: boolean
}

/** Counts in the jobs before one, such as those that were restored. */
function totalsBefore(
  job: TrainedJob,
  { lineage }: Engine,
  {
    countIn,
    outOf,
  }: { countIn: (jobs: TrainedJob[]) => number; outOf: (job: TrainedJob) => number },
): Totals {
  const jobs = [...lineage.jobs].filter((other) => other !== job)
  const [count, all] = [countIn(jobs), sumOf(jobs, outOf)]
  return { count, all, warned: areMany(count, all) }
}

function sumOf(jobs: readonly TrainedJob[], outOf: (job: TrainedJob) => number): number {
  return jobs.reduce((sum, job) => sum + outOf(job), 0)
}

/** Finds evidence in each trajectory of a job, and adds the place. */
export function evidenceIn(
  { job, groups }: TrainedJob,
  find: (trajectory: TrainedTrajectory) => readonly Omit<Evidence, 'place'>[] | undefined,
): Evidence[] {
  const evidence: Evidence[] = []
  // Most trajectories have no mistake, and each submit waits for this. So it makes no iterators.
  for (let group = 0; group < groups.length; group++) {
    const { trajectories } = groups[group]!
    for (let trajectory = 0; trajectory < trajectories.length; trajectory++) {
      const found = find(trajectories[trajectory]!)
      if (!found) continue
      const place = { job, group, trajectory }
      evidence.push(...found.map((each) => ({ place, ...each })))
    }
  }
  return evidence
}

/** Finds the answers of a job that `test` is true for. */
export function answersWhere(
  job: TrainedJob,
  test: (answer: TrainedAnswer) => boolean,
  what?: (answer: TrainedAnswer) => string | undefined,
): Evidence[] {
  return evidenceIn(job, ({ answers }) => {
    if (!answers.some(test)) return undefined
    return answers.filter(test).map((answer) => ({ turn: answer.turn, what: what?.(answer) }))
  })
}

/** Finds the trajectories of a job about which `what` says something. */
export function trajectoriesWhere(
  job: TrainedJob,
  what: (trajectory: TrainedTrajectory) => string | undefined,
): Evidence[] {
  return evidenceIn(job, (trajectory) => {
    const found = what(trajectory)
    return found === undefined ? undefined : [{ what: found }]
  })
}

/** The number of answers in a job. */
export function answersIn({ groups }: TrainedJob): number {
  let count = 0
  for (const { trajectories } of groups)
    for (const { answers } of trajectories) count += answers.length
  return count
}

/** Many are at least half of at least eight, or all of at least three: that does not happen by chance. */
export function areMany(count: number, all: number): boolean {
  return (all >= LEAST_FOR_HALF && count >= all / 2) || (all >= LEAST_FOR_ALL && count === all)
}

/** Whether too few were seen to say whether those that were found are many. */
export function areTooFew(count: number, all: number): boolean {
  return count > 0 && all < LEAST_FOR_HALF && !areMany(count, all)
}

export const LEAST_FOR_HALF = 8
export const LEAST_FOR_ALL = 3

/** Names a trajectory: `job 1f2e3d4c, group 0, trajectory 1`. */
function placeText({ job, group, trajectory }: Evidence['place']): string {
  const within = trajectory === undefined ? '' : `, trajectory ${trajectory}`
  return `job ${job.slice(0, 8)}, group ${group}${within}`
}

function formatEvidence({ place, turn, earlier, what }: Evidence): string {
  const at = turn === undefined ? '' : `, turn ${turn}`
  const said = earlier ? `as ${placeText(earlier)}` : what
  return `${placeText(place)}${at}${said === undefined ? '' : ` (${said})`}`
}
