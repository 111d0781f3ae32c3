import { groupsOf } from '../../../base/text/counted.js'
import { savedJobs } from '../jobs/saved-jobs.js'
import { savedProgress } from '../jobs/saved-progress.js'
import { isPlace } from '../jobs/saved-rule.js'
import type { SavedFrame } from '../saved-frame.js'
import type { Scenario } from '../../scenario/scenario.js'
import type { Pieces } from '../../../base/clock/slices.js'
import { isOver, scriptFlaw } from './check-job.js'
import { engineParts, type EngineWorld } from './engine-parts.js'
import type { LastRecords } from './last-records.js'
import type { AnyPart, AnyRecord, RestoreContext } from './saved-part.js'
import type { WorldRecord } from './records.js'

/** A saved world: the last record of each thing. */
export interface SavedWorld extends SavedFrame {
  /** The time on its clock when it was last saved, in milliseconds since the epoch. */
  now: number
  records: readonly WorldRecord[]
  /** The contents of files, by their MD5, if they were joined of their records already. */
  contents: ReadonlyMap<string, Uint8Array>
  /** What the journal notes when the world is restored: a part of it that was removed since. */
  note?: string | undefined
}

/** Makes a saved world of its records and contents. Undefined if they have no world. */
export function savedWorld(
  last: LastRecords,
  contents: SavedWorld['contents'],
): SavedWorld | undefined {
  const world = last.get('world')
  const clock = last.get('clock')
  if (!world || !clock) return undefined
  const { kind: _kind, ...frame } = world
  return { ...frame, now: clock.now, records: last.all, contents }
}

/** Whether a scenario has the rules of the saved jobs. Rules with functions are not saved. */
export function hasRulesOf({ jobs }: Scenario, { records }: SavedWorld): boolean {
  const recordsOf = byPart(records)
  const byRule = recordsOf(savedJobs).filter(({ rule }) => isPlace(rule))
  if (byRule.length === 0) return true
  const places = new Map(recordsOf(savedProgress).map((saved) => [saved.key, saved]))
  return byRule.every(({ key, rule, submission }) => {
    const found = jobs[rule as number]
    const its = places.get(key)!
    return found && (isOver(its) || !scriptFlaw(found, { submission, progress: its }))
  })
}

/** A world whose things are all there. */
export interface RestoredWorld {
  /** Resolves when the last of them are. */
  readonly whole: Promise<unknown>
  /** Schedules what is still to come. */
  readonly resume: () => void
}

/**
 * Restores a saved world into a new engine, a piece at a time. Nothing happens there before `resume` of the result. No
 * time passes in between: a task that was due in two seconds is due two seconds from now. If the scenario is another
 * one, its faults and timeline start from the beginning, and jobs keep their rules.
 */
export function* restoreWorld(
  world: EngineWorld,
  { records, now, contents }: SavedWorld,
  { sameScenario }: { sameScenario: boolean },
): Pieces<RestoredWorld> {
  const recordsOf = byPart(records)
  const context = { later: world.engine.clock.now() - now, contents, recordsOf }
  const all: readonly AnyPart<AnyRecord, unknown, EngineWorld>[] = engineParts
  const parts = all.filter(({ ofScenario }) => sameScenario || !ofScenario)
  const under: unknown[] = []
  for (const part of parts) {
    const its = recordsOf(part)
    under.push(part.restore?.(its, world, context))
    if (part.restoreEach) {
      for (const record of its) {
        under.push(part.restoreEach(record, world))
        yield RESTORED_ALONE
      }
    }
    yield its.length * RESTORED
  }
  for (const part of parts) part.complete?.(recordsOf(part), world)
  yield records.length * RESTORED
  const resume = (): void => {
    for (const part of parts) part.plan?.(recordsOf(part), world, context)
    for (const part of parts) part.resume?.(recordsOf(part), world, context)
  }
  return { whole: Promise.all(under), resume }
}

/** The size of the work for one record, in `Pieces`. */
const RESTORED = 0.3
const RESTORED_ALONE = 1

/** Returns how to find the records of a part. */
export function byPart(records: Iterable<AnyRecord>): RestoreContext['recordsOf'] {
  const byKind = groupsOf(records, ({ kind }) => kind)
  return <Saved extends AnyRecord>({ kind }: AnyPart<Saved>) => {
    return (byKind.get(kind) ?? []) as Saved[]
  }
}
