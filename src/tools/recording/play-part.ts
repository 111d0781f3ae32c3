import type { ScenarioPart } from './exchanges.js'
import { MOST_REPEATS, USUAL_PLAY } from '../../service/scenario/schema/play.js'

/** A job that somebody submitted. */
export interface SubmittedJob {
  readonly kind: string
  /** The name of its model, if it is known. */
  readonly model: string | undefined
  /** How many trajectories it had, if that is known. */
  readonly trajectories: number | undefined
}

/** Writes what was submitted as `play.jobs`, so that `play` submits the same. Empty if `play` does it anyway. */
export function playOf(jobs: readonly SubmittedJob[]): ScenarioPart[] {
  const played: { entry: ScenarioPart; repeat: number }[] = []
  for (const { kind, model, trajectories: count } of jobs) {
    const entry = {
      ...(kind === 'sft' && { kind }),
      ...(model !== undefined && model !== USUAL_PLAY.model && { model }),
      ...(count !== undefined && count !== USUAL_PLAY.trajectories && { trajectories: count }),
    }
    const last = played.at(-1)
    const isSame = JSON.stringify(last?.entry) === JSON.stringify(entry)
    if (last && isSame && last.repeat < MOST_REPEATS) last.repeat++
    else played.push({ entry, repeat: 1 })
  }
  const written = played.map(({ entry, repeat }) => ({
    ...entry,
    ...(repeat > 1 && { repeat }),
  }))
  const isUsual = written.length === 1 && Object.keys(written[0]!).length === 0
  return isUsual ? [] : written
}
