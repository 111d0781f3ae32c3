import { isDeepStrictEqual } from 'node:util'
import { counted, firstOf } from '../../base/text/counted.js'
import { readSnapshotText } from '../../emulator/adapters/snapshot-file.js'
import { FORMAT } from '../../emulator/snapshot.js'
import { HIDDEN } from '../../base/text/redaction/hidden.js'
import { missingSecrets } from '../../service/scenario/missing-secrets.js'
import { DEFAULT_RULE } from '../../service/engine/jobs/rule.js'
import { savedJobs, type SavedJob } from '../../service/engine/jobs/saved-jobs.js'
import { savedProgress, type SavedProgress } from '../../service/engine/jobs/saved-progress.js'
import { byPart, type SavedWorld } from '../../service/engine/saved/restore.js'
import { nameFor, SCRIPTED } from '../../service/engine/faults/fault-names.js'
import { LiveFault, type LiveFaultState } from '../../service/engine/faults/live-fault.js'
import { savedFaults } from '../../service/engine/faults/saved-faults.js'
import { savedModels } from '../../service/engine/saved-models.js'
import type { FaultRule, JobKind, JobRule, Scenario } from '../../service/scenario/scenario.js'
import { partsIn, webhooksIn } from '../../webhooks/sending/restored-webhooks.js'
import { plainWebhook } from '../../service/scenario/plain-webhook.js'
import { RecordingError } from './recording-error.js'
import type { PlayedScenario } from './read-played.js'

/** Returns the scenario of a text that is a snapshot. */
export async function snapshotIn(text: string, file: string): Promise<PlayedScenario | undefined> {
  if (!text.slice(0, 200).includes(`"${FORMAT}"`)) return undefined
  const { saved } = await readSnapshotText(text, file)
  return playedIn(saved, { file, option: `--import ${file}` })
}

/** Returns the scenario that a saved world played. An emulator that starts with `option` continues from its state. */
export function playedIn(
  saved: SavedWorld,
  { file, option }: { file: string; option: string },
): PlayedScenario {
  const { scenario, seed, functions } = saved
  if (functions) {
    throw new RecordingError(
      `The scenario "${scenario.name}" of "${file}" has functions, which no file can hold. Use the file of that scenario.`,
    )
  }
  const parts = partsIn(saved)
  const own = parts.webhooks.map(({ name }) => name)
  const ofOptions = webhooksIn(saved).filter((name) => !own.includes(name))
  // Options send to the webhooks of the scenario that have no address, or add some that get every event.
  const areCopies = parts.webhooks.some(({ url }) => url === undefined)
  const more = areCopies ? [] : ofOptions.map((name) => ({ ...plainWebhook, name }))
  const recordsOf = byPart(saved.records)
  const states = recordsOf(savedFaults).flatMap(({ faults: each }) => each)
  const added = states.filter((fault) => fault.added)
  const notes = [
    added.length > 0 &&
      `Faults that were added while it ran are here from the start, so their calls and times count from then: ${added.length}.`,
    `It plays from the start. To continue from its state instead, start the emulator with ${option}.`,
    (more.length > 0 || parts.webhooks.some(({ url }) => url !== undefined)) &&
      'The addresses of receivers are left out, because they may be real ones: use --webhook or --sink.',
  ].filter((note) => note !== false)
  const webhooks = [...parts.webhooks.map(({ url: _address, ...webhook }) => webhook), ...more]
  const missing = missingSecrets({ ...scenario, ...parts }).map((name) => [name, HIDDEN] as const)
  const secrets = { ...parts.secrets, ...Object.fromEntries(missing) }
  const jobs = recordsOf(savedJobs)
  const submitted = jobs.map(({ jobKind, model, submission }) => {
    const { num_trajectories: count } = submission.metrics
    return { kind: jobKind, model: model.name, trajectories: count ?? undefined }
  })
  const faults = withAdded(scenario.faults, states)
  const shown = { ...scenario, ...parts, secrets, faults, webhooks }
  const models = new Set(recordsOf(savedModels).map(({ key }) => key))
  // A client deletes its model again.
  const kept = jobs.filter(({ model }) => models.has(model.id))
  const others = otherwise(kept, recordsOf(savedProgress), shown)
  const losses = [
    ...(others.length === 0 ? [] : [otherwiseNote(others, option)]),
    ...(ofOptions.length === 0 ? [] : [optionsNote(ofOptions, areCopies)]),
  ]
  return { scenario: shown, seed, submitted, notes, losses }
}

