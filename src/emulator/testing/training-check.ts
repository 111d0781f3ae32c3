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
  // Methods, so that a table can have the checks of all units: each gets only its own.
  /** Finds the mistake in one of those: whether it is there, what is there, or the places in it. */
  search(
    unit: Units[U],
    job: TrainedJob,
    setting: Setting | undefined,
  ): boolean | string | readonly Omit<Evidence, 'place'>[] | undefined
  /** Why it cannot judge one of those. Undefined if it can. */
  blind?(unit: Units[U], job: TrainedJob): string | undefined
  /** Why it can judge nothing in a world. Undefined if it can. */
  readonly blindIn?: (engine: Engine) => string | undefined
  /** Whether it is only a mistake if many of all are found; or also if all of one job are, however few. */
  readonly ifMany?: true | 'or all of a job'
  /** Why it cannot judge those that are a mistake once others of the same file are otherwise. */
  readonly unlessOthers?: string
  /** Says what was found. */
  readonly say: (found: Outcome) => string
  /** What to do instead. */
  readonly advice: string | ((found: Outcome) => string)
  /** Whether answers that the emulator makes up can cause what was found. Default: no. */
  readonly byInvention?: (found: Outcome) => boolean
  /** When it judges choices and captured answers, as words of the reference. Default: always. */
  readonly onChoices?: string
  /** When it judges answers that are plain messages. Default: always. */
  readonly onMessages?: string
  /** What it judges in a file, which has no samples. Default: the same. */
  readonly inFile?: string
}

/** How often a check found what it looks for. */
export interface Outcome {
  readonly count: number
  /** Of how many. */
  readonly all: number
  /** What is in all of the places. Undefined if it differs. */
  readonly same: string | undefined
  /** The number of jobs of which all were found. */
  readonly wholeJobs: number
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
  const training: TrainingCheck = check
  const tallies = new WeakMap<Engine, Tally>()
  return {
    mistake: check.mistake,
    legitimate: check.legitimate,
    training,
    find({ engine }, _requests, setting) {
      return new Tally(training, setting).addAll(engine.lineage.newJobs).mistakesIn(engine)
    },
    findIn({ engine }, job, setting) {
      if (!check.ifMany) {
        return isFoundIn(job, training, setting)
          ? new Tally(training, setting).addAll([job]).mistakesIn(engine)
          : NO_MISTAKES
      }
      // It counts over all jobs, and warns once: when there are many for the first time.
      const others = (): TrainedJob[] => engine.lineage.newJobs.filter((other) => other !== job)
      const tally = tallies.get(engine) ?? new Tally(training, setting).addAll(others())
      tallies.set(engine, tally)
      if (tally.wasMistake) return NO_MISTAKES
      tally.add(job)
      return tally.mistakesIn(engine)
    },
  }
}

