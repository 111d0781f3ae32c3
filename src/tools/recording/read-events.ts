import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { dataFolderAt } from '../../emulator/adapters/data-folder-at.js'
import { OWN_PATHS } from '../../emulator/adapters/routes.js'
import { worldAt } from '../../emulator/adapters/world-at.js'
import { counted } from '../../base/text/counted.js'
import { isPage, looksLikeHar, RECORDING_FILE } from '../../base/text/evidence.js'
import { assertText, NotTextError } from '../../base/text/text-lines.js'
import { whyUnreadable } from '../../service/scenario/why-unreadable.js'
import { readJson } from '../../service/contract/answer-text.js'
import { fieldsOf, type Fields, type RecordedExchange } from './exchanges.js'
import { commandAgain, commandInLog } from './command-again.js'
import { callsOfHar, type FileCalls } from './read-har.js'
import { recordingIn } from './read-recording.js'
import { lineTypes, type RecordedKind } from './recording.js'
import { RecordingError } from './recording-error.js'
import { namesRun, playedInText, type PlayedScenario } from './read-played.js'
import { dataInReport } from './read-report.js'
import { playedIn, snapshotIn } from './played-world.js'
import { ALLOWED, eventsIn } from './saved-events.js'

/** What `scenarios from` was given: the calls of a client, the events of one job, or a scenario that was played. */
export type Input = { again?: string | undefined } & (
  | ({ kind: RecordedKind } & FileCalls)
  | ({ kind: 'played' } & PlayedScenario)
  | { kind: 'events'; events: readonly Fields[] }
)

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
    return {
      kind: 'played',
      ...playedIn(saved, { file: path, option: `--data ${dataFolderAt(path)}` }),
    }
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
  if (!isRecording && namesRun(text)) {
    return { kind: 'played', again: commandInLog(text), ...playedInText(text, file, world) }
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
  const open = exchanges.filter(({ end }) => !end).length
  const is404 = exchanges.some(({ response }) => response?.status === 404)
  const notes = [
    cutOff && 'The last line of the recording is cut off, and is left out.',
    open > 0 &&
      `The recording ends before ${counted(open, 'request')} did. Here ${open === 1 ? 'it gets' : 'they get'} no more of an answer.`,
    is404 &&
      !url.endsWith(OWN_PATHS.training) &&
      `It was recorded at ${url}, which does not end with ${OWN_PATHS.training}. So an answer of 404 may only say that no API is there.`,
  ].filter((note) => note !== false)
  return { kind: 'recording', recorded: exchanges.map(ended), contents: start.contents, notes }
}

/** Ends an exchange as a recorder that was stopped in time does: its client got no more of an answer. */
function ended(exchange: RecordedExchange): RecordedExchange {
  const { request, response, end } = exchange
  const { id, at } = response ?? request
  return end ? exchange : { ...exchange, end: { type: 'end', id, at, how: 'client_left' } }
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
    assertText(bytes)
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