/** The jobs that went otherwise than the scenario says: its rules did not make them, or do not make them fail. */
function otherwise(
  jobs: readonly SavedJob[],
  progress: readonly SavedProgress[],
  { jobs: rules, faults, timeline }: Pick<Scenario, 'jobs' | 'faults' | 'timeline'>,
): SavedJob[] {
  // These fail jobs of any rule, the first also by rules of their own.
  const hasFaults = faults.some(({ fault }) => fault === 'fail_job')
  const hasEntries = timeline.some((entry) => entry.do === 'fail_job')
  const failed = new Set(
    progress.filter(({ state }) => state.status === 'failed').map(({ key }) => key),
  )
  return jobs.filter(({ key, jobKind, rule, submission }) => {
    if (hasFaults || typeof rule === 'number') return false
    const hasDefault = !rules.some(({ match }) => matchesAll(match, jobKind))
    const own = hasDefault ? [...rules, DEFAULT_RULE] : rules
    if (!own.some((each) => isDeepStrictEqual(each, rule))) return true
    const mayFail = rule.timeline.some(({ event }) => event === 'training_failed')
    return failed.has(key) && !mayFail && !hasEntries && submission.flaw === undefined
  })
}

/** Whether a rule matches all jobs of a kind. */
function matchesAll(match: JobRule['match'], jobKind: JobKind): boolean {
  if (typeof match === 'function') return false
  const { kind = jobKind, ...others } = match
  return kind === jobKind && Object.keys(others).length === 0
}

/** Only the names of the webhooks of options are saved. */
function optionsNote(names: readonly string[], areCopies: boolean): string {
  const shown = names.map((name) => JSON.stringify(name)).join(', ')
  return areCopies
    ? `Options sent to more receivers: ${shown}. They are not in it: give --webhook for each of them.`
    : `Options added webhooks: ${shown}. Here they get every event, without the settings that they had.`
}

/** How many jobs a note names. */
const MOST_NAMED = 5

function otherwiseNote(jobs: readonly SavedJob[], option: string): string {
  const ids = jobs.map(({ key }) => key.slice(0, 8))
  return `${counted(jobs.length, 'job')} went otherwise than this scenario says: ${firstOf(ids, MOST_NAMED)}. Somebody failed it, or it began under another scenario. To have it as it went, start the emulator with ${option}, save a report, and make the scenario from that.`
}

/**
 * Puts added faults before the others, because they take precedence, but behind the first ones that were used up: the
 * added ones came after what those did. All keep their names, on which random draws depend.
 */
function withAdded(rules: readonly FaultRule[], states: readonly LiveFaultState[]): FaultRule[] {
  const added = states.flatMap((state) => (state.added ? [{ ...state.added, state }] : []))
  if (added.length === 0) return [...rules]
  const own = states.filter(({ added: made }) => !made)
  const all = rules.map((rule, index) => {
    return { rule: { name: nameFor(`${SCRIPTED}${index + 1}`), ...rule }, state: own[index] }
  })
  for (const { rule, name, scope, state } of added.toReversed()) {
    // A function as `match` is never saved.
    const match = typeof rule.match === 'function' ? {} : rule.match
    const behind = all.findIndex((each) => !isUsedUp(each.rule, each.state))
    const fault = { rule: { ...rule, name, match: { ...match, ...scope } }, state }
    all.splice(behind === -1 ? all.length : behind, 0, fault)
  }
  return all.map(({ rule }) => rule)
}

/** Whether a fault hit each call that it selects, and no more can come. Then no fault before it took one. */
function isUsedUp(rule: FaultRule, state: LiveFaultState | undefined): boolean {
  const fault = new LiveFault(rule, { id: '', name: '', began: 0, changed() {} })
  const { callsLeft: selected } = fault
  if (state) fault.restore(state, 0)
  return fault.callsLeft === 0 && fault.hits === selected
}