/** Whether a check finds something in a job. Most jobs have no mistake, and each submit waits for this. */
function isFoundIn(job: TrainedJob, check: TrainingCheck, setting: unknown): boolean {
  const { judges } = check
  for (const group of job.groups) {
    if (judges === 'group' && isFound(check.search(group, job, setting))) return true
    if (judges === 'group') continue
    for (const trajectory of group.trajectories) {
      if (judges === 'trajectory' && isFound(check.search(trajectory, job, setting))) return true
      if (judges === 'trajectory') continue
      for (const answer of trajectory.answers)
        if (isFound(check.search(answer, job, setting))) return true
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
export class Tally implements Outcome {
  count = 0
  all = 0
  same: string | undefined
  wholeJobs = 0
  /** Whether what was found was a mistake after one of the jobs. */
  wasMistake = false
  #first: Evidence | undefined
  /** The requests of the jobs in which it found something. */
  readonly #requests = new Set<number>()
  readonly #not = new Map<string, number>()
  /** What is a mistake if others of the file are otherwise. */
  #open: Evidence[] = []
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

  /**
   * Adds a job. Returns what was found in it.
   *
   * @param isWhole - Whether it is a job, and not a part of one, such as a line of a file.
   */
  add(job: TrainedJob, isWhole = true): readonly Evidence[] {
    const found: Evidence[] = []
    const before = this.all
    for (let group = 0; group < job.groups.length; group++) this.#addGroup(job, group, found)
    if (isWhole && found.length > 0 && found.length === this.all - before) this.wholeJobs++
    this.#count(found)
    if (found.length > 0 && job.request !== undefined) this.#requests.add(job.request)
    this.wasMistake ||= this.isMistake
    return found
  }

  /** Counts what it could not judge as found, because others are otherwise. Returns it. */
  settle(): readonly Evidence[] {
    const found = this.#open
    this.#open = []
    if (found.length > 0) this.#not.delete(this.#check.unlessOthers!)
    this.#count(found)
    return found
  }

  #count(found: readonly Evidence[]): void {
    const first = (this.#first ??= found[0])
    const isSame = found.every(({ what }) => what === first?.what)
    this.same = isSame && (this.count === 0 || this.same !== undefined) ? first?.what : undefined
    this.count += found.length
  }

  /** Whether what was found is a mistake. */
  get isMistake(): boolean {
    const { ifMany } = this.#check
    if (this.count === 0 || !ifMany) return this.count > 0
    const isWhole = this.wholeJobs > 0 || this.count === this.all
    return (isWhole && ifMany !== true) || areMany(this.count, this.all)
  }

  /** What was found, and what to do instead. */
  get words(): { readonly text: string; readonly advice: string } {
    const { say, advice } = this.#check
    return { text: say(this), advice: typeof advice === 'string' ? advice : advice(this) }
  }

  /** All that was found in a world, as one mistake. Empty if it is none. */
  mistakesIn(engine: Engine): readonly FoundMistake[] {
    if (!this.isMistake) return NO_MISTAKES
    const { text: found, advice } = this.words
    const more = this.count === 1 ? '' : `, and ${counted(this.count - 1, 'more place')}`
    const { byInvention, judges } = this.#check
    const why = byInvention?.(this) ? madeUpText(engine, judges) : ''
    const text = `${found}: ${formatEvidence(this.#first!)}${more}; ${advice}${why}`
    return [{ text, requests: [...this.#requests] }]
  }

  /** How much it judged, and why not the rest. */
  reachOf<Name extends string>(check: Name): Reach<Name> {
    const { judges: unit, ifMany } = this.#check
    const { count, all } = this
    const of = all + this.#empty
    if (ifMany && count > 0 && all < LEAST_FOR_HALF && !this.isMistake) {
      const are = all === 1 ? 'is' : 'are'
      const why = `${countedUnits(all, unit)} ${are} too few for ${check}, which needs ${leastOf(ifMany)}`
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
    const check = this.#check
    this.all++
    const why = check.blind?.(unit, job)
    if (why !== undefined) this.#cannotJudge(why)
    const isOpen = why !== undefined && why === check.unlessOthers
    const said = isOpen || check.search(unit, job, this.#setting)
    if (!isFound(said)) return
    const place = { job: job.job, group, ...(trajectory !== undefined && { trajectory }) }
    if (typeof said === 'object') found.push(...said.map((each) => ({ place, ...each })))
    else {
      const turn = 'turn' in unit ? unit.turn : undefined
      const evidence = { place, turn, what: said === true ? undefined : said }
      if (isOpen) this.#open.push(evidence)
      else found.push(evidence)
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

/** Says that the emulator made up what jobs trained on, if that explains what is odd about it. */
export function madeUpText(engine: Engine, judges: Unit): string {
  return makesUp(engine, judges) ? MADE_UP : ''
}

/** Whether jobs trained on answers that nothing but the emulator chose, and no failed call explains their rewards. */
function makesUp({ scenario: { chat }, lineage }: Engine, judges: Unit): boolean {
  if (chat.rules.length > 0 || chat.cut_off) return false
  // What a judge says decides the rewards of a group.
  if (judges === 'group' && chat.judge) return false
  const all = [...lineage.jobs].flatMap(({ groups }) => groups.flatMap((each) => each.trajectories))
  if (all.some(({ failed }) => failed !== undefined)) return false
  return all.some(({ answers }) => answers.some(({ sample }) => sample !== undefined))
}

const MADE_UP =
  '; if the answers are the reason, the emulator made them up: `chat.rules` of a scenario give them, and learning-policy has some that learn'

/** Many are at least half of at least eight, or all of at least three: that does not happen by chance. */
function areMany(count: number, all: number): boolean {
  return (all >= LEAST_FOR_HALF && count >= all / 2) || (all >= LEAST_FOR_ALL && count === all)
}

const LEAST_FOR_HALF = 8
const LEAST_FOR_ALL = 3

/** Says how many a check needs that finds nothing in a few. */
export function leastOf(ifMany: TrainingCheck['ifMany']): string {
  return `${LEAST_FOR_HALF}, or ${ifMany === true ? `${LEAST_FOR_ALL} that are all alike` : 'all of a job'}`
}

/** Names a trajectory: `job 1f2e3d4c, group 0, trajectory 1`. */
function placeText({ job, group, trajectory }: Evidence['place']): string {
  const within = trajectory === undefined ? '' : `, trajectory ${trajectory}`
  return `job ${job.slice(0, 8)}, group ${group}${within}`
}

/** Says where the same was before, and what else there is to say about it. */
export function earlierText(place: string, what: string | undefined): string {
  return `as ${place}${what === undefined ? '' : `, ${what}`}`
}

function formatEvidence({ place, turn, earlier, what }: Evidence): string {
  const at = turn === undefined ? '' : `, turn ${turn}`
  const said = earlier ? earlierText(placeText(earlier), what) : what
  return `${placeText(place)}${at}${said === undefined ? '' : ` (${said})`}`
}
