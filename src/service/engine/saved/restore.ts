import { savedProgress, savedJobs } from '../jobs/saved-jobs.js'
import type { SavedFrame } from '../saved-frame.js'
import type { Scenario } from '../../scenario/scenario.js'
import { isOver, scriptFlaw } from './check-job.js'
import { engineParts, type EngineWorld } from './engine-parts.js'
import type { LastRecords } from './last-records.js'
import type { AnyPart, AnyRecord, RestoreContext } from './saved-part.js'
import type { WorldRecord } from './records.js'

/** A saved world: the last record of each thing. */
export interface SavedWorld extends Omit<SavedFrame, 'kind'> {
  /** The time on its clock when it was last saved, in milliseconds since the epoch. */
  now: number
  records: readonly WorldRecord[]
  /** What the journal notes when the world is restored: a part of it that was removed since. */
  note?: string | undefined
}

/** Makes a saved world of its records. Undefined if they have no world. */
export function savedWorld(last: LastRecords): SavedWorld | undefined {
  const world = last.get('world')?.record
  const clock = last.get('clock')?.record
  if (!world || !clock) return undefined
  const { kind: _kind, ...frame } = world
  return { ...frame, now: clock.now, records: last.all }
}

/** Whether a scenario has the rules of the saved jobs. Rules with functions are not saved. */
export function hasRulesOf({ jobs }: Scenario, { records }: SavedWorld): boolean {
  const recordsOf = byPart(records)
  const byRule = recordsOf(savedJobs).filter(({ rule }) => typeof rule === 'number' && rule >= 0)
  if (byRule.length === 0) return true
  const places = new Map(recordsOf(savedProgress).map((saved) => [saved.key, saved]))
  return byRule.every(({ key, rule, submission }) => {
    const found = jobs[rule as number]
    const its = places.get(key)!
    return found && (isOver(its) || !scriptFlaw(found, { submission, progress: its }))
  })
}

/**
 * Restores a saved world into a new engine. No time passes in between: a task that was due in two seconds is
 * due two seconds from now. If the scenario is another one, its faults and timeline start from the beginning,
 * and jobs keep their rules.
 */
export function restoreWorld(
  world: EngineWorld,
  { records, now }: SavedWorld,
  { sameScenario }: { sameScenario: boolean },
): Promise<unknown> {
  const recordsOf = byPart(records)
  const context = { later: world.engine.clock.now() - now, recordsOf }
  const parts: readonly AnyPart<AnyRecord, unknown, EngineWorld>[] = engineParts
  const restored = parts.filter(({ ofScenario }) => sameScenario || !ofScenario)
  const under = restored.map((part) => part.restore?.(recordsOf(part), world, context))
  for (const part of restored) part.resume?.(recordsOf(part), world, context)
  return Promise.all(under)
}

function byPart(records: Iterable<AnyRecord>): RestoreContext['recordsOf'] {
  const byKind = new Map<string, AnyRecord[]>()
  for (const record of records) {
    const sameKind = byKind.get(record.kind)
    if (sameKind) sameKind.push(record)
    else byKind.set(record.kind, [record])
  }
  return <Saved extends AnyRecord>({ kind }: AnyPart<Saved>) => {
    return (byKind.get(kind) ?? []) as unknown as Saved[]
  }
}
