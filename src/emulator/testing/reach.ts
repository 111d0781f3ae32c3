import { counted } from '../../base/text/counted.js'

/** What a check of training data judges. */
export type Unit = 'answer' | 'trajectory' | 'group'

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
