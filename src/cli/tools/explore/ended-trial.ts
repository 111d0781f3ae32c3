import { wallNow } from '../../../base/clock/wall.js'
import { endJobs } from '../../../tools/explore/crash/armed-kill.js'
import type { TrialEnd, TrialResult } from '../../../tools/explore/exploration.js'
import { shownOutput } from '../../shown-output.js'
import { failureReason, uncaughtError } from './failure-reason.js'
import { tracesIn, type ChildRun, type TrialPlace } from './trial-run.js'

/** What a trial left behind, for reports. Secrets are not in it. */
export interface Evidence {
  /** The exit code. Undefined if it was stopped. */
  readonly code: number | undefined
  /** The end of what the command printed. */
  readonly stdout: string
  readonly stderr: string
  /** What happened in the emulator. */
  readonly trace: string
}

/** A trial that ended. */
export interface EndedTrial {
  readonly result: TrialResult
  readonly evidence: Evidence
  /** Whether it was stopped as a copy of a started program, although it had called nothing for a while. */
  readonly isStuckCopy: boolean
}

/** Stands between what a command printed before it was killed and after that. */
const RESTARTED = '\n… killed, and started again\n'

/** Puts together what the runs of a command in one trial left behind. */
export function endedTrial(
  runs: readonly ChildRun[],
  { start, ...place }: TrialPlace & { start: number },
): EndedTrial {
  const { emulator, trial, redactor } = place
  const took = Math.round(wallNow() - start)
  const { code: given, late, isStuckCopy } = runs.at(-1)!
  const code = late ? undefined : given
  const printed = (stream: 'stdout' | 'stderr', by = runs): string => {
    return redactor.redact(by.map((run) => shownOutput(run[stream])).join(RESTARTED))
  }
  if (trial.compares && !late) endJobs(emulator.engine)
  const { observed, trace } = late ?? tracesIn(place)
  const evidence = { code, stdout: printed('stdout'), stderr: printed('stderr'), trace }
  const killed = trial.kill && runs.length > 1
  // Why the last run failed.
  const last = runs.slice(-1)
  const shown = { code, stdout: printed('stdout', last), stderr: printed('stderr', last) }
  const end = endOf(shown)
  const isWaiting = observed.pending.length > 0
  return {
    evidence,
    result: { ...end, took, killed, observed },
    isStuckCopy: isStuckCopy && !isWaiting && trial.kind !== 'shrink',
  }
}

function endOf({ code, ...printed }: Omit<Evidence, 'trace'>): TrialEnd {
  if (code === undefined) {
    // Threads of a library may keep the process of a program that is over.
    const error = uncaughtError(printed)
    if (error === undefined) return { ended: 'timeout' }
    return { ended: 'error', error: `${error}; its process did not end after that` }
  }
  if (code === 0) return { ended: 'success' }
  return { ended: 'error', error: failureReason({ code, ...printed }) }
}
