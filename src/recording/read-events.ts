import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readJson } from '../play/answer-text.js'
import { fieldsOf, type Recorded } from './exchanges.js'
import { readRecording } from './read-recording.js'
import { RECORDING_FILE } from './recording.js'
import { RecordingError } from './recording-error.js'

/** What `scenarios from` was given: a recording, or the events of one job. */
export type Input =
  | { kind: 'recording'; recorded: readonly Recorded[]; contents: 'redacted' | 'recorded' }
  | { kind: 'events'; events: readonly Readonly<Record<string, unknown>>[] }

const ALLOWED =
  'Expected a recording of `svtrain-emulator record` (its folder, or its recording.ndjson), or the events of one job as JSON: a page, an array of pages, an array of events, or one of these per line.'

/**
 * Reads a recording, or the events of a job.
 *
 * @throws {RecordingError} When the file cannot be read, or when it is something else.
 */
export async function readInput(path: string): Promise<Input> {
  const file = (await isFolder(path)) ? join(path, RECORDING_FILE) : path
  const text = await contentOf(file, path)
  if (text.trim() === '') throw new RecordingError(`"${file}" is empty. ${ALLOWED}`)
  const [first = ''] = text.trimStart().split('\n', 1)
  const { type } = fieldsOf(readJson(first)?.value)
  if (file !== path || RECORDING_TYPES.includes(String(type))) {
    const { start, exchanges } = await readRecording(file)
    return { kind: 'recording', recorded: exchanges, contents: start.contents }
  }
  return { kind: 'events', events: eventsIn(text, file) }
}

const RECORDING_TYPES = ['recording', 'request', 'response', 'chunk', 'end']

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}

async function contentOf(file: string, path: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why =
      code === 'ENOENT' ? `"${file}" does not exist` : `Failed to read "${file}": ${message}`
    const hint = file === path ? '' : ` The folder "${path}" holds no recording.`
    throw new RecordingError(`${why}.${hint} ${ALLOWED}`, { cause: error })
  }
}

function eventsIn(text: string, file: string): Readonly<Record<string, unknown>>[] {
  const whole = readJson(text.replace(/^\uFEFF/, ''))
  const values = whole ? [whole.value] : linesIn(text, file)
  const events = values.flatMap((value) => flattened(value))
  for (const [index, event] of events.entries()) {
    const { type, data } = fieldsOf(event)
    const isEvent = typeof type === 'string' && typeof data === 'object' && data !== null
    if (isEvent) continue
    const shown = excerpt(event)
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
      `"${file}" is not JSON: line ${index + 1} is ${excerpt(line)}. ${ALLOWED}`,
    )
  })
}

/** Returns the events of a page, of an array of pages, or of an array of events. */
function flattened(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(flattened)
  const { data, type } = fieldsOf(value)
  return Array.isArray(data) && type === undefined ? (data as unknown[]) : [value]
}

const LONGEST = 60

function excerpt(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
