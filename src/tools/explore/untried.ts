import { counted } from '../../base/text/counted.js'
import { roundDuration } from '../../base/text/duration.js'
import type { Allowance } from './allowance.js'
import type { ExploredRun, ExploreReport, UntriedReason } from './exploration.js'

/** What happened in an exploration that tried neither a fault nor a kill. */
export interface UntriedFacts {
  /** Whether kills are wanted. */
  readonly compares: boolean
  readonly isInterrupted: boolean
  /** Whether the time was over before all runs. */
  readonly isCut: boolean
  /** The first run. Undefined if it did not end. */
  readonly first: ExploredRun | undefined
  /** The first run that gave up on something, and that its time stopped. */
  readonly late: ExploreReport['skipped'][number] | undefined
  /** How many runs there were in which nothing happened. */
  readonly idle: number
  readonly allowance: Allowance
}

/** Says why an exploration tried neither a fault nor a kill. */
export function whyUntried({
  compares,
  isInterrupted,
  isCut,
  first,
  late,
  idle,
  allowance,
}: UntriedFacts): UntriedReason {
  const what = compares ? 'kill' : 'fault'
  const time = roundDuration(allowance.time)
  const none = `No ${what} was tried`
  if (isInterrupted) return { reason: `${none}: the exploration was interrupted.` }
  if (!first) return { reason: `${none}: the first run takes longer than the time of ${time}.` }
  if (isCut) {
    const run = `a run takes ${roundDuration(first.took)}`
    return {
      reason: `${none}: ${run}, so the time of ${time} has no room for one.`,
      time: allowance.neededTime(compares ? 2 : 1, { isKilled: compares }),
    }
  }
  if (late) return { reason: `${none} to its end. ${late.name}: ${late.reason}` }
  if (idle > 0) {
    return {
      reason: `${none}: nothing of ${counted(idle, compares ? 'kill' : 'scenario')} happened to the code.`,
    }
  }
  if (allowance.left <= 0) {
    const runs = counted(allowance.runs, 'run')
    return { reason: `${none}: there is no room for one in ${runs}. Give it more runs.` }
  }
  if (!compares) return { reason: `${none}: nothing that was chosen fits the code.` }
  const differs = 'If its calls differ from run to run, a seed makes them equal.'
  return { reason: `${none}: the code made no call at which one was planned. ${differs}` }
}
