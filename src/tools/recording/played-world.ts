import { readSnapshotText } from '../../emulator/adapters/snapshot-file.js'
import { FORMAT } from '../../emulator/snapshot.js'
import { HIDDEN } from '../../base/text/redaction/hidden.js'
import { missingSecrets } from '../../service/scenario/missing-secrets.js'
import { savedJobs } from '../../service/engine/jobs/saved-jobs.js'
import { byPart, type SavedWorld } from '../../service/engine/saved/restore.js'
import { nameFor, SCRIPTED } from '../../service/engine/faults/fault-names.js'
import { LiveFault, type LiveFaultState } from '../../service/engine/faults/live-fault.js'
import { savedFaults } from '../../service/engine/faults/saved-faults.js'
import type { FaultRule } from '../../service/scenario/scenario.js'
import { RecordingError } from './recording-error.js'
import type { PlayedScenario } from './read-played.js'

/** Returns the scenario of a text that is a snapshot. */
export async function snapshotIn(text: string, file: string): Promise<PlayedScenario | undefined> {
  if (!text.slice(0, 200).includes(`"${FORMAT}"`)) return undefined
  const { saved } = await readSnapshotText(text, file)
  const state = 'the state of the snapshot instead, start the emulator with --import.'
  return playedIn(saved, { file, state })
}

/** Returns the scenario that a saved world played. `state` says how to continue from its state. */
export function playedIn(
  saved: SavedWorld,
  { file, state }: { file: string; state: string },
): PlayedScenario {
  const { scenario, seed, functions } = saved
  if (functions) {
    throw new RecordingError(
      `The scenario "${scenario.name}" of "${file}" has functions, which no file can hold. Use the file of that scenario.`,
    )
  }
  const { webhooks } = scenario
  const states = byPart(saved.records)(savedFaults).flatMap(({ faults: each }) => each)
  const added = states.filter((fault) => fault.added)
  const notes = [
    added.length > 0 &&
      `Faults that were added while it ran are here from the start, so their calls and times count from then: ${added.length}.`,
    `It plays from the start. To continue from ${state}`,
    webhooks.some(({ url }) => url !== undefined) &&
      'The addresses of receivers are left out, because they may be real ones: use --webhook or --sink.',
  ].filter((note) => note !== false)
  const withoutAddresses = webhooks.map(({ url: _address, ...webhook }) => webhook)
  const missing = missingSecrets(scenario).map((name) => [name, HIDDEN] as const)
  const secrets = { ...scenario.secrets, ...Object.fromEntries(missing) }
  const submitted = byPart(saved.records)(savedJobs).map(({ jobKind, model, submission }) => {
    const { num_trajectories: count } = submission.metrics
    return { kind: jobKind, model: model.name, trajectories: count ?? undefined }
  })
  const faults = withAdded(scenario.faults, states)
  const shown = { ...scenario, secrets, faults, webhooks: withoutAddresses }
  return { scenario: shown, seed, submitted, notes }
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
