import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { dataFolderAt } from '../../emulator/adapters/data-folder-at.js'
import { OWN_PATHS } from '../../emulator/adapters/routes.js'
import { readSnapshotText } from '../../emulator/adapters/snapshot-file.js'
import { worldAt } from '../../emulator/adapters/world-at.js'
import { isPage, JOB_EVENTS, knownFile, looksLikeHar } from '../../base/text/evidence.js'
import { shortJson } from '../../base/text/shortened.js'
import { assertText, NotTextError } from '../../base/text/text-lines.js'
import { FORMAT } from '../../emulator/snapshot.js'
import { HIDDEN } from '../../base/text/redaction/hidden.js'
import { missingSecrets } from '../../service/scenario/missing-secrets.js'
import { whyUnreadable } from '../../service/scenario/why-unreadable.js'
import { savedJobs } from '../../service/engine/jobs/saved-jobs.js'
import { byPart, type SavedWorld } from '../../service/engine/saved/restore.js'
import { nameFor, SCRIPTED } from '../../service/engine/faults/fault-names.js'
import { LiveFault, type LiveFaultState } from '../../service/engine/faults/live-fault.js'
import { savedFaults } from '../../service/engine/faults/saved-faults.js'
import type { FaultRule } from '../../service/scenario/scenario.js'
import { readJson } from '../../service/contract/answer-text.js'
import { fieldsOf, listIn } from './exchanges.js'
import { commandAgain, commandInLog } from './command-again.js'
import { callsOfHar, type FileCalls } from './read-har.js'
import { recordingIn } from './read-recording.js'
import { lineTypes, RECORDING_FILE, type RecordedKind } from './recording.js'
import { RecordingError } from './recording-error.js'
import { hasTrace, playedInTrace, type PlayedScenario } from './read-played.js'
import { dataInReport } from './read-report.js'

/** What `scenarios from` was given: the calls of a client, the events of one job, or a scenario that was played. */
export type Input = { again?: string | undefined } & (
  | ({ kind: RecordedKind } & FileCalls)
  | ({ kind: 'played' } & PlayedScenario)
  | { kind: 'events'; events: readonly Readonly<Record<string, unknown>>[] }
)

const ALLOWED =
  'Expected a recording of `svtrain-emulator record` (its folder, or its recording.ndjson), a HAR file, the page of `svtrain-emulator report`, a snapshot, a data folder, a trace, or the events of one job as JSON: a page, an array of pages, an array of events, or one of these per line.'

/**
 * Reads a recording, a HAR file, a report, a snapshot, a data folder, a trace, or the events of a job.
 *
 * @param world Which world of a HAR file, a report or a trace.
 * @throws {RecordingError} When the file cannot be read, or when it is something else.
 * @throws {DataFolderError} When it is a data folder that cannot be read.
 * @throws {SnapshotError} When it is a snapshot, or a data folder of another version, that cannot be used.
 */
export async function readInput(
  path: string,
  { world }: { world?: string | undefined } = {},
): Promise<Input> {
  const file = (await isFolder(path)) ? join(path, RECORDING_FILE) : path
  // A folder may hold both.
  const saved = file === path || !existsSync(file) ? await worldAt(path) : undefined
  if (saved) {
    if (world !== undefined) throw withoutWorlds(path, world)
    const state = `its state instead, start the emulator with --data ${dataFolderAt(path)}.`
    return { kind: 'played', ...playedIn(saved, { file: path, state }) }
  }
  const text = await contentOf(file, path)
  if (text.trim() === '') throw new RecordingError(`"${file}" is empty. ${ALLOWED}`)
  if (isPage(text)) {
    const { har: data, reproduce } = dataInReport(text, file)
    const again = reproduce === undefined ? undefined : commandAgain(reproduce)
    return { kind: 'report', again, ...callsOfHar(data, file, world) }
  }
  const har = harIn(text, file)
  if (har !== undefined) return { kind: 'har', ...callsOfHar(har, file, world) }
  const [first = ''] = text.trimStart().split('\n', 1)
  const { type } = fieldsOf(readJson(first)?.value)
  const isRecording = file !== path || lineTypes.some((each) => each === type)
  if (!isRecording && hasTrace(text)) {
    return { kind: 'played', again: commandInLog(text), ...playedInTrace(text, file, world) }
  }
  if (world !== undefined) throw withoutWorlds(path, world)
  const snapshot = await snapshotIn(text, file)
  if (snapshot) return { kind: 'played', ...snapshot }
  if (isRecording) return recordedIn(text, file)
  if (isScenario(text)) {
    throw new RecordingError(
      `"${path}" is a scenario already. Run it: svtrain-emulator play ${path}.`,
    )
  }
  return { kind: 'events', events: eventsIn(text, file) }
}

function withoutWorlds(path: string, world: string): RecordingError {
  return new RecordingError(
    `"${path}" has no worlds. Only HAR files, reports and traces have them. Leave out --world ${world}.`,
  )
}

