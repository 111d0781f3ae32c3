import { counted, groupsOf } from '../../base/text/counted.js'
import { BEFORE_RESTORE, wasRestored } from './before-restore.js'
import type { TestedWorld } from './world.js'

/** How many calls the client checks of some worlds judged, and what of these worlds none of them could judge. */
export function judgedCalls(worlds: readonly TestedWorld[]): { calls: number; not: string[] } {
  const calls = worlds.flatMap(({ journal }) => {
    return journal.entries.filter(({ kind }) => kind === 'request')
  }).length
  return { calls, not: worlds.some(wasRestored) ? [BEFORE_RESTORE] : [] }
}

/** What is said instead of "no mistake" if no call came. */
export const NO_CALLS = 'The client checks judged no call: none came.'

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
  const judging = all.filter(({ judged }) => judged > 0)
  const by = groupsOf(judging, ({ judged, unit }) => countedUnits(judged, unit))
  return Array.from(by, ([what, own]) => `${what} (${checksOf(own)})`).join('; ')
}

/** Says what checks did not judge, a line for each reason. */
export function notJudgedTexts(all: readonly Reach[]): string[] {
  const reasons = all.flatMap(({ check, unit, not }) => {
    return not.map(({ count, why }) => {
      return { check, what: why.includes(check) ? why : `${countedUnits(count, unit)}: ${why}` }
    })
  })
  const by = groupsOf(reasons, ({ what }) => what)
  return Array.from(by, ([what, own]) => `${checksOf(own)}: ${what}`)
}

function checksOf(all: readonly Pick<Reach, 'check'>[]): string {
  return all.map(({ check }) => check).join(', ')
}

/**
 * Says why no check could judge how clients use cursors of events: where waits are skipped, a job may take one poll.
 * Empty if a check could, or if nobody read events.
 */
export function cursorsNotJudged(worlds: readonly TestedWorld[]): string[] {
  const readings = worlds.flatMap(({ journal }) => {
    const views = journal.entries.flatMap((entry) => {
      return entry.kind === 'request' && entry.jobView?.from !== undefined ? entry.jobView : []
    })
    return [...groupsOf(views, ({ jobId }) => jobId).values()]
  })
  const areJudged = readings.some((views) => views.slice(0, -1).some(({ over }) => !over))
  if (readings.length === 0 || areJudged) return []
  const isReal = worlds.every(({ engine }) => engine.clock.mode === 'real')
  const advice = isReal ? 'try explore' : 'try --clock real, or explore'
  return [`cursors: no job was polled again before its end; ${advice}`]
}

/** Says how many deliveries no receiver acknowledged, which nothing judges for a whole program. */
export function deliveriesNotJudged(worlds: readonly TestedWorld[]): string[] {
  const open = worlds.flatMap(({ webhooks }) => {
    return webhooks.deliveries.filter(({ id, status }) => {
      return status !== 'delivered' && !webhooks.wasSpoiled(id)
    })
  })
  if (open.length === 0) return []
  const what = counted(open.length, 'delivery', 'deliveries')
  return [`deliveries: ${what} without a 2xx answer, which assertClientChecks() would judge`]
}
