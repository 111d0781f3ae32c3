import { counted } from '../../base/text/counted.js'
import type { Engine } from '../../service/engine/engine.js'
import type { TrainedJob } from '../../service/engine/lineage/trained-job.js'
import type { FoundMistake } from './check-definition.js'
import { formatEvidence, type Evidence } from './evidence.js'
import { madeUpText } from './made-up.js'
import { countedUnits, type Reach, type Unit } from './reach.js'
import { isFound, type Outcome, type TrainingCheck, type Units } from './training-check.js'

export const NO_MISTAKES: readonly FoundMistake[] = []
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
    const first = this.#first!
    const text = `${found}: ${formatEvidence(first)}${more}; ${advice}${why}`
    return [{ text, quote: first.quote, requests: [...this.#requests] }]
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