function recordedIn(text: string, file: string): Input {
  const { start, exchanges, cutOff } = recordingIn(text, file)
  const { training_url: url } = start
  const is404 = exchanges.some(({ response }) => response?.status === 404)
  const notes = [
    cutOff && 'The last line of the recording is cut off, and is left out.',
    is404 &&
      !url.endsWith(OWN_PATHS.training) &&
      `It was recorded at ${url}, which does not end with ${OWN_PATHS.training}. So an answer of 404 may only say that no API is there.`,
  ].filter((note) => note !== false)
  return { kind: 'recording', recorded: exchanges, contents: start.contents, notes }
}

/** Whether a text has the keys of a scenario at the start of its lines. */
function isScenario(text: string): boolean {
  const has = (keys: string): boolean => new RegExp(`^(?:${keys}):`, 'm').test(text)
  return has('name') && has('description|jobs|faults|chat|timeline|extends|base_models')
}

/** Returns the HAR of a text that looks like one. */
function harIn(text: string, file: string): unknown {
  if (!looksLikeHar(text)) return undefined
  const whole = readJson(text.replace(/^\uFEFF/, ''))
  if (whole) return whole.value
  throw new RecordingError(
    `"${file}" is a HAR file that is cut off or damaged: it is not JSON. Save it again. If the disk was full, make room first.`,
  )
}

/** Returns the scenario of a text that is a snapshot. */
async function snapshotIn(text: string, file: string): Promise<PlayedScenario | undefined> {
  if (!text.slice(0, 200).includes(`"${FORMAT}"`)) return undefined
  const { saved } = await readSnapshotText(text, file)
  const state = 'the state of the snapshot instead, start the emulator with --import.'
  return playedIn(saved, { file, state })
}

/** Returns the scenario that a saved world played. `state` says how to continue from its state. */
function playedIn(
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

/** Some tools pack a HAR file together with the files of its bodies. Their traces have no HAR file. */
const IN_ARCHIVE =
  'The calls are in the one that ends with .har: leave the others beside it. An archive without one has no calls to read, so save a HAR file.'

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}

async function contentOf(file: string, path: string): Promise<string> {
  try {
    const bytes = await readFile(file)
    assertText([...bytes.subarray(0, 8)])
    return bytes.toString('utf8')
  } catch (error) {
    if (error instanceof NotTextError) {
      const fix = error.message.includes('archive') ? ` ${IN_ARCHIVE}` : ''
      const why = `Failed to read "${file}": ${error.message}${fix}`
      throw new RecordingError(why, { cause: error })
    }
    const why = `Failed to read "${file}": ${whyUnreadable(file, error)}`
    const below = file === path ? undefined : await recordingBelow(path)
    const folder = below === undefined ? 'holds no recording' : `has one in "${below}": give that`
    const hint = file === path ? '' : ` The folder "${path}" ${folder}.`
    throw new RecordingError(`${why}${hint} ${ALLOWED}`, { cause: error })
  }
}

/** Returns the folder of a recording in a folder. */
async function recordingBelow(folder: string): Promise<string | undefined> {
  const names = await readdir(folder)
  const folders = names.map((name) => join(folder, name))
  return folders.find((each) => existsSync(join(each, RECORDING_FILE)))
}

function eventsIn(text: string, file: string): Readonly<Record<string, unknown>>[] {
  const whole = readJson(text.replace(/^\uFEFF/, ''))
  const known = knownFile(text, file)
  if (known && known.what !== JOB_EVENTS) {
    throw new RecordingError(`"${file}" is ${known.what}. ${known.toDo}. ${ALLOWED}`)
  }
  const { events: own, total } = fieldsOf(whole?.value)
  if (typeof total === 'number' && listIn(own).length !== total) {
    throw new RecordingError(
      `"${file}" has ${listIn(own).length} of the ${total} events of the job. Get all: add ?limit=1000 to its address, and from=1000 for those after them.`,
    )
  }
  const values = whole ? [whole.value] : linesIn(text, file)
  const events = values.flatMap((value) => flattened(value))
  for (const [index, event] of events.entries()) {
    const { type, data } = fieldsOf(event)
    const isEvent = typeof type === 'string' && typeof data === 'object' && data !== null
    if (isEvent) continue
    const shown = shortJson(event, LONGEST)
    throw new RecordingError(
      `"${file}" holds something else: its item ${index + 1} is ${shown}, not an event such as {"id": "…", "type": "training_started", "data": {}}. ${ALLOWED}`,
    )
  }
  if (events.length === 0) {
    throw new RecordingError(
      `"${file}" has no events, so there is no job in it. Save the events of a job that has started: GET /v1/preview/training-jobs/{training_job_id}/events. ${ALLOWED}`,
    )
  }
  return events.map(fieldsOf)
}

function linesIn(text: string, file: string): unknown[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const read = readJson(line)
    if (read) return [read.value]
    throw new RecordingError(
      `"${file}" is not JSON: line ${index + 1} is ${shortJson(line, LONGEST)}. ${ALLOWED}`,
    )
  })
}

/** Returns the events of a page, of an array of pages, or of an array of events, also as the control API has them. */
function flattened(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(flattened)
  const { data, type, events } = fieldsOf(value)
  if (Array.isArray(events) && type === undefined) return events as unknown[]
  return Array.isArray(data) && type === undefined ? (data as unknown[]) : [value]
}

const LONGEST = 60
