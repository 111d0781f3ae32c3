import { compareWork } from '../../tools/explore/crash/compare-work.js'
import { judgeAgain, judgeKill } from '../../tools/explore/crash/judge-kill.js'
import type { Kill } from '../../tools/explore/crash/kill.js'
import type { Work } from '../../tools/explore/crash/work.js'
import type { TrialResult } from '../../tools/explore/exploration.js'
import { killsFor } from '../../tools/explore/parts/crashes.js'

/** What one kill of a command showed. */
export interface KillOutcome {
  readonly kill: Kill
  /** `unknown`: it could not be compared with the run without a kill. */
  readonly verdict: 'survived' | 'failed' | 'unknown'
  /** Why it failed or is unknown, or what was not compared. */
  readonly text: string | undefined
}

/**
 * Returns the kill that costs most: while the job in the middle of the run is trained, where a long training spends its
 * time. Undefined if the command makes no call after which it could be killed.
 */
export function worstKill(work: Work): Kill | undefined {
  const kills = killsFor(work)
  return kills.find(({ moment }) => moment === 'after') ?? kills[0]
}

/**
 * Kills a command once, and compares what it made with a run that was not killed. Only if they differ, it runs once
 * more without a kill, to leave out what differs between all runs.
 *
 * @param work What the command made without a kill.
 * @param run Runs the command once more.
 */
export async function rehearse(
  kill: Kill,
  work: Work,
  run: (kill?: Kill) => Promise<TrialResult>,
): Promise<KillOutcome> {
  const killed = await run(kill)
  const judgment = judgeKill(kill, killed, { work, unstable: new Set() })
  const [mistake] = judgment.mistakes
  if (!mistake) {
    const verdict = killed.killed === true ? 'survived' : 'unknown'
    return { kill, verdict, text: judgment.remark }
  }
  const failed = { kill, verdict: 'failed', text: mistake.reason } as const
  if (killed.ended !== 'success') return failed
  const again = await run()
  if (again.ended !== 'success' || !again.observed.work) {
    return { kill, verdict: 'unknown', text: FAILED_AGAIN }
  }
  const differences = compareWork(work, again.observed.work)
  const usual = judgeAgain(differences)
  const [other] = usual.mistakes
  if (other) return { kill, verdict: 'unknown', text: other.reason }
  const unstable = new Set(differences.map(({ facet }) => facet))
  const [left] = judgeKill(kill, killed, { work, unstable }).mistakes
  if (!left) return { kill, verdict: 'survived', text: usual.remark }
  return { ...failed, text: left.reason }
}

const FAILED_AGAIN = 'The command fails in a second run without a kill.'
