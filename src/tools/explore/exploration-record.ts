import { roundDuration } from '../../base/text/duration.js'
import type { ExploredRun, ExploreReport } from './exploration.js'
import { Groups } from './groups.js'
import type { Judgment } from './judge.js'
import type { EndedTrial } from './trials.js'

type SkippedRun = ExploreReport['skipped'][number]

/** What an exploration has tried, for its report. */
export class ExplorationRecord {
  readonly groups = new Groups()
  readonly runs: ExploredRun[] = []
  readonly skipped: SkippedRun[] = []
  /** The first run that gave up on something, and that its time stopped. */
  late: SkippedRun | undefined
  /** How many runs there were in which nothing happened. They take none of the number that is wanted. */
  idle = 0

  /** Adds a run, and its mistakes to their groups. Undefined if the run tells nothing. */
  add({ planned, trial, result }: EndedTrial, judgment: Judgment): ExploredRun | undefined {
    const { verdict, mistakes, unfinished, unapplied } = judgment
    const { number, name, kind, seed } = trial
    if (unfinished !== undefined) {
      const within = roundDuration(result.took)
      const reason = `${unfinished}, but did not end within ${within}. A longer timeout tells more.`
      this.late ??= { name, reason }
      this.skip([trial], reason)
      return undefined
    }
    if (unapplied !== undefined) {
      this.idle++
      this.skip([trial], `Nothing of it happened: ${unapplied}`)
      return undefined
    }
    const special = verdict === 'passed' ? planned.part.remarkOn?.(planned, result) : undefined
    const remark = special ?? judgment.remark
    const [failure] = mistakes.map((mistake) => this.groups.add(mistake, planned, number))
    const run: ExploredRun = {
      number,
      name,
      kind,
      seed,
      verdict,
      took: result.took,
      ...(mistakes[0] && { reason: mistakes[0].reason }),
      ...(failure && { failure: failure.number }),
      ...(remark !== undefined && { remark }),
    }
    this.runs.push(run)
    return run
  }

  /** Notes runs that were not tried, all for one reason. */
  skip(runs: Iterable<{ readonly name: string }>, reason: string): void {
    for (const { name } of runs) this.skipped.push({ name, reason })
  }
}
