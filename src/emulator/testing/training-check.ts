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
import { countedUnits, type Reach, type Unit } from './reach.js'

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

/** What checks of training data judge. */
interface Units {
  answer: TrainedAnswer
  trajectory: TrainedTrajectory
  group: TrainedGroup
}

/** A check of what jobs are trained on. All that it finds is one finding. */
export interface TrainingCheck<U extends Unit = Unit, Setting = unknown> {
  readonly mistake: string
  readonly legitimate: string
  /** What it judges, one by one. */
  readonly judges: U
  /** Finds the mistake in one of those: whether it is there, what is there, or the places in it. */
  readonly search: (
    unit: Units[U],
    job: TrainedJob,
    setting: Setting | undefined,
  ) => boolean | string | readonly Omit<Evidence, 'place'>[] | undefined
  /** Why it cannot judge one of those. Undefined if it can. */
  readonly blind?: (unit: Units[U], job: TrainedJob) => string | undefined
  /** Whether it is only a mistake if many of all are found. */
  readonly ifMany?: true
  /** Says what was found. `count` is how often, of `all`. */
  readonly say: (count: number, all: number) => string
  /** What to do instead. */
  readonly advice: string
  /** When it judges choices and captured answers, as words of the reference. Default: always. */
  readonly onChoices?: string
  /** When it judges answers that are plain messages. Default: always. */
  readonly onMessages?: string
  /** What it judges in a file, which has no samples. Default: the same. */
  readonly inFile?: string
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
export function trainingCheck<U extends Unit, Setting = never>(
  check: TrainingCheck<U, Setting>,
): TrainingCheckDefinition {
  const training = check as unknown as TrainingCheck
  const tallies = new WeakMap<Engine, Tally>()
  return {
    mistake: check.mistake,
    legitimate: check.legitimate,
    warns: true,
    training,
    find({ engine }, _requests, setting) {
      return new Tally(training, setting).addAll(engine.lineage.jobs).mistakes
    },
    findIn({ engine }, job, setting) {
      if (!check.ifMany) {
        return isFoundIn(job, training, setting)
          ? new Tally(training, setting).addAll([job]).mistakes
          : NO_MISTAKES
      }
      // It counts over all jobs, and warns once: when there are many for the first time.
      const others = (): TrainedJob[] => [...engine.lineage.jobs].filter((other) => other !== job)
      const tally = tallies.get(engine) ?? new Tally(training, setting).addAll(others())
      tallies.set(engine, tally)
      if (tally.wasMistake) return NO_MISTAKES
      tally.add(job)
      return tally.mistakes
    },
  }
}

/** Whether a check finds something in a job. Most jobs have no mistake, and each submit waits for this. */
function isFoundIn(job: TrainedJob, { judges, search }: TrainingCheck, setting: unknown): boolean {
  for (const group of job.groups) {
    if (judges === 'group' && isFound(search(group, job, setting))) return true
    if (judges === 'group') continue
    for (const trajectory of group.trajectories) {
      if (judges === 'trajectory' && isFound(search(trajectory, job, setting))) return true
      if (judges === 'trajectory') continue
      for (const answer of trajectory.answers)
        if (isFound(search(answer, job, setting))) return true
    }
  }
  return false
}

function isFound(
  said: ReturnType<TrainingCheck['search']>,
): said is Exclude<typeof said, false | undefined> {
  return said !== undefined && said !== false
}

const NO_MISTAKES: readonly FoundMistake[] = []
const NO_ANSWER = 'a trajectory has no answer'

/** What a check found in training data, and how much of it it judged, job by job. */
export class Tally {
  /** How often it found what it looks for. */
  count = 0
  /** Of how many. */
  all = 0
  /** Whether what was found was a mistake after one of the jobs. */
  wasMistake = false
  #first: Evidence | undefined
  /** The requests of the jobs in which it found something. */
  readonly #requests = new Set<number>()
  readonly #not = new Map<string, number>()
  /** How many trajectories have no answer to judge. */
  #empty = 0
  readonly #check: TrainingCheck
  readonly #setting: unknown

  /** @param setting - The options of the check. */
  constructor(check: TrainingCheck, setting?: unknown) {
    this.#check = check
    this.#setting = setting
  }

