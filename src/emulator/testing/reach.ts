import { counted } from '../../base/text/counted.js'
import { trajectoriesOf, type TrainedJob } from '../../service/engine/lineage/trained-job.js'
import {
  areTooFew,
  LEAST_FOR_ALL,
  LEAST_FOR_HALF,
  type TrainingCheck,
  type Unit,
} from './training-check.js'

/** How much of some training data one check judged. */
export interface Reach<Name extends string = string> {
  readonly check: Name
  readonly unit: Unit
  /** How many it judged. */
  readonly judged: number
  /** How many there are. */
  readonly of: number
  /** Why it did not judge the others. */
  readonly not: readonly { readonly count: number; readonly why: string }[]
}

/** Counts what one check judges, job by job, and why it cannot judge the rest. */
export class ReachCount<Name extends string = string> {
  readonly #name: Name
  readonly #check: TrainingCheck
  readonly #not = new Map<string, number>()
  #all = 0
  #found = 0
  #foundOf = 0

  constructor(name: Name, check: TrainingCheck) {
    this.#name = name
    this.#check = check
  }

  /** Adds a job. `found` is how often the check found in it what it looks for. */
  add(job: TrainedJob, found: number): void {
    const { judges, blind = {}, outOf } = this.#check
    this.#found += found
    this.#foundOf += outOf?.(job) ?? 0
    if (judges === 'group') {
      for (const group of job.groups) this.#count(blind.group?.(group))
      return
    }
    for (const { trajectory } of trajectoriesOf(job)) {
      if (judges === 'trajectory') this.#count(blind.trajectory?.(trajectory))
      else if (trajectory.answers.length === 0) this.#count(NO_ANSWER)
      else for (const answer of trajectory.answers) this.#count(blind.answer?.(answer, job))
    }
  }

  get result(): Reach<Name> {
    const { judges: unit } = this.#check
    const of = this.#all
    const head = { check: this.#name, unit }
    if (this.#check.outOf && areTooFew(this.#found, this.#foundOf)) {
      const are = this.#foundOf === 1 ? 'is' : 'are'
      const why = `${countedUnits(this.#foundOf, unit)} ${are} too few for ${this.#name}, which needs ${LEAST_FOR_HALF}, or ${LEAST_FOR_ALL} that are all alike`
      return { ...head, judged: 0, of, not: [{ count: of, why }] }
    }
    const not = Array.from(this.#not, ([why, count]) => ({ count, why }))
    return { ...head, judged: of - not.reduce((sum, { count }) => sum + count, 0), of, not }
  }

  #count(why: string | undefined): void {
    this.#all++
    if (why !== undefined) this.#not.set(why, (this.#not.get(why) ?? 0) + 1)
  }
}

const NO_ANSWER = 'a trajectory has no answer'

/** Counts units: `3 trajectories`. */
export function countedUnits(count: number, unit: Unit): string {
  return counted(count, unit, unit === 'trajectory' ? 'trajectories' : undefined)
}

/** Says what checks judged: `8 answers (changedAnswers, cutOffAnswers), 2 groups (mixedPrompts)`. */
export function judgedText(all: readonly Reach[]): string {
  const by = new Map<string, string[]>()
  for (const { check, unit, judged } of all) {
    if (judged === 0) continue
    const what = countedUnits(judged, unit)
    by.set(what, [...(by.get(what) ?? []), check])
  }
  return Array.from(by, ([what, checks]) => `${what} (${checks.join(', ')})`).join('; ')
}

/** Says what checks did not judge, a line for each reason. */
export function notJudgedTexts(all: readonly Reach[]): string[] {
  const by = new Map<string, string[]>()
  for (const { check, unit, not } of all) {
    for (const { count, why } of not) {
      const what = why.includes(check) ? why : `${countedUnits(count, unit)}: ${why}`
      by.set(what, [...(by.get(what) ?? []), check])
    }
  }
  return Array.from(by, ([what, checks]) => `${checks.join(', ')}: ${what}`)
}
