import type { Clock } from '../../../base/clock/clock.js'
import type { Chat } from '../chat/chat.js'
import type { Faults } from '../faults/faults.js'
import type { ModelRecord } from '../model.js'
import type { Lessons } from '../jobs/lessons.js'
import type { Checkpointing } from '../jobs/checkpointing.js'
import { DEFAULT_RULE } from '../jobs/rule.js'
import type { Scenario } from '../../scenario/scenario.js'
import type { ScriptPlace } from '../jobs/script.js'
import type { Store } from '../store.js'
import type { Timeline } from '../timeline.js'
import type { Training } from '../jobs/training.js'
import { isOver, scriptFlaw } from './check-job.js'
import type { LastRecords } from './last-records.js'
import type {
  SavedCheckpoint,
  SavedFrame,
  SavedJob,
  SavedProgress,
  WorldRecord,
} from './records.js'

type Of<K extends WorldRecord['kind']> = Extract<WorldRecord, { kind: K }>

/** A saved world: the last record of each thing. */
export interface SavedWorld extends SavedFrame {
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

/** The engine that a saved world is restored into. */
interface RestoredWorld {
  readonly clock: Clock
  readonly store: Store
  readonly checkpointing: Checkpointing
  readonly training: Training
  readonly faults: Faults
  readonly timeline: Timeline
  readonly scenario: Scenario
  readonly chat: Chat
  readonly lessons: Lessons
}

/** Whether a scenario has the rules of the saved jobs. Rules with functions are not saved. */
export function hasRulesOf({ jobs }: Scenario, { records }: SavedWorld): boolean {
  const { job, progress } = sort(records)
  const byRule = job.filter(({ rule }) => typeof rule === 'number' && rule >= 0)
  if (byRule.length === 0) return true
  const places = new Map(progress.map((saved) => [saved.key, saved]))
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
  world: RestoredWorld,
  { records, now }: SavedWorld,
  { sameScenario }: { sameScenario: boolean },
): Promise<unknown> {
  const later = world.clock.now() - now
  const sorted = sort(records)
  for (const { key, made } of sorted.name) world.store.restoreName(key, made)
  const stored = sorted.model.map(({ record }) => world.store.restoreModel(record as ModelRecord))
  for (const saved of sorted.checkpoint) restoreCheckpoint(world, saved, later)
  for (const saved of sorted.aliases) restoreAliases(world.store, saved)
  const progress = new Map(sorted.progress.map((saved) => [saved.key, saved]))
  for (const saved of sorted.job) restoreJob(world, saved, progress.get(saved.key)!)
  for (const { key, lessons } of sorted.lessons) world.lessons.restore(key, lessons!)
  for (const { key, job } of sorted.sft) world.store.sftJobs.set(key, world.store.jobs.get(job)!)
  for (const { key, times } of sorted.asking) world.chat.repeats.set(key, times)
  for (const { key, total } of sorted.usage) world.chat.usage.totals.set(key, total)
  if (sameScenario) {
    const [turns] = sorted.turns
    if (turns) world.chat.restoreTurns(turns.turns)
    const [judged] = sorted.judged
    if (judged) world.chat.judged = { calls: judged.calls, mistakes: judged.mistakes }
    const [faults] = sorted.faults
    const [timeline = { planned: [], seen: [] }] = sorted.timeline
    world.faults.apply(world.scenario.faults)
    if (faults) world.faults.restore(faults.faults, later)
    world.timeline.restore(world.scenario.timeline, timeline, later)
  }
  for (const model of world.store.modelStates) {
    for (const job of model.jobs) {
      const due = progress.get(job.id)?.due
      world.training.planRestored(model, job, due === undefined ? undefined : due + later)
    }
  }
  return Promise.all(stored)
}

type RecordsByKind = { [K in WorldRecord['kind']]: Of<K>[] }

function sort(records: Iterable<WorldRecord>): RecordsByKind {
  const sorted: RecordsByKind = {
    world: [],
    clock: [],
    model: [],
    name: [],
    checkpoint: [],
    aliases: [],
    job: [],
    progress: [],
    sft: [],
    faults: [],
    timeline: [],
    asking: [],
    turns: [],
    judged: [],
    lessons: [],
    usage: [],
    outgoing: [],
  }
  for (const record of records) {
    const sameKind: WorldRecord[] = sorted[record.kind]
    sameKind.push(record)
  }
  return sorted
}

/** Makes the metrics of a checkpoint from saved ones. `nameOf` may replace equal names by the same text. */
export function metricsIn(
  saved: SavedCheckpoint['metrics'],
  nameOf = (name: string): string => name,
): Map<string, number> {
  const metrics = new Map<string, number>()
  for (const [name, value] of saved) metrics.set(nameOf(name), value ?? Number.NaN)
  return metrics
}

function restoreCheckpoint(
  { store, checkpointing }: RestoredWorld,
  saved: SavedCheckpoint & { key: string },
  later: number,
): void {
  const { key: id, step, createdAt, metrics, servedFrom, servedUntil, expiresAt } = saved
  const model = store.model(saved.model)
  if (!model) return
  const checkpoint = {
    id,
    step,
    createdAt,
    metrics: metrics instanceof Map ? metrics : metricsIn(metrics),
    servedFrom: servedFrom === undefined ? undefined : servedFrom + later,
    servedUntil: servedUntil === undefined ? undefined : servedUntil + later,
    expiresAt: expiresAt === undefined ? undefined : expiresAt + later,
  }
  model.checkpoints.add(checkpoint)
  if (saved.deleted) model.checkpoints.delete(step)
  else checkpointing.planExpiry(model, checkpoint)
}

function restoreAliases(store: Store, { key, aliases }: Of<'aliases'>): void {
  const model = store.model(key)
  for (const [alias, id] of aliases) {
    const checkpoint = model?.checkpoints.everMade.find((each) => each.id === id)
    if (checkpoint) model?.aliases.set(alias, checkpoint)
  }
}

function restoreJob(
  { store, training, scenario }: RestoredWorld,
  saved: SavedJob & { key: string },
  progress: SavedProgress,
): void {
  const { state, upcoming } = progress
  const { key: id, jobKind: kind, model, ordinal, createdAt, author, rule, submission } = saved
  const made = { id, kind, model, ordinal, createdAt, author, submission, cause: undefined }
  training.restore(
    {
      ...made,
      rule: typeof rule === 'number' ? (scenario.jobs[rule] ?? DEFAULT_RULE) : rule,
      state,
      place: rule === -1 ? defaultPlace(progress) : progress.script,
      upcoming,
    },
    store.model(model.id),
  )
}

/** Returns the place in the default rule, for a job whose own rule had functions and no longer exists. */
function defaultPlace({ state, script, upcoming }: SavedProgress): ScriptPlace {
  const [, repetition, taken] = script
  const begun = state.started !== undefined || upcoming?.event === 'training_started'
  return begun ? [1, repetition, taken] : [0, 0, taken]
}