  /** Adds jobs, one after the other. */
  addAll(jobs: Iterable<TrainedJob>): this {
    for (const job of jobs) this.add(job)
    return this
  }

  /** Adds a job. Returns what was found in it. */
  add(job: TrainedJob): readonly Evidence[] {
    const found: Evidence[] = []
    for (let group = 0; group < job.groups.length; group++) this.#addGroup(job, group, found)
    this.count += found.length
    this.#first ??= found[0]
    if (found.length > 0 && job.request !== undefined) this.#requests.add(job.request)
    this.wasMistake ||= this.isMistake
    return found
  }

  /** Whether what was found is a mistake. */
  get isMistake(): boolean {
    return this.count > 0 && (!this.#check.ifMany || areMany(this.count, this.all))
  }

  /** All that was found, as one mistake. Empty if it is none. */
  get mistakes(): readonly FoundMistake[] {
    if (!this.isMistake) return NO_MISTAKES
    const { say, advice } = this.#check
    const more = this.count === 1 ? '' : `, and ${counted(this.count - 1, 'more place')}`
    const text = `${say(this.count, this.all)}: ${formatEvidence(this.#first!)}${more}; ${advice}`
    return [{ text, requests: [...this.#requests] }]
  }

  /** How much it judged, and why not the rest. */
  reachOf<Name extends string>(check: Name): Reach<Name> {
    const { judges: unit, ifMany } = this.#check
    const { count, all } = this
    const of = all + this.#empty
    if (ifMany && count > 0 && all < LEAST_FOR_HALF && !areMany(count, all)) {
      const are = all === 1 ? 'is' : 'are'
      const why = `${countedUnits(all, unit)} ${are} too few for ${check}, which needs ${LEAST_FOR_HALF}, or ${LEAST_FOR_ALL} that are all alike`
      return { check, unit, judged: 0, of, not: [{ count: of, why }] }
    }
    const not = Array.from(this.#not, ([why, times]) => ({ count: times, why }))
    const judged = of - not.reduce((sum, { count: times }) => sum + times, 0)
    return { check, unit, judged, of, not }
  }

  #addGroup(job: TrainedJob, group: number, found: Evidence[]): void {
    const { judges } = this.#check
    const { trajectories } = job.groups[group]!
    const at: JudgedPlace = { job, group, trajectory: undefined, found }
    if (judges === 'group') return this.#judge(job.groups[group]!, at)
    for (let trajectory = 0; trajectory < trajectories.length; trajectory++) {
      at.trajectory = trajectory
      const { answers } = trajectories[trajectory]!
      if (judges === 'trajectory') this.#judge(trajectories[trajectory]!, at)
      else if (answers.length > 0) for (const answer of answers) this.#judge(answer, at)
      else {
        this.#empty++
        this.#cannotJudge(NO_ANSWER)
      }
    }
  }

  #judge(unit: Units[Unit], { job, group, trajectory, found }: JudgedPlace): void {
    const { search, blind } = this.#check
    this.all++
    const why = blind?.(unit, job)
    if (why !== undefined) this.#cannotJudge(why)
    const said = search(unit, job, this.#setting)
    if (!isFound(said)) return
    const place = { job: job.job, group, ...(trajectory !== undefined && { trajectory }) }
    if (typeof said === 'object') found.push(...said.map((each) => ({ place, ...each })))
    else {
      const turn = 'turn' in unit ? unit.turn : undefined
      found.push({ place, turn, what: said === true ? undefined : said })
    }
  }

  #cannotJudge(why: string): void {
    this.#not.set(why, (this.#not.get(why) ?? 0) + 1)
  }
}

interface JudgedPlace {
  readonly job: TrainedJob
  readonly group: number
  /** Undefined if the group itself is judged. */
  trajectory: number | undefined
  /** What was found in the job. */
  readonly found: Evidence[]
}

/** Many are at least half of at least eight, or all of at least three: that does not happen by chance. */
function areMany(count: number, all: number): boolean {
  return (all >= LEAST_FOR_HALF && count >= all / 2) || (all >= LEAST_FOR_ALL && count === all)
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
