import { holdsFunction } from '../../../base/text/holds-function.js'
import type { Chat } from '../chat/chat.js'
import type { Checkpoint } from '../jobs/checkpoints.js'
import type { Job } from '../jobs/job.js'
import type { Lessons } from '../jobs/lessons.js'
import { nameKey, type ModelState } from '../model.js'
import type { JobRule, Scenario } from '../../scenario/scenario.js'
import type { Clock } from '../../../base/clock/clock.js'
import type { SeededRandom } from '../../../base/random/random.js'
import type { Faults } from '../faults/faults.js'
import type { Store } from '../store.js'
import type { Timeline } from '../timeline.js'
import { nothingChanged, type UnsavedChanges } from './changes.js'
import { WORLD_VERSION, type WorldRecord } from './records.js'

/** The parts of the engine that saving reads. */
export interface SavableWorld {
  readonly clock: Clock
  readonly random: SeededRandom
  readonly store: Store
  readonly faults: Faults
  readonly timeline: Timeline
  readonly scenario: Scenario
  /** The scenario as snapshots save it. */
  readonly savedScenario: Scenario
  readonly awake: boolean
  readonly began: number
  readonly chat: Chat
  readonly lessons: Lessons
}

/** Returns the records of everything that changed. */
export function recordsOf(world: SavableWorld, changed: UnsavedChanges): WorldRecord[] {
  return [...changedRecords(world, changed)]
}

/** Makes each record when it is read, because those of a whole world may need much memory. */
function* changedRecords(
  world: SavableWorld,
  changed: UnsavedChanges,
): Generator<WorldRecord, void> {
  const { clock, random, store, scenario, savedScenario, awake, began, faults, timeline } = world
  yield { kind: 'clock', now: clock.now() }
  if (changed.world) {
    const functions = holdsFunction(savedScenario)
    const frame = {
      version: WORLD_VERSION,
      seed: random.seed,
      scenario: savedScenario,
      functions,
      awake,
      began,
    }
    yield { kind: 'world', ...frame }
  }
  for (const { record } of changed.models) {
    yield { kind: 'model', key: record.id, record }
    yield { kind: 'name', key: nameKey(record), made: store.timesMade(record) }
  }
  for (const [checkpoint, model] of changed.checkpoints) yield checkpointRecord(checkpoint, model)
  for (const model of changed.aliases) yield aliasesRecord(model)
  for (const job of changed.jobs) yield jobRecord(job, scenario)
  for (const job of changed.progress) yield progressRecord(job)
  for (const [key, job] of changed.sftJobs) yield { kind: 'sft', key, job: job.id }
  for (const { record } of changed.deletedModels) {
    yield { kind: 'model', key: record.id, record: 'deleted' }
  }
  if (changed.faults) yield { kind: 'faults', faults: faults.state }
  if (changed.timeline) yield { kind: 'timeline', ...timeline.stateAmong(scenario.timeline) }
  for (const [key, times] of changed.repeats) yield { kind: 'asking', key, times }
  if (changed.chatTurns) yield { kind: 'turns', turns: world.chat.turns }
  for (const key of changed.lessons)
    yield { kind: 'lessons', key, lessons: world.lessons.saved(key) }
  if (changed.judged) yield { kind: 'judged', ...world.chat.judged }
  for (const key of changed.usage) {
    yield { kind: 'usage', key, total: world.chat.usage.totals.get(key)! }
  }
  for (const [key, read] of changed.outgoing) yield { kind: 'outgoing', key, kept: read() }
}

/**
 * Returns the records of the whole world, including those of its webhooks. Each one is made when it is read. If
 * the world changes in between, read the records of the changes as well, after these.
 */
export function* wholeWorld(
  world: SavableWorld,
  outgoing: UnsavedChanges['outgoing'],
): Generator<WorldRecord, void> {
  const { store, chat, lessons: learned } = world
  const lessons = new Set(learned.ids)
  const judged = chat.judged.calls > 0
  const all = { faults: true, timeline: true, chatTurns: true, judged, world: true }
  const { repeats } = chat
  const usage = new Set(chat.usage.totals.keys())
  const changed: UnsavedChanges = { ...nothingChanged(), ...all, repeats, usage, outgoing, lessons }
  for (const model of store.modelStates) {
    changed.models.add(model)
    if (model.aliases.size > 0) changed.aliases.add(model)
    for (const checkpoint of model.checkpoints.everMade) changed.checkpoints.set(checkpoint, model)
  }
  for (const job of store.jobs.values()) {
    changed.jobs.add(job)
    changed.progress.add(job)
  }
  for (const [same, job] of store.sftJobs) changed.sftJobs.set(same, job)
  yield* changedRecords(world, changed)
  // Sorted, so that saving a restored world gives the same records again.
  for (const key of [...store.namesMade.keys()].sort()) {
    yield { kind: 'name', key, made: store.namesMade.get(key)! }
  }
}

/**
 * Returns the records of what a restored world has at other moments than the world that was saved: what is still
 * to come.
 */
export function movedWorld(
  world: SavableWorld,
  outgoing: UnsavedChanges['outgoing'],
): WorldRecord[] {
  const { store } = world
  const all = { faults: true, timeline: true, world: true }
  const changed: UnsavedChanges = { ...nothingChanged(), ...all, outgoing }
  for (const model of store.modelStates) {
    for (const checkpoint of model.checkpoints.everMade) {
      const { servedFrom, servedUntil, expiresAt } = checkpoint
      if (servedFrom ?? servedUntil ?? expiresAt) changed.checkpoints.set(checkpoint, model)
    }
    for (const job of model.jobs) if (!job.over) changed.progress.add(job)
  }
  return recordsOf(world, changed)
}

function checkpointRecord(
  checkpoint: Checkpoint,
  { record, checkpoints }: ModelState,
): WorldRecord {
  const { id, step, createdAt, metrics, servedFrom, servedUntil, expiresAt } = checkpoint
  return {
    kind: 'checkpoint',
    key: id,
    model: record.id,
    step,
    createdAt,
    metrics: [...metrics],
    servedFrom,
    servedUntil,
    expiresAt,
    deleted: checkpoints.at(step) !== checkpoint,
  }
}

function aliasesRecord({ record, aliases }: ModelState): WorldRecord {
  const named = [...aliases].map(([alias, { id }]): [string, string] => [alias, id])
  return { kind: 'aliases', key: record.id, aliases: named }
}

function jobRecord(job: Job, scenario: Scenario): WorldRecord {
  const { id: key, kind: jobKind, ordinal, createdAt, author, rule, submission } = job
  const { id, entity, project, name } = job.model
  const savedRule = ruleIn(scenario, rule)
  return {
    kind: 'job',
    key,
    jobKind,
    model: { id, entity, project, name },
    ordinal,
    createdAt,
    author,
    rule: savedRule,
    submission,
  }
}

/** Returns the rule, or its index in the scenario if it has functions, which cannot be saved. */
function ruleIn({ jobs }: Scenario, rule: JobRule): JobRule | number {
  return holdsFunction(rule) ? jobs.indexOf(rule) : rule
}

function progressRecord(job: Job): WorldRecord {
  const { id: key, state, place, upcoming, nextTask } = job
  return { kind: 'progress', key, state, script: place, upcoming, due: nextTask?.at }
}
